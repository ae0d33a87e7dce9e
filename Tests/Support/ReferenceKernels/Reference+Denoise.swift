// SPDX-License-Identifier: MIT
// Denoises overlapping blocks by their cosine coefficients.

extension Reference {
    private static func mirrored(_ place: Int, _ count: Int) -> Int {
        place < 0 ? -1 - place : place >= count ? 2 * count - 1 - place : place
    }

    package static func denoiseStrip(_ plane: Grid<Int16>, width: Int, height: Int, top: Int) -> [Float] {
        (-4..<width + 8).flatMap { x in
            cosineForward((top..<top + 8).map { Float(plane[mirrored(x, width), mirrored($0, height)]) })
        }
    }

    /// The kernels' step for a variance: eight per octave, starting at 1/256.
    private static func step(_ variance: Float) -> Int {
        let held = min(max(variance, 1 / 256), Float(1024).nextDown)
        return Int(held.exponent + 8) * 8 + Int(held.significand * 8) - 8
    }

    /// The noise of a block, as in `fusion_block`.
    package struct Level {
        let table: Int, scale: Int, bias: Int16

        init(_ variance: Float, _ spectrum: UInt8, _ bias: Float) {
            let step = step(variance)
            (table, scale) = (16 * Int(spectrum) + step % 16, 8 - step / 16)
            self.bias = Int16((min(max(bias, -64), 64) * 128).rounded(.towardZero))
        }

        package init(_ word: UInt32) {
            (table, scale) = (Int(word & 255), Int(word >> 8 & 255))
            bias = Int16(truncatingIfNeeded: word >> 16)
        }

        package var word: UInt32 {
            UInt32(table) | UInt32(scale) << 8 | UInt32(UInt16(bitPattern: bias)) << 16
        }
    }

    /// The noise in two rows of tiles.
    package struct Tiles {
        let upper: [Float], lower: [Float], spectrum: [UInt8]
        /// Empty if the biases are unknown.
        let upperBias: [Float], lowerBias: [Float]
        package init(upper: [Float], lower: [Float], spectrum: [UInt8], upperBias: [Float], lowerBias: [Float]) {
            (self.upper, self.lower, self.spectrum) = (upper, lower, spectrum)
            (self.upperBias, self.lowerBias) = (upperBias, lowerBias)
        }
    }

    package static func denoiseLevels(_ tiles: Tiles, first: Int, blocks: Int) -> [Level] {
        let last = tiles.upper.count - 1
        return stride(from: first, to: blocks, by: 2).map { block in
            let left = min(max(block - 1, 0) / 2, last), middle = min(block / 2, last)
            func mean(_ upper: [Float], _ lower: [Float]) -> Float {
                0.25 * ((upper[left] + upper[middle]) + (lower[left] + lower[middle]))
            }
            return Level(
                mean(tiles.upper, tiles.lower), tiles.spectrum[middle],
                tiles.upperBias.isEmpty ? 0 : mean(tiles.upperBias, tiles.lowerBias))
        }
    }

    /// Transforms eight rows of samples to coefficients: eight vertical frequencies for each horizontal one.
    private static func coefficients(_ samples: [Int16]) -> [Int16] {
        eachRow(turned(scaled(eachRow(samples, shortsForward)) { 4096 / $0 }), shortsForward)
    }

    /// Multiplies each vertical frequency by a function of its factor in the transform's scale, which evens out that
    /// scale, or restores it.
    private static func scaled(_ block: [Int16], _ scale: (Double) -> Double) -> [Int16] {
        block.enumerated().map { place, number in
            product(number, Int16(scale(cosineScale(place / 8)).rounded()))
        }
    }

    private static func powers(_ block: [Int16], _ level: Level, _ tables: [Int16], most: Int16) -> [UInt16] {
        block.indices.map { i in
            let size = min(max(block[i], 0 &- block[i]), 32767 >> level.scale) << level.scale
            let measured = min(product(size, tables[64 * level.table + i]), most)
            return UInt16(truncatingIfNeeded: Int(measured) * Int(measured))
        }
    }

    /// Codes times 64, converted to sixteenths of a code relative to 128.
    package static func centred(_ sample: Int16) -> Int16 { product(min(sample, 16383) - 8192, 8192) }
    /// The same from codes.
    package static func centred(_ sample: UInt8) -> Int16 { Int16(sample) * 16 - 2048 }

    /// Each cell has 65 numbers: 64 powers and the count.
    package static func denoiseActivity(
        _ samples: (Int, Int) -> Int16, tiles: Int, variance: [Float], spectrum: [UInt8], tables: [Int16],
        cells: [UInt16]
    ) -> [UInt16] {
        var cells = cells
        for tile in 0..<tiles {
            let block = coefficients((0..<64).map { samples(8 * tile + $0 % 8, $0 / 8) }), at = 65 * (tile / 4)
            let found = powers(block, Level(variance[tile], spectrum[tile], 0), tables, most: 16)
            for i in 0..<64 { cells[at + i] &+= found[i] }
            cells[at + 64] += 1
        }
        return cells
    }

