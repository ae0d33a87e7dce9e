// SPDX-License-Identifier: MIT
// Small pictures with alpha, painted from shapes.

/// A place in a painting: (0, 0) is its middle, x grows to the right and y downwards.
typealias Place = SIMD2<Float>

/// R'G'B' and alpha from 0 to 1; R'G'B' is multiplied by alpha.
typealias Paint = SIMD4<Float>

extension Paint {
    /// A colour such as 0xFF8000, as far as `alpha` covers.
    init(_ code: UInt32, alpha: Float = 1) {
        let channels = Paint(Float(code >> 16 & 255), Float(code >> 8 & 255), Float(code & 255), 255)
        self = channels * (alpha / 255)
    }

    /// This, mixed with another: 0 is this, 1 the other.
    func mixed(with other: Paint, _ share: Float) -> Paint {
        self + (other - self) * Swift.min(Swift.max(share, 0), 1)
    }

    /// This, with another over it.
    func under(_ other: Paint) -> Paint { other + self * (1 - other.w) }
}

/// A picture with alpha, in memory. Shapes are painted one over another.
struct Painting {
    let width: Int
    let height: Int
    /// Samples for 1.
    private let scale: Float
    private(set) var paints: [Paint]

    /// Nothing, from `-halfWidth` to `halfWidth` and `-halfHeight` to `halfHeight`, in `scale` samples for 1.
    init(halfWidth: Float, halfHeight: Float, scale: Float) {
        width = max(2, Int((2 * halfWidth * scale).rounded(.up)))
        height = max(2, Int((2 * halfHeight * scale).rounded(.up)))
        self.scale = scale
        paints = Array(repeating: .zero, count: width * height)
    }

    private init(width: Int, height: Int, paints: [Paint]) {
        self.width = width
        self.height = height
        scale = 1
        self.paints = paints
    }

    /// Paints a shape: where the distance to its edge is negative. The edge is `softness` wide to both sides, or as
    /// sharp as samples allow, whichever is wider.
    mutating func fill(softness: Float = 0, _ distance: (Place) -> Float, with colour: (Place) -> Paint) {
        let soft = max(softness, 0.5 / scale)
        for y in 0..<height {
            for x in 0..<width {
                let place = Place(Float(2 * x - width + 1), Float(2 * y - height + 1)) * (0.5 / scale)
                var share = (soft - distance(place)) / (2 * soft)
                if share <= 0 { continue }
                if softness > 0 {
                    share = min(share, 1)
                    share *= share * (3 - 2 * share)
                }
                paint(colour(place) * min(share, 1), at: y * width + x)
            }
        }
    }

    /// Paints everywhere, with a colour for each place.
    mutating func cover(_ colour: (Place) -> Paint) { fill({ _ in -Float.greatestFiniteMagnitude }, with: colour) }

    private mutating func paint(_ colour: Paint, at index: Int) {
        paints[index] = colour + paints[index] * (1 - colour.w)
    }

    /// The same at half the width and height. What is left over counts as transparent.
    var halved: Painting {
        let halves = (width: (width + 1) / 2, height: (height + 1) / 2)
        var means: [Paint] = []
        means.reserveCapacity(halves.width * halves.height)
        for y in 0..<halves.height {
            for x in 0..<halves.width {
                let upper = at(2 * x, 2 * y) + at(2 * x + 1, 2 * y)
                means.append((upper + at(2 * x, 2 * y + 1) + at(2 * x + 1, 2 * y + 1)) / 4)
            }
        }
        return Painting(width: halves.width, height: halves.height, paints: means)
    }

    /// Nothing beyond the edges.
    private func at(_ x: Int, _ y: Int) -> Paint { x < width && y < height ? paints[y * width + x] : .zero }
}
