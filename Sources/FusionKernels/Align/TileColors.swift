// SPDX-License-Identifier: MIT
// Whether something that seems to have moved has the colour of where it seems to have come from.

/// Compares the mean colours of tiles. The edge of a shadow moves across objects that stand still: it takes
/// brightness along and finds a match elsewhere, but the colours of the objects stay behind.
struct TileColors: Sendable {
    /// The threshold that noise alone exceeds in one tile in a hundred: the sum of two squared differences (Cb and
    /// Cr), each relative to its variance.
    private static let limit: Float = 9
    /// The minimum variance of a tile's mean, in squared codes, for rounding and interpolation.
    private static let leastVariance: Float = 0.05
    let reference: FusionFrame
    let other: FusionFrame
    /// The noise of each plane.
    let noise: [NoiseModel]

    /// Whether the 16x16 pixels around a cell have the same colour as those at a motion of (`dx`, `dy`) pixels, as
    /// far as noise allows to decide. Frames without colour always agree, as does anything that has left the picture.
    func agree(x: Int, y: Int, dx: Float, dy: Float, brightness: Float) -> Bool {
        let step = reference.chroma == .quads ? 2 : 1
        let (left, top, rows) = (4 * x - 2, (8 * y - 4) / step, 16 / step)
        let (across, down) = (Float(left) + dx / 2, Float(top) + dy / Float(step)), count = Float(8 * rows)
        var off: Float = 0
        for place in 1..<max(1, reference.planes.count) {
            let (own, theirs, model) = (reference.planes[place], other.planes[place], noise[place])
            // The margins hold more than half a tile.
            guard across > -24, down > -24, across < Float(theirs.width + 12), down < Float(theirs.height + 8) else {
                return true
            }
            let (u, v) = (Int(across.rounded(.down)), Int(down.rounded(.down)))
            let (right, lower) = (across - Float(u), down - Float(v))
            let sum = own.columns(left, top..<top + rows)
            // The mean at a fraction across is interpolated between the means of adjacent positions. Down, those
            // differ only by the first and last rows.
            let (here, beside) = (theirs.columns(u, v..<v + rows), theirs.columns(u + 1, v..<v + rows))
            let (first, last) = (theirs.columns(u, v..<v + 1), theirs.columns(u, v + rows..<v + rows + 1))
            let moved =
                Float(here.wrappedSum()) * (1 - right) + Float(beside.wrappedSum()) * right
                + (Float(last.wrappedSum()) - Float(first.wrappedSum())) * lower
            let difference = (Float(sum.wrappedSum()) - moved) / count
            // Both means contain noise. In a mean, only the noise of the lowest frequency remains.
            let expected = 2 * model.variance(at: brightness) * model.spectrum[0] / count
            off += difference * difference / (expected + Self.leastVariance)
        }
        return off < Self.limit
    }
}

extension SamplePlane {
    /// The sums of eight columns, starting at `x`, over at most 16 rows.
    @inline(__always)
    fileprivate func columns(_ x: Int, _ rows: Range<Int>) -> SIMD8<UInt16> {
        var sums = SIMD8<UInt16>.zero
        for y in rows {
            let samples = UnsafeRawPointer(row(y) + x).loadUnaligned(as: SIMD8<UInt8>.self)
            sums &+= SIMD8<UInt16>(truncatingIfNeeded: samples)
        }
        return sums
    }
}
