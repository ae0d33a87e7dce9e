// SPDX-License-Identifier: MIT
// What portrait blur computes with quads: four numbers for each cell of the picture.

extension Reference {
    /// Rows of quads.
    private static func quads(_ numbers: [Float]) -> [SIMD4<Float>] {
        stride(from: 0, to: numbers.count, by: 4).map { SIMD4(numbers[$0..<$0 + 4]) }
    }
    private static func numbers(_ quads: [SIMD4<Float>]) -> [Float] {
        quads.flatMap { [$0[0], $0[1], $0[2], $0[3]] }
    }
    private static func held(_ value: Float, to most: Float) -> Float { value > 0 ? (value < most ? value : most) : 0 }

    package static func gatherQuads(
        _ luma: Grid<UInt8>, _ cb: Grid<UInt8>, _ cr: Grid<UInt8>, count: Int
    ) -> [Float] {
        func mean(_ plane: Grid<UInt8>, _ side: Int, _ cell: Int) -> Float {
            var sum = 0
            for y in 0..<side { for x in 0..<side { sum += Int(plane[side * cell + x, y]) } }
            return Float(sum) / Float(side * side)
        }
        return (0..<count).flatMap { [mean(luma, 4, $0), mean(cb, 2, $0), mean(cr, 2, $0), 0] }
    }

    /// A running sum, because any other way to add the same numbers rounds differently.
    package static func boxAcross(_ row: [Float], radius: Int) -> [Float] {
        let quads = quads(row)
        func quad(_ place: Int) -> SIMD4<Float> { quads[max(0, min(place, quads.count - 1))] }
        var sum = Float(radius + 1) * quads[0]
        for place in 1...radius { sum += quad(place) }
        return numbers(
            quads.indices.map { place in
                let mean = sum * (1 / Float(2 * radius + 1))
                sum += quad(place + radius + 1) - quad(place - radius)
                return mean
            })
    }

    package static func boxDown(
        entering: [Float], leaving: [Float], scale: Float, sum: [Float]
    ) -> (sum: [Float], out: [Float]) {
        (sum.indices.map { sum[$0] + (entering[$0] - leaving[$0]) }, sum.map { $0 * scale })
    }

    package static func guideProducts(_ picture: [Float], _ matte: [Float]) -> [Float] {
        numbers(
            zip(quads(picture), matte).map { quad, m in
                let y = quad[0]
                return SIMD4(y, m, y * m, y * y)
            })
    }

    package static func guideLines(_ means: [Float], floor: Float) -> [Float] {
        numbers(
            quads(means).map { mean in
                let (y, m) = (mean[0], mean[1])
                let slope = (mean[2] - y * m) / ((mean[3] - y * y) + floor)
                return SIMD4(slope, m - slope * y, 0, 0)
            })
    }

    package static func weighBehind(_ picture: [Float], _ lines: [Float]) -> [Float] {
        numbers(
            zip(quads(picture), quads(lines)).map { quad, line in
                let behind = 1 - held(line[0] * quad[0] + line[1], to: 1)
                let weight: Float = behind * behind + 0.001
                return SIMD4(weight, quad[0] * weight, quad[1] * weight, quad[2] * weight)
            })
    }

    package static func divideBehind(_ sums: [Float]) -> [Float] {
        numbers(quads(sums).map { SIMD4($0[1] / $0[0], $0[2] / $0[0], $0[3] / $0[0], 0) })
    }

    package static func steadyMatte(_ fresh: [Float], kept: [Float]) -> [Float] {
        zip(fresh, kept).map { fresh, kept in
            let difference = fresh - kept
            return kept + min(1, 0.25 + 2 * (difference * difference)) * difference
        }
    }

