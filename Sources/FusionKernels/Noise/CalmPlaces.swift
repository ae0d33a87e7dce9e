// SPDX-License-Identifier: MIT
// Tells print from noise by the paper between the letters.

/// Compares samples with their neighbours, those by themselves that lie in calm places: where the samples around are as far
/// apart as noise makes them, and no letter is near. Noise is alike in both, print is not.
///
/// Which places are calm is told from the neighbours alone: a sample's own noise has no say in it. It owns the memory it
/// works in.
final class CalmPlaces {
    /// One in so many samples is calm, or a few more that are as calm.
    private static let samplesForOneCalm = 8
    private static let levels = 256
    /// For each range of what is around samples how many have it, and the sum of 16 times their squared distances from the
    /// mean of the four beside them.
    private let counts = Scratch<Int>(CalmPlaces.levels, filledWith: 0)
    private let squares = Scratch<Int>(CalmPlaces.levels, filledWith: 0)

    /// Forgets all samples.
    func clear() {
        counts.fill(0)
        squares.fill(0)
    }

    /// Looks at 8x8 samples of a plane, and at two more on all sides.
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

    /// The variance of white noise that would make samples differ as much as they do: all of them, and the calm ones.
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

    /// The mean of four neighbours has a quarter of their noise.
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
