// SPDX-License-Identifier: MIT
// Where frames are shown as a camera.

import Camera
import LiveCapture
import LivecapFrames
import LivecapVirtualCamera

/// A place where a virtual camera appears.
enum CameraPlace: Hashable, Sendable {
    /// Among PipeWire's cameras, with a name; nil for the source's own.
    case pipeWire(String?)
    /// An output device of V4L2's.
    case device(String)

    init?(_ text: String) {
        if text == "pipewire" {
            self = .pipeWire(nil)
        } else if text.hasPrefix("pipewire:") {
            let name = String(text.dropFirst("pipewire:".count))
            guard !name.isEmpty else { return nil }
            self = .pipeWire(name)
        } else if text.hasPrefix("/") {
            self = .device(text)
        } else {
            return nil
        }
    }

    /// Makes a camera there for the frames of a source.
    func open(
        _ source: SourceDescription, _ view: PictureView
    ) throws(VirtualCameraError) -> VirtualCamera {
        switch self {
        case .pipeWire(let name):
            var source = source
            source.name = name ?? "\(source.name) (livecap)"
            source.identity = "live:\(source.identity)"
            return try VirtualCamera.pipeWire(source, view: view)
        case .device(let path): return try VirtualCamera.loopback(source, path: path, view: view)
        }
    }
}
