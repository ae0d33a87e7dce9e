// SPDX-License-Identifier: MIT
// Denoising by the cosine coefficients of overlapping blocks.

extension Reference {
    private static let window: [Float] = [0.30795132, 0.43726090, 0.56273910, 0.69204868]
    private static func window(_ place: Int) -> Float { window[min(place % 8, 7 - place % 8)] }
    /// The share of a block's sample where another block lies half a block off, in the scale of both transforms.
    private static func weight(_ x: Int, _ y: Int) -> Float {
        let here = window(y) * window(x), there = window(y + 4) * window(x + 4)
        return here / (here + there) * (1 / 64)
    }

    package static func denoiseStrip(_ plane: Grid<Int16>, width: Int, height: Int, top: Int) -> [Float] {
        func mirrored(_ place: Int, _ count: Int) -> Int {
            place < 0 ? -1 - place : place >= count ? 2 * count - 1 - place : place
        }
        return (-4..<width + 8).flatMap { x in
            cosineForward((top..<top + 8).map { Float(plane[mirrored(x, width), mirrored($0, height)]) })
        }
    }

    package static func denoiseStripBytes(_ plane: Grid<UInt8>, width: Int, height: Int, top: Int) -> [Float] {
        let shorts = Grid(plane.samples.map { Int16($0) * 64 }, origin: plane.origin, stride: plane.stride)
        return denoiseStrip(shorts, width: width, height: height, top: top)
    }

    /// The block of eight columns from `column` of a strip, transformed across.
    private static func block(_ strip: [Float], _ column: Int) -> [Float] {
        eachRow(Array(strip[8 * column..<8 * column + 64]), cosineForward)
    }

    private static func precision(_ variance: Float) -> Float { 1 / (variance + 1e-6) }

    /// Cells are 65 numbers each: 64 powers and the count.
    package static func denoiseActivity(
        _ strip: [Float], tiles: Int, variance: [Float], spectra: [Float], spectrum: [UInt8], cells: [Float]
    ) -> [Float] {
        var cells = cells
        for tile in 0..<tiles {
            let coefficients = block(strip, 4 + 8 * tile), at = 65 * (tile / 4)
            for i in 0..<64 {
                let whiten = spectra[64 * Int(spectrum[tile]) + i] * precision(variance[tile])
                cells[at + i] += min(coefficients[i] * coefficients[i] * whiten, 4)
            }
            cells[at + 64] += 1
        }
        return cells
    }

    /// Gains are 128 numbers a cell: 64 thresholds and 64 floors.
    package static func denoiseGains(above: [Float], here: [Float], below: [Float], cells: Int) -> [Float] {
        let weights = gatherBlock([0] + [Float](repeating: 1, count: 63))
        return (0..<cells).flatMap { cell -> [Float] in
            let columns = [max(cell - 1, 0), cell, min(cell + 1, cells - 1)]
            var sums = [Float](repeating: 0, count: 64) + [1e-6]
            for (column, weight) in zip(columns, [1, 2, 1] as [Float]) {
                for i in 0...64 {
                    let at = 65 * column + i
                    sums[i] += (above[at] + here[at] * 2 + below[at]) * weight
                }
            }
            let scale = 1 / (0.93 * sums[64])
            let excess = gatherBlock([0] + sums[1..<64])
            let ratios = (0..<64).map { max(excess[$0] * scale / weights[$0], 0.5) }
            let thresholds = (0..<64).map { min(3.6 / (ratios[$0] * ratios[$0]), 3.5) * weights[$0] }
            let floors = ratios.map { min(max(($0 - 1) * 0.5, 0.02), 0.7) }
            return [0] + thresholds[1...] + [1] + floors[1...]
        }
    }

    /// What the tiles of a strip are denoised with.
    package struct Noise {
        let upper: [Float], lower: [Float], spectra: [Float], spectrum: [UInt8], gains: [Float]
        /// Empty where biases are not known.
        let upperBias: [Float], lowerBias: [Float]
        package init(
            upper: [Float], lower: [Float], spectra: [Float], spectrum: [UInt8], gains: [Float], upperBias: [Float],
            lowerBias: [Float]
        ) {
            (self.upper, self.lower, self.spectra) = (upper, lower, spectra)
            (self.spectrum, self.gains) = (spectrum, gains)
            (self.upperBias, self.lowerBias) = (upperBias, lowerBias)
        }
    }

    package static func denoiseShrink(
        _ strip: [Float], first: Int, blocks: Int, _ noise: Noise, shrunk: [Float]
    ) -> [Float] {
        let tiles = noise.upper.count, cells = noise.gains.count / 128
        var shrunk = shrunk
        for number in stride(from: first, to: blocks, by: 2) {
            let left = min(max(number - 1, 0) / 2, tiles - 1), middle = min(number / 2, tiles - 1)
            let variance =
                0.25 * ((noise.upper[left] + noise.upper[middle]) + (noise.lower[left] + noise.lower[middle]))
            let spectrum = 64 * Int(noise.spectrum[middle]), gain = 128 * min(number / 8, cells - 1)
            var coefficients = block(strip, 4 * number)
            let powers = gatherBlock(
                (0..<64).map {
                    coefficients[$0] * coefficients[$0] * (noise.spectra[spectrum + $0] * precision(variance))
                })
            for i in 0..<64 {
                let reciprocal = Float(bitPattern: 0x7ef0_0000 &- powers[i].bitPattern)
                coefficients[i] *= max(1 - noise.gains[gain + i] * reciprocal, noise.gains[gain + 64 + i])
            }
            if !noise.upperBias.isEmpty {
                let (upper, lower) = (noise.upperBias, noise.lowerBias)
                coefficients[0] += ((upper[left] + upper[middle]) + (lower[left] + lower[middle])) * -1024
            }
            shrunk.replaceSubrange(32 * number..<32 * number + 64, with: eachRow(coefficients, cosineInverse))
        }
        return shrunk
    }

    /// The finished rows, and what is carried to the next.
    package static func denoiseUnstrip(
        _ shrunk: [Float], first: Int, width: Int, carried: [Float], rows: Int
    ) -> (finished: [[UInt16]], carry: [Float]) {
        let columns = (0..<width).map { x in
            let samples = cosineInverse(Array(shrunk[8 * (x + 4)..<8 * (x + 5)]))
            return samples.indices.map { samples[$0] * weight(x + 4 + 4 * first, $0) }
        }
        let finished = (0..<rows).map { y in
            (0..<width).map { x in UInt16(min(max((carried[y * width + x] + columns[x][y]) * 4 + 0.5, 0), 255 * 256)) }
        }
        return (finished, (4..<8).flatMap { y in (0..<width).map { columns[$0][y] } })
    }
}
