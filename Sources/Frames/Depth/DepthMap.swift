// SPDX-License-Identifier: MIT
// A picture of distances, with what it takes to measure in it.

/// A picture of distances along the camera's axis.
///
/// Each sample is a number of counts, and 0 means that the distance is unknown: a hole. Nothing is filled in or
/// smoothed unless `isFiltered` says so. Values of this type are for pictures in files and tests; frames of a stream
/// stay in their ring.
public struct DepthMap: Hashable, Sendable {
    /// The sample of a hole.
    public static let unknown: UInt16 = 0

    /// The size in pixels, usually smaller than that of the colour picture.
    public let size: FrameSize
    /// The samples in counts, row by row without padding.
    public let samples: [UInt16]
    /// The distance that a count stands for, in metres: 0.001 for most cameras.
    public let metresPerCount: Double
    /// The distances in metres that the camera claims to measure; nil if it does not say. Samples may lie outside.
    public var reach: ClosedRange<Double>?
    /// How pixels map to directions; nil if the camera is not calibrated.
    public var intrinsics: DepthIntrinsics?
    /// Whether holes were filled or noise was removed, by whatever program or device.
    public var isFiltered: Bool

    /// Creates a map of `samples`, as many as `size` has pixels, at least one. A count is a positive distance.
    public init(
        size: FrameSize, samples: [UInt16], metresPerCount: Double = 0.001, reach: ClosedRange<Double>? = nil,
        intrinsics: DepthIntrinsics? = nil, isFiltered: Bool = false
    ) {
        precondition(size.width > 0 && size.height > 0 && samples.count == size.area, "a sample for each pixel")
        precondition(metresPerCount.isFinite && metresPerCount > 0, "a count is a positive distance")
        self.size = size
        self.samples = samples
        self.metresPerCount = metresPerCount
        self.reach = reach
        self.intrinsics = intrinsics
        self.isFiltered = isFiltered
    }

    /// The smallest and the largest known sample, in counts; nil if there are only holes. Reads every sample.
    public var range: ClosedRange<UInt16>? {
        var nearest = UInt16.max
        var farthest = UInt16.min
        for sample in samples where sample != Self.unknown {
            nearest = min(nearest, sample)
            farthest = max(farthest, sample)
        }
        return farthest == Self.unknown ? nil : nearest...farthest
    }

    /// The nearest and the farthest known distance in metres; nil if there are only holes. Reads every sample.
    public var distances: ClosedRange<Double>? {
        range.map { metres($0.lowerBound)...metres($0.upperBound) }
    }

    /// The share of samples that are known, from 0 to 1. Reads every sample.
    public var knownShare: Double { Double(samples.count { $0 != Self.unknown }) / Double(samples.count) }

    /// The distance of a known sample in metres.
    public func metres(_ sample: UInt16) -> Double { Double(sample) * metresPerCount }
}
