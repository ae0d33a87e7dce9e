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
        (self.layout, self.quality) = (layout, quality)
        recolouring = Recolouring(from: matrix)
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

/// Turns 4:2:0 of another matrix into that of BT.601, which JPEG has. Both in full range.
private struct Recolouring {
    /// Factors of 16.16 that make of Cb and Cr what is added to Y', and Cb and Cr themselves.
    private let lumaOfCb, lumaOfCr, cbOfCb, cbOfCr, crOfCb, crOfCr: Int

    /// Nil if nothing changes.
    init?(from matrix: Colorimetry.Matrix) {
        let (from, to) = (matrix.weights, Colorimetry.Matrix.bt601.weights)
        guard from != to else { return nil }
        // R'G'B' less Y' of the source, for a unit of Cb and of Cr.
        let green = 1 - from.red - from.blue
        func difference(_ cb: Double, _ cr: Double) -> (red: Double, green: Double, blue: Double) {
            let red = 2 * (1 - from.red) * cr, blue = 2 * (1 - from.blue) * cb
            return (red, -(from.red * red + from.blue * blue) / green, blue)
        }
        func factors(_ cb: Double, _ cr: Double) -> (luma: Int, cb: Int, cr: Int) {
            let color = difference(cb, cr)
            let luma = to.red * color.red + (1 - to.red - to.blue) * color.green + to.blue * color.blue
            func fixed(_ value: Double) -> Int { Int((value * 65536).rounded()) }
            return (
                fixed(luma), fixed((color.blue - luma) / (2 * (1 - to.blue))),
                fixed((color.red - luma) / (2 * (1 - to.red)))
            )
        }
        (lumaOfCb, cbOfCb, crOfCb) = factors(1, 0)
        (lumaOfCr, cbOfCr, crOfCr) = factors(0, 1)
    }

    func convert(_ samples: UnsafeMutablePointer<UInt8>, _ planes: [Plane]) {
        let (luma, first, second) = (planes[0], planes[1], planes[2])
        for y in 0..<first.rows {
            let (cbs, crs) = (samples + first.offset + y * first.stride, samples + second.offset + y * second.stride)
            for x in 0..<first.rowBytes {
                let (cb, cr) = (Int(cbs[x]) - 128, Int(crs[x]) - 128)
                let change = (lumaOfCb * cb + lumaOfCr * cr + 32768) >> 16
                for row in 2 * y..<min(2 * y + 2, luma.rows) {
                    let at = samples + luma.offset + row * luma.stride
                    for column in 2 * x..<min(2 * x + 2, luma.rowBytes) {
                        at[column] = UInt8(min(max(Int(at[column]) + change, 0), 255))
                    }
                }
                cbs[x] = UInt8(min(max((cbOfCb * cb + cbOfCr * cr + 32768) >> 16 + 128, 0), 255))
                crs[x] = UInt8(min(max((crOfCb * cb + crOfCr * cr + 32768) >> 16 + 128, 0), 255))
            }
        }
    }
}
