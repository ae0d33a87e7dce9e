// SPDX-License-Identifier: MIT
// What the settings of a photo resolve to when its capture begins.

import LivecapDeveloping
import LivecapFrames

/// The settings of a photo as they were resolved when its capture began.
public struct ResolvedPhotoSettings: Hashable, Codable, Sendable {
    /// The shot's number.
    public let shot: ShotID
    /// The moment on the source's clock; nil if only the first frame will determine it.
    public let tap: Timestamp?
    /// The settings asked for.
    public let settings: PhotoSettings
    /// The quality it will be made with.
    public let quality: PhotoQuality
    /// Whether fast capture prioritization lowered the quality.
    public let isPrioritized: Bool
    /// Whether the quality was lowered because the machine is under pressure.
    public let isRelieved: Bool
    /// The number of frames it is to have.
    public let frames: Int
    /// How many of those may be later than its reference.
    public let laterFrames: Int
    /// Whether a proxy is delivered, and the photo made later.
    public let isDeferred: Bool
}
