// SPDX-License-Identifier: MIT
// Brings a scene's frames into slots: raw ones are rendered there, MJPEG ones by way of planes.

import FrameRing
import Frames
import JPEG

/// Used by one thread at a time. Allocates when made, and while the first MJPEG frames make their scratch grow.
final class FramePainter {
    /// Bytes of the frame painted last.
    private(set) var byteCount = 0
    private let scene: SyntheticScene
    private let format: FrameFormat
    private let renderer: FrameRenderer
    private var compressor: Compressor?

    /// Planes of 4:2:2, as most webcams compress them, and the encoder.
    private struct Compressor: ~Copyable {
        var encoder: JPEGEncoder
        let layout: PlanarLayout
        let planes: UnsafeMutableRawBufferPointer
        deinit { planes.deallocate() }
    }

    init(_ scene: SyntheticScene, format: FrameFormat) throws(CameraError) {
        self.scene = scene
        self.format = format
        guard format.pixelFormat.layout == .jpeg else {
            renderer = FrameRenderer(scene, format: format)
            return
        }
        var planar = FrameFormat(pixelFormat: .yuv422p, size: scene.size, colorimetry: format.colorimetry)
        planar.bytesPerLine = (scene.size.width + 1) & ~1
        planar.byteCount = planar.planes.map(\.end).max() ?? 0
        renderer = FrameRenderer(scene, format: planar)
        let planes = UnsafeMutableRawBufferPointer.allocate(byteCount: planar.byteCount, alignment: 64)
        guard let layout = PlanarLayout(planar), let encoder = try? JPEGEncoder() else {
            planes.deallocate()
            throw .noMemory(bytes: planar.byteCount)
        }
        compressor = Compressor(encoder: encoder, layout: layout, planes: planes)
    }

    /// Paints a frame into a slot of its own; nil when none is to be had.
    func paint(_ frame: Int, into producer: inout RingProducer) throws(CameraError) -> SlotIndex? {
        guard let planes = compressor?.planes else {
            guard let slot = producer.claim() else { return nil }
            renderer.render(frame, isNoisy: true, into: producer.bytes(of: slot))
            byteCount = format.byteCount
            return slot
        }
        renderer.render(frame, isNoisy: true, into: planes)
        // Pure noise at the best quality can be larger than a frame may be: it is compressed more, as a camera would.
        var quality = scene.settings.jpegQuality
        while true {
            switch try compress(quality, into: &producer) {
            case .inSlot(let slot): return slot
            case .noSlot: return nil
            case .tooLarge: quality /= 2
            }
        }
    }

    private enum Compressed {
        case inSlot(SlotIndex)
        case noSlot
        case tooLarge
    }

    private func compress(_ quality: Int, into producer: inout RingProducer) throws(CameraError) -> Compressed {
        guard let planes = compressor?.planes, let layout = compressor?.layout else { return .noSlot }
        let limit = format.byteCount
        do throws(JPEGError) {
            let result = try compressor?.encoder.encode(planes.bytes, layout: layout, quality: quality) { jpeg in
                guard jpeg.byteCount <= limit else { return Compressed.tooLarge }
                guard let slot = producer.claim(byteCount: jpeg.byteCount) else { return Compressed.noSlot }
                jpeg.withUnsafeBytes { producer.bytes(of: slot).copyMemory(from: $0) }
                byteCount = jpeg.byteCount
                producer.countCopied(byteCount)
                return .inSlot(slot)
            }
            return result ?? .noSlot
        } catch {
            throw .noMemory(bytes: layout.byteCount)
        }
    }
}
