// SPDX-License-Identifier: MIT
// Rows of a picture blended with others, and made lighter or darker.

extension Reference {
    private static func rounded(_ number: Double) -> Int { Int((number + 0.5).rounded(.down)) }

    package static func blendBytes(_ front: [UInt8], _ back: [UInt8], _ alpha: [UInt8]) -> [UInt8] {
        front.indices.map { i in
            let share = Int(alpha[i])
            return UInt8(rounded(Double(Int(front[i]) * share + Int(back[i]) * (255 - share)) / 255))
        }
    }

    /// A sprite and how it is drawn, in 65536ths.
    package struct SpriteRow {
        let samples: [UInt32], stride: Int, opacity: Int
        let start: (x: Int, y: Int), step: (x: Int, y: Int)

        package init(_ samples: [UInt32], stride: Int, opacity: Int, start: (x: Int, y: Int), step: (x: Int, y: Int)) {
            self.samples = samples
            self.stride = stride
            self.opacity = opacity
            self.start = start
            self.step = step
        }

        /// A number of 16 bits of the sprite at a place.
        func number(_ shift: Int, at i: Int) -> Int {
            let place = (x: start.x + i * step.x, y: start.y + i * step.y)
            let fraction = (x: place.x % 65536 / 256, y: place.y % 65536 / 256)
            func between(_ a: Int, _ b: Int, _ fraction: Int) -> Int {
                (a * (256 - fraction) + b * fraction + 128) / 256
            }
            let rows = (0...1).map { row in
                let first = (place.y / 65536 + row) * stride + place.x / 65536
                let pair = samples[first...first + 1].map { Int($0 >> shift & 0xFFFF) }
                return between(pair[0], pair[1], fraction.x)
            }
            return between(rows[0], rows[1], fraction.y)
        }
    }

    package static func drawSprite(_ sprite: SpriteRow, _ mask: [UInt8], _ row: [UInt8]) -> [UInt8] {
        let shares = mask.map { sprite.opacity * (256 - Int($0) - Int($0) / 128) / 256 }
        func drawn(_ shift: Int) -> [UInt8] {
            shares.enumerated().map { i, share in UInt8((sprite.number(shift, at: i) * share + 128) / 256) }
        }
        let numbers = drawn(0), alphas = drawn(16)
        return row.indices.map { i in
            UInt8(clamping: Int(numbers[i]) + rounded(Double(Int(row[i]) * (255 - Int(alphas[i]))) / 255))
        }
    }

    /// The mean of the 2x2 samples at a sample of chroma.
    private static func fours(_ upper: [UInt8], _ lower: [UInt8], _ place: Int) -> Int {
        let four = [upper[2 * place], upper[2 * place + 1], lower[2 * place], lower[2 * place + 1]]
        return rounded(Double(four.reduce(0) { $0 + Int($1) }) / 4)
    }

    package static func pairAlphas(_ upper: [UInt8], _ lower: [UInt8]) -> [UInt8] {
        (0..<upper.count / 2).map { UInt8(fours(upper, lower, $0)) }
    }

    /// Codes from black to white.
    package struct CodeSpan {
        let black: Int, white: Int
        package init(black: Int, white: Int) { (self.black, self.white) = (black, white) }
        var span: Int { white - black }
        var unit: Int { Reference.rounded(4_194_304 / Double(span)) }
        func above(_ code: Int) -> Int { min(max(code - black, 0), span) }
    }

    package static func lightLuma(_ luma: [UInt8], _ light: [UInt8], _ codes: CodeSpan) -> [UInt8] {
        zip(luma, light).map { luma, light in
            let lift = Int(light) - 128, y = codes.above(Int(luma))
            guard lift > 0 else { return UInt8(Int(luma) + rounded(Double(lift * y) / 128)) }
            let curve = rounded(Double(2 * y * (codes.span - y) * codes.unit) / 32768)
            return UInt8(Int(luma) + rounded(Double(lift * curve) / 32768))
        }
    }

    package static func lightChroma(
        _ chroma: [UInt8], upper: [UInt8], lower: [UInt8], _ light: [UInt8], _ codes: CodeSpan
    ) -> [UInt8] {
        chroma.indices.map { i in
            let lift = Int(light[i]) - 128, left = codes.span - codes.above(fours(upper, lower, i))
            let share = lift > 0 ? rounded(Double(lift * left * codes.unit) / 32768) : 128 * lift
            return UInt8(clamping: Int(chroma[i]) + rounded(Double((Int(chroma[i]) - 128) * share) / 16384))
        }
    }
}
