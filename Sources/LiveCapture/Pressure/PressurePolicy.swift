// SPDX-License-Identifier: MIT
// What a session does under pressure.

import LivecapFrames

/// What a session does while the machine is under pressure, by level: the highest quality of its photos, and the
/// highest rate of the pictures that its outputs and stages make. The history keeps every frame.
public struct PressurePolicy: Hashable, Codable, Sendable {
    /// The highest quality at each level; a level that is missing sets no limit. Of `quality`, `balanced` and `speed`,
    /// in this order, a photo gets the first that the limit allows; other qualities are given as asked for.
    public var maxQuality: [SystemPressure.Level: PhotoQuality]

    /// The highest rate at each level; a level that is missing sets no limit. Outputs that want every frame get every
    /// frame that there is, and so do movies and recordings; stages make no more than this rate.
    public var maxRate: [SystemPressure.Level: FrameRate]

    /// A policy with these limits.
    public init(
        maxQuality: [SystemPressure.Level: PhotoQuality], maxRate: [SystemPressure.Level: FrameRate] = [:]
    ) {
        self.maxQuality = maxQuality
        self.maxRate = maxRate
    }

    /// Photos and pictures are what they were asked to be.
    public static let none = PressurePolicy(maxQuality: [:])
    /// When pressure is serious, `quality` becomes `balanced`, and outputs get at most 15 frames per second; when it is
    /// critical, everything becomes `speed`, and outputs get at most 5.
    public static let stepsDown = PressurePolicy(
        maxQuality: [.serious: .balanced, .critical: .speed],
        maxRate: [.serious: FrameRate(15), .critical: FrameRate(5)])

    /// The quality that a photo gets.
    func limited(_ quality: PhotoQuality, at level: SystemPressure.Level) -> PhotoQuality {
        guard let most = maxQuality[level]?.rank, let rank = quality.rank, rank > most else { return quality }
        return maxQuality[level] ?? quality
    }
}
