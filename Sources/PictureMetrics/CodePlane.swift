// SPDX-License-Identifier: MIT
// What is measured: a plane of samples in 8-bit codes, fractions and all.

/// A plane of samples, in codes from 0 to 255 with fractions, row by row without padding.
///
/// All measures compare planes of one size, and trap on others.
public struct CodePlane: Sendable {
    /// Samples a row.
    public let width: Int
    /// Rows.
    public let height: Int
    /// The samples: `width * height` of them.
    public let samples: [Float]

    /// A plane of samples that are codes already.
    public init(width: Int, height: Int, samples: [Float]) {
        precondition(width > 0 && height > 0 && samples.count == width * height, "a sample for every place")
        (self.width, self.height, self.samples) = (width, height, samples)
    }

    /// A plane of 16-bit samples that are codes times 256, as stills have them.
    public init(width: Int, height: Int, codesTimes256 samples: UnsafeMutableBufferPointer<UInt16>) {
        self.init(width: width, height: height, samples: samples.map { Float($0) / 256 })
    }

    /// The mean of all samples.
    public var mean: Double { samples.reduce(0) { $0 + Double($1) } / Double(samples.count) }

    /// How far the mean is above `truth`'s, in codes: a still that got brighter or darker.
    public func levelError(against truth: CodePlane) -> Double { mean - truth.mean }

    func requireSize(of other: CodePlane) {
        precondition(width == other.width && height == other.height, "planes of one size are compared")
    }
}
