// SPDX-License-Identifier: MIT
// A scene's first frames, drawn before the stream starts: from then on a frame costs no more than its copy.

import FrameRing
import Frames

/// The pictures of a scene that shows a few over and over. An uncompressed copy gets its frame's own number; compressed
/// ones have none.
///
/// Used by one thread at a time. Allocates when made only.
final class PrerenderedFrames: PaintedFrames {
    /// The most bytes the pictures may take together.
    static let mostBytes = 1 << 30

    private(set) var byteCount = 0
    private let scene: SyntheticScene
    private let format: FrameFormat
    private var pictures: [UnsafeMutableRawBufferPointer] = []

    /// Draws what the scene will show: as many frames as it prerenders, or has.
    init(
        _ painter: FramePainter, _ scene: SyntheticScene, format: FrameFormat, mostBytes: Int = mostBytes
    ) throws(CameraError) {
        self.scene = scene
        self.format = format
        let count = min(scene.settings.prerenderedFrames, scene.settings.frameCount ?? .max)
        // What compressed frames take is known as they are made.
        var bytesLeft = mostBytes
        guard format.pixelFormat.isCompressed || count <= mostBytes / format.byteCount else {
            throw .tooMuchPrerendered(scene, format, fitting: mostBytes / format.byteCount, mostBytes)
        }
        pictures.reserveCapacity(count)
        for frame in 0..<count {
            var isRefused = false
            try painter.paint(frame) { byteCount in
                bytesLeft -= byteCount
                isRefused = bytesLeft < 0
                guard !isRefused else { return nil }
                // On a page of its own, as frames in the ring are.
                let picture = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 4096)
                pictures.append(picture)
                return picture
            }
            guard !isRefused else { throw .tooMuchPrerendered(scene, format, fitting: frame, mostBytes) }
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
        if !format.pixelFormat.isCompressed {
            scene.mark?.renumber(UInt32(truncatingIfNeeded: frame), in: memory, format: format)
        }
        return slot
    }
}

extension CameraError {
    fileprivate static func tooMuchPrerendered(
        _ scene: SyntheticScene, _ format: FrameFormat, fitting: Int, _ mostBytes: Int
    ) -> CameraError {
        let pictures = "\(scene.settings.prerenderedFrames) prerendered frames of \(format.size) \(format.pixelFormat)"
        return .badSettings(
            "\(pictures) take more than \(mostBytes) bytes",
            hint: fitting > 0 ? "prerender=\(fitting) would fit" : "take smaller frames")
    }
}
