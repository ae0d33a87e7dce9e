// SPDX-License-Identifier: MIT
// Separates print from noise in one frame by the paper between the letters.

/// Compares each sample with the mean of its four neighbours, and collects the samples in calm places separately: a
/// place is calm when the samples around it span a small range, as on paper with no letter near. Noise is equally
/// strong in both sets; print is not.
///
/// Whether a place is calm is decided by its neighbours alone, so that a sample's own noise has no influence. It owns
/// its working memory.
final class CalmPlaces {
    /// At least one in eight samples counts as calm; ties add a few more.
    private static let samplesForOneCalm = 8
    private static let levels = 256
    /// For each range of the surrounding samples, in codes: the number of samples, and the sum of 16 times the
    /// squared difference between a sample and the mean of the four beside it.
    private let counts = Scratch<Int>(CalmPlaces.levels, filledWith: 0)
    private let squares = Scratch<Int>(CalmPlaces.levels, filledWith: 0)

    /// Discards all samples.
    func clear() {
        counts.fill(0)
        squares.fill(0)
    }

    /// Adds 8x8 samples of a plane. Reads two more samples on every side.
    func add(_ samples: UnsafePointer<UInt8>, _ stride: Int) {
        for y in 0..<8 {
            let row = samples + y * stride
            let beside = (Self.eight(row - 1), Self.eight(row + 1), Self.eight(row - stride), Self.eight(row + stride))
            let far = (
                Self.eight(row - 2), Self.eight(row + 2), Self.eight(row - 2 * stride), Self.eight(row + 2 * stride)
            )
            let least = pointwiseMin(Self.least(beside), Self.least(far))
            let range = pointwiseMax(Self.most(beside), Self.most(far)) &- least
            let around = Self.wide(beside.0) &+ Self.wide(beside.1) &+ Self.wide(beside.2) &+ Self.wide(beside.3)
            let distance = SIMD8<Int32>(truncatingIfNeeded: Self.wide(Self.eight(row)) &* 4 &- around)
            let square = distance &* distance
            for x in 0..<8 {
                counts[Int(range[x])] &+= 1
                squares[Int(range[x])] &+= Int(square[x])
            }
        }
    }

    /// The variance of white noise, in squared codes, that would explain the differences: of all samples, and of the
    /// calm ones.
    var variances: (all: Float, calm: Float) {
        var (count, square, total) = (0, 0, 0)
        for range in 0..<Self.levels { total += counts[range] }
        var calm: Float?
        for range in 0..<Self.levels {
            count += counts[range]
            square += squares[range]
            if calm == nil && Self.samplesForOneCalm * count >= total { calm = Self.variance(square, count) }
        }
        return (Self.variance(square, count), calm ?? 0)
    }

    /// The mean of four neighbours has a quarter of their noise, so the expected square is 16 * (1 + 1/4) = 20
    /// variances.
    private static func variance(_ square: Int, _ count: Int) -> Float { Float(square) / (20 * Float(max(1, count))) }

    private typealias Four = (SIMD8<UInt8>, SIMD8<UInt8>, SIMD8<UInt8>, SIMD8<UInt8>)

    @inline(__always)
    private static func least(_ all: Four) -> SIMD8<UInt8> {
        pointwiseMin(pointwiseMin(all.0, all.1), pointwiseMin(all.2, all.3))
    }

    @inline(__always)
    private static func most(_ all: Four) -> SIMD8<UInt8> {
        pointwiseMax(pointwiseMax(all.0, all.1), pointwiseMax(all.2, all.3))
    }

    @inline(__always)
    private static func eight(_ samples: UnsafePointer<UInt8>) -> SIMD8<UInt8> {
        UnsafeRawPointer(samples).loadUnaligned(as: SIMD8<UInt8>.self)
    }

    @inline(__always)
    private static func wide(_ samples: SIMD8<UInt8>) -> SIMD8<Int16> { SIMD8(truncatingIfNeeded: samples) }
}