    /// The thresholds of the coefficients, and the shares of them to keep: 64 numbers each per cell.
    package static func denoiseGains(
        above: [UInt16], here: [UInt16], below: [UInt16], cells: Int
    ) -> (thresholds: [UInt32], floors: [Int16]) {
        let weights = gatherBlock([0] + [Float](repeating: 1, count: 63))
        var (thresholds, floors): ([UInt32], [Int16]) = ([], [])
        for cell in 0..<cells {
            let columns = [max(cell - 1, 0), cell, min(cell + 1, cells - 1)]
            var sums = [Int](repeating: 0, count: 65)
            for (column, weight) in zip(columns, [1, 2, 1]) {
                for i in 0...64 {
                    let at = 65 * column + i
                    sums[i] += (Int(above[at]) + Int(here[at]) * 2 + Int(below[at])) * weight
                }
            }
            let scale = 1 / ((0.93 * 64) * (Float(sums[64]) + 1e-6))
            let excess = gatherBlock([0] + sums[1..<64].map { Float($0 % 65536) })
            let ratios = (0..<64).map { max(excess[$0] * scale * (1 / weights[$0]), 0.5) }
            thresholds += [0x4800_0000]
            thresholds += (1..<64).map { i in
                let weight = weights[i] * (i % 8 == 7 ? 2.0 / 3 : 1) * 131072
                return (min(3.6 / (ratios[i] * ratios[i]), 3.5) * weight).bitPattern &+ 0x3f77_5000
            }
            floors += [32767] + ratios[1...].map { Int16(min(max(($0 - 1) * 0.5, 0.02), 0.7) * 32768) }
        }
        return (thresholds, floors)
    }

    /// Means of each power and its neighbours.
    private static func gathered(_ powers: [UInt16]) -> [UInt16] {
        func at(_ place: Int, _ within: [UInt16]) -> UInt16 { within.indices.contains(place) ? within[place] : 0 }
        let across = eachRow(powers) { row in
            let pairs = (0...8).map { mean(at($0 - 1, row), at($0, row)) }
            return (0..<8).map { mean(pairs[$0], pairs[$0 + 1]) }
        }
        return turned(
            eachRow(turned(across)) { column in
                let pairs = (0..<8).map { mean(column[$0], at($0 - 1, column)) }
                return (0..<8).map { mean(pairs[$0], at($0 + 1, pairs)) }
            })
    }

    /// What determines the gains of blocks.
    package struct BlockGains {
        let tables: [Int16], thresholds: [UInt32], floors: [Int16]
        package init(tables: [Int16], thresholds: [UInt32], floors: [Int16]) {
            (self.tables, self.thresholds, self.floors) = (tables, thresholds, floors)
        }

        func shrunk(_ block: [Int16], _ level: Level, cell: Int) -> [Int16] {
            let power = Reference.gathered(Reference.powers(block, level, tables, most: 255))
            return block.indices.map { i in
                let bits = thresholds[64 * cell + i] &- Float(power[i]).bitPattern
                let loss = Reference.held(Int(Float(bitPattern: bits)))
                let kept = max(Reference.held(32767 - Int(loss)), floors[64 * cell + i])
                return Reference.product(block[i], kept) &- (i == 0 ? level.bias : 0)
            }
        }
    }

    /// The weight of a sample in its block, where it shares the sample with another block half a block away.
    private static func weight(_ x: Int, _ y: Int) -> Int16 {
        let window: [Double] = [0.30795132, 0.43726090, 0.56273910, 0.69204868]
        func at(_ x: Int, _ y: Int) -> Double { window[min(y % 8, 7 - y % 8)] * window[min(x % 8, 7 - x % 8)] }
        return Int16((at(x, y) / (at(x, y) + at(x + 4, y + 4)) * 32768).rounded())
    }

    /// The finished rows, and what is carried over to the next strip.
    package static func denoiseBlocks(
        _ samples: (Int, Int) -> Int16, width: Int, height: Int, top: Int, first: Int, levels: [Level],
        _ gains: BlockGains, cells: Int, carried: [Int16], rows: Int
    ) -> (finished: [[UInt16]], carry: [Int16]) {
        var carry = carried
        var finished = [[UInt16]](repeating: Array(repeating: 0, count: width), count: rows)
        for (block, level) in levels.enumerated() {
            let left = 8 * block + 4 * first - 4
            let noisy = (0..<64).map {
                samples(mirrored(min(left + $0 % 8, 2 * width - 1), width), mirrored(top + $0 / 8, height))
            }
            let kept = gains.shrunk(coefficients(noisy), level, cell: min(block / 4, cells - 1))
            let clean = eachRow(scaled(turned(eachRow(kept, shortsInverse))) { 16384 * $0 }, shortsInverse)
            for x in max(left, 0)..<min(left + 8, width) {
                let column = (0..<8).map { product(clean[8 * $0 + x - left], weight(x - left, $0)) }
                for y in 0..<4 {
                    let sum = held(Int(carried[y * width + x]) + Int(column[y]))
                    if y < rows { finished[y][x] = UInt16(Int(min(max(sum, -8192), 8128)) + 8192) << 2 }
                    carry[y * width + x] = column[y + 4]
                }
            }
        }
        return (finished, carry)
    }
}