    /// Two rows of elements of `each` numbers, and how far below the upper one the row between them is.
    package struct RowBetween {
        let upper: [Float], lower: [Float], fraction: Float, each: Int

        package init(_ upper: [Float], _ lower: [Float], _ fraction: Float, each: Int) {
            self.upper = upper
            self.lower = lower
            self.fraction = fraction
            self.each = each
        }

        /// One of an element's numbers.
        private func number(_ lane: Int, of element: Int) -> Float {
            let (above, below) = (upper[each * element + lane], lower[each * element + lane])
            return above + (below - above) * fraction
        }

        /// The number at a place, in elements.
        package func number(_ lane: Int, at place: Float) -> Float {
            let last = upper.count / each - 1
            let held = max(0, min(place, Float(last))), first = Int(held)
            let (left, right) = (number(lane, of: first), number(lane, of: min(first + 1, last)))
            return left + (right - left) * (held - Float(first))
        }

        /// The number at a sample, if there are `step` to an element.
        package func number(_ lane: Int, sample: Int, step: Int) -> Float {
            number(lane, at: (Float(sample) + 0.5) / Float(step) - 0.5)
        }
    }

    package static func matteRow(_ luma: [UInt8], _ lines: RowBetween) -> [UInt8] {
        luma.indices.map { x in
            let (slope, lift) = (lines.number(0, sample: x, step: 4), lines.number(1, sample: x, step: 4))
            let k = held(slope * Float(luma[x]) + lift, to: 1)
            let smooth = k * k * (3 - 2 * k)
            return UInt8(smooth * 255 + 0.5)
        }
    }

    package static func enlargeRow(_ quads: RowBetween, lane: Int, step: Int, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(held(quads.number(lane, sample: $0, step: step), to: 255) + 0.5) }
    }

    /// Places are in 65536ths, and must be exact as floats.
    package static func enlargeMatte(_ matte: RowBetween, start: Int, step: Int, count: Int) -> [Float] {
        (0..<count).map { matte.number(0, at: Float(start + $0 * step) / 65536) }
    }

    /// The range of a picture's codes.
    package struct CodeRange {
        let lumaOffset: Float, lumaFactor: Float, chromaFactor: Float
        package init(lumaOffset: Float, lumaFactor: Float, chromaFactor: Float) {
            self.lumaOffset = lumaOffset
            self.lumaFactor = lumaFactor
            self.chromaFactor = chromaFactor
        }
    }

    /// Red, green and blue from 0 to 255 at a place.
    package static func netColor(_ quads: RowBetween, at place: Float, _ range: CodeRange) -> [Float] {
        color((0..<3).map { quads.number($0, at: place) }, range)
    }

    private static func color(_ codes: [Float], _ range: CodeRange) -> [Float] {
        let y = (codes[0] - range.lumaOffset) * range.lumaFactor
        let cb = (codes[1] - 128) * range.chromaFactor, cr = (codes[2] - 128) * range.chromaFactor
        let green = y - 0.344136 * cb - 0.714136 * cr
        return [y + 1.402 * cr, green, y + 1.772 * cb].map { held($0, to: 255) }
    }

    /// A picture of 4:2:0.
    package struct SmallPlanes {
        let luma: Grid<UInt8>, cb: Grid<UInt8>, cr: Grid<UInt8>, width: Int, height: Int

        package init(luma: Grid<UInt8>, cb: Grid<UInt8>, cr: Grid<UInt8>, width: Int, height: Int) {
            self.luma = luma
            self.cb = cb
            self.cr = cr
            self.width = width
            self.height = height
        }

        /// Red, green and blue from 0 to 255 at a place in 65536ths of a sample of luma.
        package func color(_ x: Int, _ y: Int, _ range: CodeRange) -> [Float] {
            func half(_ place: Int) -> Int { (place >> 1) - 16384 }
            let codes = [
                between(luma, x, y, shared: 1), between(cb, half(x), half(y), shared: 2),
                between(cr, half(x), half(y), shared: 2),
            ]
            return Reference.color(codes, range)
        }

        /// `shared`: how many samples of luma share one of the plane, in each direction.
        private func between(_ plane: Grid<UInt8>, _ x: Int, _ y: Int, shared: Int) -> Float {
            let width = width / shared, height = height / shared
            let column = max(0, min(x, 65536 * (width - 1))), row = max(0, min(y, 65536 * (height - 1)))
            func down(_ x: Int) -> Float {
                let above = Float(plane[x, row / 65536]), below = Float(plane[x, min(row / 65536 + 1, height - 1)])
                return above + (below - above) * (Float(row % 65536) / 65536)
            }
            let left = down(column / 65536), right = down(min(column / 65536 + 1, width - 1))
            return left + (right - left) * (Float(column % 65536) / 65536)
        }
    }
}
