// SPDX-License-Identifier: MIT
// The contents of buffers, with many extreme values, because those are where kernels fail.

import LivecapSeededRandom

/// How a buffer is filled, within the range its operand allows.
enum Fill: CaseIterable {
    /// The smallest value everywhere.
    case lowest
    /// The largest value everywhere.
    case highest
    /// The smallest value in one operand, the largest in the next: this gives the largest differences.
    case opposed
    /// The smallest and the largest value in turn.
    case alternating
    /// From the smallest to the largest value, repeatedly.
    case ramp
    /// Random values.
    case uniform
    /// The smallest value, the largest, or a random one.
    case extremes
    /// Single random samples in a constant field.
    case spikes

    /// The position, between the smallest value (0) and the largest (1), of the sample at `place` in operand
    /// `operand`.
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
    /// A random number from 0 to 1, both included.
    mutating func fraction() -> Double { Double(next() >> 11) / Double((1 << 53) - 1) }
}

/// The types of samples that kernels process.
protocol Sample: BitwiseCopyable, Comparable, Sendable {
    /// The values tried if a case specifies no range.
    static var usual: ClosedRange<Self> { get }
    /// The value at `fraction` of the way from the smallest to the largest of `range`.
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
