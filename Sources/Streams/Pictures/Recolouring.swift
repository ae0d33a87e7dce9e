// SPDX-License-Identifier: MIT
// Y'CbCr by one matrix to Y'CbCr by another.

import LivecapFrames

/// Turns 4:2:0 of one matrix into that of another, both in the same range.
package struct Recolouring {
    /// Factors of 16.16 that make of Cb and Cr what is added to Y', and Cb and Cr themselves.
    private let lumaOfCb, lumaOfCr, cbOfCb, cbOfCr, crOfCb, crOfCr: Int

    /// Nil if nothing changes.
    package init?(from source: Colorimetry.Matrix, to target: Colorimetry.Matrix, range: Colorimetry.Range) {
        let (from, to) = (source.weights, target.weights)
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
            // Steps of brightness and colour are of different size in the limited range.
            return (
                fixed(range == .limited ? luma * 219 / 224 : luma), fixed((color.blue - luma) / (2 * (1 - to.blue))),
                fixed((color.red - luma) / (2 * (1 - to.red)))
            )
        }
        (lumaOfCb, cbOfCb, crOfCb) = factors(1, 0)
        (lumaOfCr, cbOfCr, crOfCr) = factors(0, 1)
    }

    /// Converts three planes in place.
    package func convert(_ samples: UnsafeMutablePointer<UInt8>, _ planes: [Plane]) {
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
