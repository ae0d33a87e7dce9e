// SPDX-License-Identifier: MIT
// Planes to JPEG pictures.

import LivecapFrames
import LivecapJPEG

/// Encodes planes of 4:2:0 in full range as JPEG. Used by one thread.
final class StillPacker {
    /// Where the planes are.
    let layout: PlanarLayout
    private let quality: Int
    private let recolouring: Recolouring?
    private var encoder: JPEGEncoder

    /// Nil for sizes that JPEG does not allow, and without memory. `matrix` is that of the planes.
    init?(_ size: FrameSize, quality: Int, from matrix: Colorimetry.Matrix) {
        guard let layout = PlanarLayout(size: size, sampling: .s420) else { return nil }
        do throws(JPEGError) { encoder = try JPEGEncoder() } catch { return nil }
        self.layout = layout
        self.quality = quality
        recolouring = Recolouring(from: matrix, to: .bt601, range: .full)
    }

    /// Encodes the planes. Returns the number of bytes, nil on failure.
    func pack(_ samples: UnsafeMutablePointer<UInt8>, into memory: UnsafeMutableRawBufferPointer) -> Int? {
        recolouring?.convert(samples, layout.planes)
        fillEdges(samples)
        let planes = UnsafeRawBufferPointer(start: samples, count: layout.byteCount)
        do throws(JPEGError) {
            return try encoder.encode(planes.bytes, layout: layout, quality: quality) { jpeg in
                guard jpeg.byteCount <= memory.count else { return nil }
                jpeg.withUnsafeBytes { memory.copyMemory(from: $0) }
                return jpeg.byteCount
            }
        } catch { return nil }
    }

    /// The codec reads one more column or row of brightness at odd sizes.
    private func fillEdges(_ samples: UnsafeMutablePointer<UInt8>) {
        let (luma, size) = (layout.planes[0], layout.size)
        let start = samples + luma.offset
        if luma.rowBytes > size.width {
            for y in 0..<size.height { start[y * luma.stride + size.width] = start[y * luma.stride + size.width - 1] }
        }
        if luma.rows > size.height {
            (start + size.height * luma.stride).update(
                from: start + (size.height - 1) * luma.stride, count: luma.rowBytes)
        }
    }
}
