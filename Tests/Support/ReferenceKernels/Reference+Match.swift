// SPDX-License-Identifier: MIT
// Converts one frame's colours to another's.

extension Reference {
    /// One row of the match: the factors of Y', Cb and Cr, and a constant to add.
    package struct Row {
        let luma: Float, cb: Float, cr: Float, lift: Float
        package init(_ row: [Float]) { (luma, cb, cr, lift) = (row[0], row[1], row[2], row[3]) }
    }

    private static func byte(_ value: Float) -> UInt8 { UInt8((max(0, min(value, 255)) + 0.5).rounded(.down)) }
    private static func centred(_ chroma: UInt8) -> Float { Float(Int(chroma) - 128) }

    package static func matchLuma(_ luma: [UInt8], _ cb: [UInt8], _ cr: [UInt8], _ row: Row) -> [UInt8] {
        luma.indices.map { i in
            let tint = row.cb * centred(cb[i / 2]) + row.cr * centred(cr[i / 2]) + row.lift
            return byte(row.luma * Float(luma[i]) + tint)
        }
    }

    package static func matchChroma(_ luma: [UInt8], _ cb: [UInt8], _ cr: [UInt8], _ row: Row) -> [UInt8] {
        cb.indices.map { i in
            let mean = row.luma * (Float(luma[2 * i]) / 2 + Float(luma[2 * i + 1]) / 2)
            return byte(mean + row.cb * centred(cb[i]) + row.cr * centred(cr[i]) + (row.lift + 128))
        }
    }

    /// A pixel's value for `row`, computed from its clipped channels.
    private static func clipped(_ channels: [Row], _ row: Row, _ y: UInt8, _ cb: UInt8, _ cr: UInt8) -> Float {
        let light = channels.map { of in
            min(1, of.luma * Float(y) + (of.cb * centred(cb) + of.cr * centred(cr) + of.lift))
        }
        return row.lift + row.luma * light[0] + row.cb * light[1] + row.cr * light[2]
    }

    package static func matchClippedLuma(
        _ luma: [UInt8], _ cb: [UInt8], _ cr: [UInt8], _ channels: [Row], _ row: Row
    ) -> [UInt8] {
        luma.indices.map { i in byte(clipped(channels, row, luma[i], cb[i / 2], cr[i / 2])) }
    }

    package static func matchClippedChroma(
        _ luma: [UInt8], _ cb: [UInt8], _ cr: [UInt8], _ channels: [Row], _ row: Row
    ) -> [UInt8] {
        cb.indices.map { i in
            let left = clipped(channels, row, luma[2 * i], cb[i], cr[i])
            let right = clipped(channels, row, luma[2 * i + 1], cb[i], cr[i])
            return byte((left + right) / 2 + 128)
        }
    }

    package static func matchGrey(_ luma: [UInt8], gain: Float, lift: Float) -> [UInt8] {
        luma.map { byte(gain * Float($0) + lift) }
    }
}
