// SPDX-License-Identifier: MIT
// Converts rows of 16-bit Y'CbCr to rows of 16-bit R'G'B'.

import LivecapFrames

/// Converts samples (codes times 256) to R'G'B' or grey from 0 to 65535.
///
/// In fixed point the result is within 4 of the exact number: a sixtieth of an 8-bit code. Constant luminance is
/// computed in floating point and rounded.
struct RowConverter {
    private let decoder: ColorDecoder
    /// The sample value of black.
    private let black: Int32
    // The slopes of R'G'B' with respect to Y' and chroma, times `one`.
    private let luma: Int32
    private let (redOfCr, greenOfCb, greenOfCr, blueOfCb): (Int32, Int32, Int32, Int32)

    /// Thirteen bits, so that the largest possible sum stays below 2^31.
    private static let one = 8192.0
    private static let neutral: Int32 = 128 << 8

    init(_ colorimetry: Colorimetry) {
        decoder = ColorDecoder(colorimetry)
        let isFull = decoder.range == .full
        black = isFull ? 0 : 16 << 8
        // Take the slopes from the decoder, one code away from neutral, so that the equations are written only once.
        let start = Double(black) / 256
        let grey = decoder.color(luma: start, cb: 128, cr: 128)
        let (y, cb, cr) = (
            decoder.color(luma: start + 1, cb: 128, cr: 128), decoder.color(luma: start, cb: 129, cr: 128),
            decoder.color(luma: start, cb: 128, cr: 129)
        )
        func slope(_ change: Double) -> Int32 { Int32((change * 65535 / 256 * Self.one).rounded()) }
        luma = slope(y.green - grey.green)
        redOfCr = slope(cr.red - grey.red)
        greenOfCb = slope(cb.green - grey.green)
        greenOfCr = slope(cr.green - grey.green)
        blueOfCb = slope(cb.blue - grey.blue)
    }

    /// Converts a row of grey pixels.
    func grey(_ y: UnsafePointer<UInt16>, count: Int, into row: UnsafeMutablePointer<UInt16>) {
        for x in 0..<count { row[x] = Self.level((Int32(y[x]) &- black) &* luma) }
    }

    /// Converts a row of colour pixels to interleaved red, green and blue.
    func rgb(
        _ y: UnsafePointer<UInt16>, _ cb: UnsafePointer<UInt16>, _ cr: UnsafePointer<UInt16>, count: Int,
        into row: UnsafeMutablePointer<UInt16>
    ) {
        guard decoder.matrix != .bt2020ConstantLuminance else { return exact(y, cb, cr, count: count, into: row) }
        for x in 0..<count {
            let light = (Int32(y[x]) &- black) &* luma
            let (blueness, redness) = (Int32(cb[x]) &- Self.neutral, Int32(cr[x]) &- Self.neutral)
            row[3 &* x] = Self.level(light &+ redness &* redOfCr)
            row[3 &* x &+ 1] = Self.level(light &+ blueness &* greenOfCb &+ redness &* greenOfCr)
            row[3 &* x &+ 2] = Self.level(light &+ blueness &* blueOfCb)
        }
    }

    private static func level(_ sum: Int32) -> UInt16 {
        UInt16(truncatingIfNeeded: min(max((sum &+ 4096) &>> 13, 0), 65535))
    }

    private func exact(
        _ y: UnsafePointer<UInt16>, _ cb: UnsafePointer<UInt16>, _ cr: UnsafePointer<UInt16>, count: Int,
        into row: UnsafeMutablePointer<UInt16>
    ) {
        func level(_ part: Double) -> UInt16 { UInt16((65535 * min(max(part, 0), 1)).rounded()) }
        for x in 0..<count {
            let color = decoder.color(luma: Double(y[x]) / 256, cb: Double(cb[x]) / 256, cr: Double(cr[x]) / 256)
            (row[3 * x], row[3 * x + 1], row[3 * x + 2]) = (level(color.red), level(color.green), level(color.blue))
        }
    }
}
