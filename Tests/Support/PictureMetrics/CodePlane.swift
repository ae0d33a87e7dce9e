// SPDX-License-Identifier: MIT
// A plane of samples to measure, in 8-bit codes with fractions.

/// A plane of samples, in codes from 0 to 255 with fractions, row by row without padding.
///
/// All measures compare planes of the same size, and trap otherwise.
public struct CodePlane: Sendable {
    /// Samples per row.
    public let width: Int
    /// Rows.
    public let height: Int
    /// The samples, `width * height` of them.
    public let samples: [Float]

    /// Creates a plane from samples that are already codes.
    public init(width: Int, height: Int, samples: [Float]) {
        precondition(width > 0 && height > 0 && samples.count == width * height, "a sample for every place")
        (self.width, self.height, self.samples) = (width, height, samples)
    }

    /// Creates a plane from 16-bit samples that are codes times 256, like those of stills.
    public init(width: Int, height: Int, codesTimes256 samples: UnsafeMutableBufferPointer<UInt16>) {
        self.init(width: width, height: height, samples: samples.map { Float($0) / 256 })
    }

    /// The mean of all samples.
    public var mean: Double { samples.reduce(0) { $0 + Double($1) } / Double(samples.count) }

    /// The mean of this plane minus that of `truth`, in codes: positive if a still became brighter.
    public func levelError(against truth: CodePlane) -> Double { mean - truth.mean }

    func requireSize(of other: CodePlane) {
        precondition(width == other.width && height == other.height, "planes of one size are compared")
    }
}
