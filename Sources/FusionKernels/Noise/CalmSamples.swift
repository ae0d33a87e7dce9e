// SPDX-License-Identifier: MIT
// Noise told from the quiet places between strokes and blades.

/// Tells how much two squares differ where the first one is calm around a sample: on paper between letters. What sharp edges
/// make of being read between samples, or a part of a sample off, is seldom seen there.
///
/// Which samples count is told from their neighbours alone: their own noise has no say in it. It owns the memory it works in.
final class CalmSamples {
    private static let side = MovedSquare.side
    /// So many of a square's samples count, or a few more that are as calm.
    private static let enough = side * side / 4
    /// For each row of a square how far the samples around each sample are apart.
    private let ranges = Scratch<SIMD16<UInt8>>(side, filledWith: .zero)
    private let counts = Scratch<UInt16>(256, filledWith: 0)

    /// The variance of the calm differences of two squares, and whether that is of clipped samples, which have no noise. Of
    /// the first one's plane two samples around are looked at, too.
    func look(
        _ a: UnsafePointer<UInt8>, _ aStride: Int, _ b: UnsafePointer<UInt8>, _ bStride: Int
    ) -> (variance: Float, areClipped: Bool) {
        let calm = range(ofCalm: a, aStride), most = SIMD16<Int16>(repeating: Int16(calm.range))
        let brightest = SIMD16(repeating: calm.brightest)
        var (sums, squares) = (SIMD16<Int32>.zero, SIMD16<Int32>.zero)
        var (numbers, white) = (SIMD16<Int16>.zero, SIMD16<Int16>.zero)
        for y in 0..<Self.side {
            let own = Self.row(a + y * aStride)
            var difference = own &- Self.row(b + y * bStride)
            let isRough = SIMD16<Int16>(truncatingIfNeeded: ranges.base[y]) .> most
            difference.replace(with: 0, where: isRough)
            numbers.replace(with: numbers &+ 1, where: .!isRough)
            white.replace(with: white &+ 1, where: .!isRough .& own .== brightest)
            let wide = SIMD16<Int32>(truncatingIfNeeded: difference)
            sums &+= wide
            squares &+= wide &* wide
        }
        let (sum, number) = (Float(sums.wrappedSum()), Float(numbers.wrappedSum()))
        return (
            max(0, Float(squares.wrappedSum()) - sum * sum / number) / (number - 1),
            4 * Int(white.wrappedSum()) > Int(numbers.wrappedSum())
        )
    }

    /// Up to which range of what is around them samples count, and the brightest code: of noise few samples have it.
    private func range(
        ofCalm a: UnsafePointer<UInt8>, _ stride: Int
    ) -> (range: Int, brightest: Int16) {
        counts.fill(0)
        var brightest = SIMD16<UInt8>.zero
        for y in 0..<Self.side {
            let row = a + y * stride, own = UnsafeRawPointer(row).loadUnaligned(as: SIMD16<UInt8>.self)
            brightest = pointwiseMax(brightest, own)
            var (least, most) = (SIMD16<UInt8>(repeating: 255), SIMD16<UInt8>.zero)
            for beside in [
                row - 2, row - 1, row + 1, row + 2, row - 2 * stride, row - stride, row + stride, row + 2 * stride,
            ] {
                let samples = UnsafeRawPointer(beside).loadUnaligned(as: SIMD16<UInt8>.self)
                (least, most) = (pointwiseMin(least, samples), pointwiseMax(most, samples))
            }
            let range = most &- least
            ranges.base[y] = range
            for x in 0..<Self.side { counts.base[Int(range[x])] &+= 1 }
        }
        var (range, seen) = (0, Int(counts.base[0]))
        while seen < Self.enough {
            range += 1
            seen += Int(counts.base[range])
        }
        return (range, Int16(brightest.max()))
    }

    private static func row(_ samples: UnsafePointer<UInt8>) -> SIMD16<Int16> {
        SIMD16(truncatingIfNeeded: UnsafeRawPointer(samples).loadUnaligned(as: SIMD16<UInt8>.self))
    }
}
