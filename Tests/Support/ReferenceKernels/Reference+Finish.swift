// SPDX-License-Identifier: MIT
// Corrects what noise did to the mean.

extension Reference {
    /// What to add to a channel whose white is 1. Here and below, the order of operations is the kernels', because
    /// floats round differently in any other order.
    private static func lift(_ table: [Float], _ value: Float) -> Float {
        table[Int(max(0, min((value + 1 / 16) * (1024 / 1.125), 1023)))]
    }

    private static func word(_ value: Float) -> UInt16 { UInt16((max(0, min(value, 65535)) + 0.5).rounded(.down)) }

    package static func liftGrey(_ luma: [UInt16], table: [Float], black: Float, span: Float) -> [UInt16] {
        luma.map { word(Float($0) + span * lift(table, (Float($0) - black) * (1 / span))) }
    }

    /// How samples map to colours.
    package struct Colors {
        let black: Float, lumaSpan: Float, chromaSpan: Float, red: Float, blue: Float
        package init(_ numbers: [Float]) {
            (black, lumaSpan, chromaSpan) = (numbers[0], numbers[1], numbers[2])
            (red, blue) = (numbers[3], numbers[4])
        }
    }

    /// Two rows of brightness, and their chroma.
    package struct Rows {
        package var upper: [UInt16], lower: [UInt16]
        package var cb: [UInt16], cr: [UInt16], lowerCb: [UInt16], lowerCr: [UInt16]
        package init(
            upper: [UInt16], lower: [UInt16], cb: [UInt16], cr: [UInt16], lowerCb: [UInt16], lowerCr: [UInt16]
        ) {
            (self.upper, self.lower) = (upper, lower)
            (self.cb, self.cr, self.lowerCb, self.lowerCr) = (cb, cr, lowerCb, lowerCr)
        }
    }

    package static func liftColors(_ rows: Rows, table: [Float], _ colors: Colors) -> Rows {
        var out = rows
        let (red, blue) = (colors.red, colors.blue), green = 1 - red - blue
        let (redOfCr, blueOfCb) = (2 * (1 - red), 2 * (1 - blue))
        for i in rows.cb.indices {
            let four = [rows.upper[2 * i], rows.upper[2 * i + 1], rows.lower[2 * i], rows.lower[2 * i + 1]]
            let y = (Float(four.map { Int($0) }.reduce(0, +)) - 4 * colors.black) * (0.25 / colors.lumaSpan)
            func mean(_ upper: UInt16, _ lower: UInt16) -> Float {
                Float(Int(upper) + Int(lower) - 65536) * (0.5 / colors.chromaSpan)
            }
            let (u, v) = (mean(rows.cb[i], rows.lowerCb[i]), mean(rows.cr[i], rows.lowerCr[i]))
            let (r, b) = (lift(table, y + redOfCr * v), lift(table, y + blueOfCb * u))
            let g = lift(table, y - red * redOfCr / green * v - blue * blueOfCb / green * u)
            let whole = red * r + green * g + blue * b
            func raised(_ sample: UInt16, _ lift: Float) -> UInt16 {
                UInt16(clamping: Int(sample) + Int((lift + 32768.5).rounded(.down)) - 32768)
            }
            for x in 2 * i...2 * i + 1 {
                out.upper[x] = raised(rows.upper[x], whole * colors.lumaSpan)
                out.lower[x] = raised(rows.lower[x], whole * colors.lumaSpan)
            }
            let toCb = (b - whole) * (colors.chromaSpan / blueOfCb), toCr = (r - whole) * (colors.chromaSpan / redOfCr)
            (out.cb[i], out.lowerCb[i]) = (raised(rows.cb[i], toCb), raised(rows.lowerCb[i], toCb))
            (out.cr[i], out.lowerCr[i]) = (raised(rows.cr[i], toCr), raised(rows.lowerCr[i], toCr))
        }
        return out
    }
}
