// SPDX-License-Identifier: MIT
// Brings a scene's frames into slots: raw ones are rendered there, MJPEG ones by way of planes.

import FrameRing
import Frames
import JPEG

/// Where a scene's frames come from: they are painted, or were before.
protocol PaintedFrames: AnyObject {
    /// Bytes of the frame brought last.
    var byteCount: Int { get }
    /// Brings a frame into a slot of its own; nil when none is to be had.
    func paint(_ frame: Int, into producer: inout RingProducer) throws(CameraError) -> SlotIndex?
}

/// Used by one thread at a time. Allocates when made, and while the first MJPEG frames make their scratch grow.
final class FramePainter: PaintedFrames {
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
        var slot: SlotIndex?
        try paint(frame) { byteCount in
            slot = producer.claim(byteCount: byteCount)
            return slot.map { producer.bytes(of: $0) }
        }
        if slot != nil, compressor != nil { producer.countCopied(byteCount) }
        return slot
    }

    /// Paints a frame into the memory that `room` has for so many bytes; not at all where it has none.
    func paint(_ frame: Int, _ room: (Int) -> UnsafeMutableRawBufferPointer?) throws(CameraError) {
        guard let planes = compressor?.planes else {
            guard let memory = room(format.byteCount) else { return }
            renderer.render(frame, isNoisy: true, into: memory)
            byteCount = format.byteCount
            return
        }
        renderer.render(frame, isNoisy: true, into: planes)
        // Pure noise at the best quality can be larger than a frame may be: it is compressed more, as a camera would.
        var quality = scene.settings.jpegQuality
        while try !compress(quality, room) { quality /= 2 }
    }

    /// Compresses what has been rendered; false where that is larger than a frame may be.
    private func compress(
        _ quality: Int, _ room: (Int) -> UnsafeMutableRawBufferPointer?
    ) throws(CameraError) -> Bool {
        guard let planes = compressor?.planes, let layout = compressor?.layout else { return true }
        let limit = format.byteCount
        do throws(JPEGError) {
            let fits = try compressor?.encoder.encode(planes.bytes, layout: layout, quality: quality) { jpeg in
                guard jpeg.byteCount <= limit else { return false }
                if let memory = room(jpeg.byteCount) {
                    jpeg.withUnsafeBytes { memory.copyMemory(from: $0) }
                    byteCount = jpeg.byteCount
                }
                return true
            }
            return fits ?? true
        } catch {
            throw .noMemory(bytes: layout.byteCount)
        }
    }
}
