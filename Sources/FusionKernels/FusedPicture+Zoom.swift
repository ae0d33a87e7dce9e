// SPDX-License-Identifier: MIT
// Enlarges a part of a picture to the whole picture's size.

import LivecapFrames

extension FusedPicture {
    /// The same picture, or a zoomed one.
    package func zoomed(_ zoom: DigitalZoom?) -> FusedPicture { zoom.map(enlarged) ?? self }

    /// A picture of the same size that shows the part which `zoom` selects, interpolated by Catmull-Rom cubics: they
    /// keep edges sharp, and reproduce the samples themselves where places coincide.
    private func enlarged(_ zoom: DigitalZoom) -> FusedPicture {
        let result = FusedPicture(format, chroma, colorimetry, kernels: kernels)
        let part = zoom.part
        for (source, target) in zip(planes, result.planes) {
            let across = Taps(source.width, from: part.x, side: part.side)
            let down = Taps(source.height, from: part.y, side: part.side)
            source.resample(into: target, across, down)
        }
        for y in 0..<regionsDown {
            for x in 0..<regionsAcross {
                let from = (
                    x: Int((part.x + part.side * (Double(x) + 0.5) / Double(regionsAcross)) * Double(regionsAcross)),
                    y: Int((part.y + part.side * (Double(y) + 0.5) / Double(regionsDown)) * Double(regionsDown))
                )
                let (column, row) = (min(from.x, regionsAcross - 1), min(from.y, regionsDown - 1))
                result.evidence[y * regionsAcross + x] = evidence[row * regionsAcross + column]
            }
        }
        return result
    }
}

/// For each sample of a line: the four samples of the source that it is made of, and their weights.
private struct Taps {
    private(set) var indexes: [(Int, Int, Int, Int)] = []
    private(set) var weights: [SIMD4<Float>] = []

    /// `count` samples that show the part of a line of `count` from the share `start` on, `side` long.
    init(_ count: Int, from start: Double, side: Double) {
        indexes.reserveCapacity(count)
        weights.reserveCapacity(count)
        for place in 0..<count {
            // Middles of samples lie half a sample after their edges.
            let position = (start + side * (Double(place) + 0.5) / Double(count)) * Double(count) - 0.5
            let first = position.rounded(.down)
            let t = Float(position - first)
            let clamped = { (offset: Int) in min(max(Int(first) + offset, 0), count - 1) }
            indexes.append((clamped(-1), clamped(0), clamped(1), clamped(2)))
            let (square, cube) = (t * t, t * t * t)
            weights.append(
                SIMD4(
                    (-cube + 2 * square - t) / 2, (3 * cube - 5 * square + 2) / 2, (-3 * cube + 4 * square + t) / 2,
                    (cube - square) / 2))
        }
    }
}

extension FusedPicture.Plane {
    /// Fills a plane of the same size with what the taps select.
    fileprivate func resample(into target: FusedPicture.Plane, _ across: Taps, _ down: Taps) {
        var column = [Float](repeating: 0, count: width)
        for y in 0..<height {
            let (rows, weight) = (down.indexes[y], down.weights[y])
            let base = samples.baseAddress!
            let (above, first, second, below) = (
                base + rows.0 * width, base + rows.1 * width, base + rows.2 * width, base + rows.3 * width
            )
            for x in 0..<width {
                let line = SIMD4(Float(above[x]), Float(first[x]), Float(second[x]), Float(below[x]))
                column[x] = (line * weight).sum()
            }
            let line = target.samples.baseAddress! + y * width
            for x in 0..<width {
                let taps = across.indexes[x]
                let values = SIMD4(column[taps.0], column[taps.1], column[taps.2], column[taps.3])
                let value = (values * across.weights[x]).sum()
                line[x] = UInt16(min(max(value, 0), 65535).rounded())
            }
        }
    }
}
