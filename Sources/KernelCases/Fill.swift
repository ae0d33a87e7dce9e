// SPDX-License-Identifier: MIT
// What buffers hold: extremes before all, because that is where kernels break.

import SeededRandom

/// How a buffer is filled, within the range its operand allows.
enum Fill: CaseIterable {
    /// The least value everywhere.
    case lowest
    /// The greatest value everywhere.
    case highest
    /// Operands in turn least and greatest: the largest differences.
    case opposed
    /// Samples in turn least and greatest.
    case alternating
    /// From least to greatest, again and again.
    case ramp
    /// Anything.
    case uniform
    /// The least, the greatest, or anything.
    case extremes
    /// Single samples in a level field.
    case spikes

    /// How far from the least value towards the greatest the sample at `place` of operand `operand` is.
    func fraction(operand: Int, place: Int, _ random: inout SeededRandom) -> Double {
        switch self {
        case .lowest: 0
        case .highest: 1
        case .opposed: Double(operand & 1)
        case .alternating: Double(place & 1)
        case .ramp: Double(place % 251) / 250
        case .uniform: random.fraction()
        case .extremes: Double.maximum(0, .minimum(1, random.fraction() * 3 - 1))
        case .spikes: random.next() % 16 == 0 ? random.fraction() : 0.5
        }
    }
}

extension SeededRandom {
    /// From 0 to 1, both included.
    mutating func fraction() -> Double { Double(next() >> 11) / Double((1 << 53) - 1) }
}

/// What kernels work on.
protocol Sample: BitwiseCopyable, Comparable, Sendable {
    /// The values tried where a case names no range.
    static var usual: ClosedRange<Self> { get }
    /// The value so far from `range`'s least to its greatest.
    static func at(_ fraction: Double, of range: ClosedRange<Self>) -> Self
}

extension Sample where Self: FixedWidthInteger {
    static var usual: ClosedRange<Self> { min...max }
    static func at(_ fraction: Double, of range: ClosedRange<Self>) -> Self {
        let (low, high) = (Double(range.lowerBound), Double(range.upperBound))
        return Self(exactly: (low + (high - low) * fraction).rounded()) ?? range.upperBound
    }
}

extension UInt8: Sample {}
extension Int8: Sample {}
extension UInt16: Sample {}
extension Int16: Sample {}
extension UInt32: Sample {}
extension Int32: Sample {}
extension UInt64: Sample {}
extension Int64: Sample {}

extension Float: Sample {
    static var usual: ClosedRange<Float> { -256...256 }
    static func at(_ fraction: Double, of range: ClosedRange<Float>) -> Float {
        range.lowerBound + (range.upperBound - range.lowerBound) * Float(fraction)
    }
}
