// SPDX-License-Identifier: MIT
// Where else the frames of a session go, beside its pictures: virtual cameras, and the memory that others read.

import Camera
import FrameRing
import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapSharing
import LivecapStreams
import LivecapVirtualCamera
import Shutter

/// The places of a command line that show a session's frames to other programs.
struct SessionPlaces {
    private let cameras: [VirtualCamera]
    private let sharing: HostDoor?
    /// What takes the frames that the cameras show.
    private let sinks: HostSinks
    private let leave: @Sendable () -> Void

    /// Opens them. Frames go there once the session begins. A place that fails later is reported; everything else goes
    /// on.
    init(_ arguments: Arguments, _ host: Host, _ staged: StagedFrames?) throws(Failure) {
        let source = host.session.source
        sinks = staged?.stage(of: .to)?.sinks ?? host.session.sinks
        sharing =
            arguments[PlaceOptions.share]
            ? try attempt { () throws(ShutterError) in try HostDoor(at: nil) } : nil
        let view = PictureView(mount: host.session.rotation?.mount ?? .upright)
        let places = arguments.all(PlaceOptions.to)
        cameras = try attempt { () throws(VirtualCameraError) in
            try places.map { (place) throws(VirtualCameraError) in try place.open(source, view) }
        }
        for camera in cameras {
            camera.onFailure { Console.note("note: \($0.message); \(Hints.hint($0))") }
            sinks.add(camera)
        }
        let shared = staged?.stage(of: .share)?.sinks ?? host.session.sinks
        leave = if let sharing { shared.attach(sharing) } else { {} }
    }

    /// Says where other programs find the frames.
    func announce() {
        if !cameras.isEmpty {
            Console.note("other programs see it as \(cameras.map(\.name).joined(separator: ", "))")
        }
        if let path = sharing?.path { Console.note("other programs read its frames at \(path)") }
    }

    /// Removes them.
    func close() {
        for camera in cameras {
            sinks.remove(camera.output)
            camera.close()
        }
        leave()
        sharing?.close()
    }
}
