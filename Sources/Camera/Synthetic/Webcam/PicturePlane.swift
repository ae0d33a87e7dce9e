// SPDX-License-Identifier: MIT
// A plane of floats that filters can read a few samples beyond its edges.

/// A plane with a margin, in which `mirror()` repeats the samples in reverse. The pattern of a colour filter array goes
/// on in it as in the plane.
final class PicturePlane {
    /// Samples beyond each edge.
    static let margin = 4
    let width: Int
    let height: Int
    let stride: Int
    private let memory: UnsafeMutablePointer<Float>
    /// The first sample.
    let base: UnsafeMutablePointer<Float>

    init(width: Int, height: Int) {
        precondition(width > Self.margin && height > Self.margin)
        self.width = width
        self.height = height
        stride = width + 2 * Self.margin
        let count = stride * (height + 2 * Self.margin)
        memory = .allocate(capacity: count)
        memory.initialize(repeating: 0, count: count)
        base = memory + Self.margin * stride + Self.margin
    }

    deinit { memory.deallocate() }

    func row(_ y: Int) -> UnsafeMutablePointer<Float> { base + y * stride }

    func copy(_ other: PicturePlane) {
        memory.update(from: other.memory, count: stride * (height + 2 * Self.margin))
    }

    /// Fills the margin.
    func mirror() {
        for y in 0..<height {
            let row = row(y)
            for step in 1...Self.margin {
                row[-step] = row[step]
                row[width - 1 + step] = row[width - 1 - step]
            }
        }
        for step in 1...Self.margin {
            (row(-step) - Self.margin).update(from: row(step) - Self.margin, count: stride)
            (row(height - 1 + step) - Self.margin).update(from: row(height - 1 - step) - Self.margin, count: stride)
        }
    }

    /// Blurs `self` with five weights, the middle one first, by way of `scratch`.
    func blur(_ weights: (Float, Float, Float), _ scratch: PicturePlane) {
        mirror()
        for y in 0..<height {
            let (from, to) = (row(y), scratch.row(y))
            for x in 0..<width {
                to[x] =
                    from[x] * weights.0 + (from[x - 1] + from[x + 1]) * weights.1
                    + (from[x - 2] + from[x + 2]) * weights.2
            }
        }
        scratch.mirror()
        for y in 0..<height {
            let (from, to, one, two) = (scratch.row(y), row(y), stride, 2 * stride)
            for x in 0..<width {
                to[x] =
                    from[x] * weights.0 + (from[x - one] + from[x + one]) * weights.1
                    + (from[x - two] + from[x + two]) * weights.2
            }
        }
    }

    /// The weights of a bell curve of that standard deviation, which sum up to 1.
    static func bell(_ deviation: Double) -> (Float, Float, Float) {
        let (one, two) = (
            SceneMath.decay(0.5 / (deviation * deviation)), SceneMath.decay(min(40, 2 / (deviation * deviation)))
        )
        let sum = 1 + 2 * one + 2 * two
        return (Float(1 / sum), Float(one / sum), Float(two / sum))
    }
}

/// Three planes of one size.
struct PicturePlanes {
    let first, second, third: PicturePlane

    init(width: Int, height: Int) {
        first = PicturePlane(width: width, height: height)
        second = PicturePlane(width: width, height: height)
        third = PicturePlane(width: width, height: height)
    }

    var all: [PicturePlane] { [first, second, third] }
}
