// SPDX-License-Identifier: MIT
// What a session does under pressure.

import LivecapFrames

/// What a session does while the machine is under pressure: the highest quality of its photos, by level.
public struct PressurePolicy: Hashable, Codable, Sendable {
    /// The highest quality at each level; a level that is missing sets no limit. Of `quality`, `balanced` and `speed`,
    /// in this order, a photo gets the first that the limit allows; other qualities are given as asked for.
    public var maxQuality: [SystemPressure.Level: PhotoQuality]

    /// A policy with these limits.
    public init(maxQuality: [SystemPressure.Level: PhotoQuality]) { self.maxQuality = maxQuality }

    /// Photos are what they were asked to be.
    public static let none = PressurePolicy(maxQuality: [:])
    /// `quality` becomes `balanced` when pressure is serious, and everything `speed` when it is critical.
    public static let stepsDown = PressurePolicy(maxQuality: [.serious: .balanced, .critical: .speed])

    /// The quality that a photo gets.
    func limited(_ quality: PhotoQuality, at level: SystemPressure.Level) -> PhotoQuality {
        guard let most = maxQuality[level]?.rank, let rank = quality.rank, rank > most else { return quality }
        return maxQuality[level] ?? quality
    }
}
