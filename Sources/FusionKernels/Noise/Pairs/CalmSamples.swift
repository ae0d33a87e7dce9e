// SPDX-License-Identifier: MIT
// Measures noise at the calm places between strokes and blades.

/// Measures how much two squares differ at the calm samples of the first one, those whose surroundings span a small
/// range, such as paper between letters. Sharp edges that are interpolated, or misaligned by a fraction of a sample,
/// seldom affect such samples.
///
/// Which samples count is decided by their neighbours alone, so that their own noise has no influence. It owns its
/// working memory.
final class CalmSamples {
    private static let side = MovedSquare.side
    /// At least a quarter of a square's samples count; ties add a few more.
    private static let enough = side * side / 4
    /// For each row of a square, the range (maximum minus minimum) of the eight samples around each sample.
    private let ranges = Scratch<SIMD16<UInt8>>(side, filledWith: .zero)
    /// How many samples have each range.
    private let counts = Scratch<UInt16>(256, filledWith: 0)

    /// The variance, in squared codes, of the differences between two squares at the calm samples; and whether more
    /// than a quarter of those are clipped, and so have no noise. Reads two more samples around the first square.
    func look(_ a: SampleBlock, _ b: SampleBlock) -> (variance: Float, areClipped: Bool) {
        let calm = range(ofCalm: a), most = SIMD16<Int16>(repeating: Int16(calm.range))
        let brightest = SIMD16(repeating: calm.brightest)
        var (sums, squares) = (SIMD16<Int32>.zero, SIMD16<Int32>.zero)
        var (numbers, white) = (SIMD16<Int16>.zero, SIMD16<Int16>.zero)
        for y in 0..<Self.side {
            let own = Self.row(a.from(x: 0, y: y).samples)
            var difference = own &- Self.row(b.from(x: 0, y: y).samples)
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

    /// The largest range of surrounding samples that counts as calm; and the brightest code, which few samples have
    /// if it is due to noise.
    private func range(ofCalm a: SampleBlock) -> (range: Int, brightest: Int16) {
        let stride = a.stride
        counts.fill(0)
        var brightest = SIMD16<UInt8>.zero
        for y in 0..<Self.side {
            let row = a.samples + y * stride, own = UnsafeRawPointer(row).loadUnaligned(as: SIMD16<UInt8>.self)
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
