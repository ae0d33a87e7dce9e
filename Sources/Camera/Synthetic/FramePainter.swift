// SPDX-License-Identifier: MIT
// Draws a scene's frames into slots: raw frames directly, MJPEG frames through planes and an encoder.

import FrameRing
import LivecapFrames
import LivecapJPEG

/// A supply of a scene's frames, either drawn on demand or prerendered.
protocol PaintedFrames: AnyObject {
    /// The size of the latest frame in bytes.
    var byteCount: Int { get }
    /// Puts a frame into a newly claimed slot; nil if no slot is available.
    func paint(_ frame: Int, into producer: inout RingProducer) throws(CameraError) -> SlotIndex?
}

/// Draws frames on demand. Used by one thread at a time. It allocates in `init`, and while its scratch memory grows
/// with the first MJPEG frames.
final class FramePainter: PaintedFrames {
    /// The size of the latest frame in bytes.
    private(set) var byteCount = 0
    private let scene: SyntheticScene
    private let format: FrameFormat
    private let renderer: FrameRenderer
    private var compressor: Compressor?
    /// For frames of depth, instead of the renderer.
    private let depth: DepthFrameWriter?

    /// The encoder and its input planes. The planes are 4:2:2, which most webcams compress.
    private struct Compressor: ~Copyable {
        var encoder: JPEGEncoder
        let layout: PlanarLayout
        let planes: UnsafeMutableRawBufferPointer
        deinit { planes.deallocate() }
    }

    init(_ scene: SyntheticScene, format: FrameFormat) throws(CameraError) {
        self.scene = scene
        self.format = format
        depth = DepthFrameWriter(scene, format: format, isNoisy: !scene.settings.isTruth)
        if depth != nil {
            renderer = FrameRenderer(scene, format: FrameFormat(pixelFormat: .grey, size: scene.size))
            return
        }
        guard format.pixelFormat.isJPEG else {
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

    /// Draws a frame into a newly claimed slot; nil if no slot is available.
    func paint(_ frame: Int, into producer: inout RingProducer) throws(CameraError) -> SlotIndex? {
        var slot: SlotIndex?
        try paint(frame) { byteCount in
            slot = producer.claim(byteCount: byteCount)
            return slot.map { producer.bytes(of: $0) }
        }
        if slot != nil, compressor != nil { producer.countCopied(byteCount) }
        return slot
    }

    /// Draws a frame into the memory that `room` returns for its byte count. If `room` returns nil, a raw frame is not
    /// drawn and a compressed frame is not stored.
    func paint(_ frame: Int, _ room: (Int) -> UnsafeMutableRawBufferPointer?) throws(CameraError) {
        guard let planes = compressor?.planes else {
            guard let memory = room(format.byteCount) else { return }
            if let depth {
                depth.write(frame, into: memory)
            } else {
                renderer.render(frame, isNoisy: !scene.settings.isTruth, into: memory)
            }
            byteCount = format.byteCount
            return
        }
        renderer.render(frame, isNoisy: !scene.settings.isTruth, into: planes)
        // Pure noise at the best quality can exceed the maximum frame size. It is then compressed more, as a camera
        // would do.
        var quality = scene.settings.jpegQuality
        while try !compress(quality, room) { quality /= 2 }
    }

    /// Compresses the rendered planes. Returns false if the result exceeds the maximum frame size.
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
