// SPDX-License-Identifier: MIT
// A scene's first frames, drawn before the stream starts, so that each frame costs only a copy.

import FrameRing
import LivecapFrames

/// The pictures of a scene that repeats a few frames. Each uncompressed copy is marked with its own frame number;
/// compressed frames have no mark.
///
/// Used by one thread at a time. Allocates only in `init`.
final class PrerenderedFrames: PaintedFrames {
    /// The maximum total size of the pictures in bytes.
    static let maxBytes = 1 << 30

    private(set) var byteCount = 0
    private let scene: SyntheticScene
    private let format: FrameFormat
    private let isCompressed: Bool
    private var pictures: [UnsafeMutableRawBufferPointer] = []

    /// Draws the pictures that the scene will show: the number it prerenders, or all its frames if there are fewer.
    init(
        _ painter: FramePainter, _ scene: SyntheticScene, format: FrameFormat, maxBytes: Int = maxBytes
    ) throws(CameraError) {
        self.scene = scene
        self.format = format
        isCompressed = format.pixelFormat.isCompressed
        let count = min(scene.settings.prerenderedFrames, scene.settings.frameCount ?? .max)
        // The size of compressed frames is known only once they have been made.
        var bytesLeft = maxBytes
        guard isCompressed || count <= maxBytes / format.byteCount else {
            throw .tooMuchPrerendered(scene, format, fitting: maxBytes / format.byteCount, maxBytes)
        }
        pictures.reserveCapacity(count)
        for frame in 0..<count {
            var isRefused = false
            try painter.paint(frame) { byteCount in
                bytesLeft -= byteCount
                isRefused = bytesLeft < 0
                guard !isRefused else { return nil }
                // Page-aligned, like frames in the ring.
                let picture = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 4096)
                pictures.append(picture)
                return picture
            }
            guard !isRefused else { throw .tooMuchPrerendered(scene, format, fitting: frame, maxBytes) }
        }
    }

    deinit {
        for picture in pictures { picture.deallocate() }
    }

    func paint(_ frame: Int, into producer: inout RingProducer) -> SlotIndex? {
        let picture = pictures[scene.picture(ofFrame: frame)]
        guard let slot = producer.claim(byteCount: picture.count) else { return nil }
        let memory = producer.bytes(of: slot)
        memory.copyMemory(from: UnsafeRawBufferPointer(picture))
        producer.countCopied(picture.count)
        byteCount = picture.count
        if !isCompressed, format.pixelFormat != .cnf4 {
            scene.mark?.renumber(UInt32(truncatingIfNeeded: frame), in: memory, format: format)
        }
        return slot
    }
}

extension CameraError {
    fileprivate static func tooMuchPrerendered(
        _ scene: SyntheticScene, _ format: FrameFormat, fitting: Int, _ maxBytes: Int
    ) -> CameraError {
        let pictures = "\(scene.settings.prerenderedFrames) prerendered frames of \(format.size) \(format.pixelFormat)"
        return .badSettings(
            "\(pictures) take more than \(maxBytes) bytes",
            hint: fitting > 0 ? "prerender=\(fitting) would fit" : "choose smaller frames")
    }
}
