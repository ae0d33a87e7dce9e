// SPDX-License-Identifier: MIT
// What is asked of one photo, and what that comes to.

import Frames
import Stills

/// Which frame's moment a photo shows.
public enum ReferencePolicy: String, Hashable, Sendable, CaseIterable {
    /// The one nearest the tap.
    case tap
    /// The sharpest of the frames that are used; of equally sharp ones the nearest.
    case sharpest
}

/// What is asked of one photo.
public struct PhotoSettings: Hashable, Sendable {
    /// How it is made. Fast capture prioritization may give less; the photo says so.
    public var quality: PhotoQuality
    /// Frames in all; where nil, as many as the quality usually takes.
    public var frames: Int?
    /// How many of them may be later than the reference. They are waited for, but not for ever.
    public var after: Int
    /// Which frame's moment it shows.
    public var reference: ReferencePolicy
    /// The kind of file.
    public var format: StillFormat
    /// Bits a sample, of those the format has; the most where nil.
    public var depth: SampleDepth?
    /// From 1 to 100, of formats that lose something; where nil, what costs less than a camera's own noise.
    public var encodeQuality: Int?
    /// What its file tells of it. The time is the reference's and the camera the session's where they are left out, on
    /// sources whose frames are of this machine's time. A frame as it is, is only written anew to be turned.
    public var metadata: PhotoMetadata
    /// Whether a picture of before and after comes with it.
    public var isCompared: Bool
    /// Whether a picture of what it rests on comes with it.
    public var isExplained: Bool
    /// Whether its work may be left for later, in a session that has a library.
    public var deferral: DeferralPreference
    /// Whether its source frames are kept in the session's library, with a few around them, so that it can be developed again:
    /// photos that are deferred have theirs kept either way. It is announced when they are on the disk, too.
    public var keepsFrames: Bool

    /// Usual settings, but for what is named.
    public init(
        quality: PhotoQuality = .balanced, frames: Int? = nil, after: Int = 0, reference: ReferencePolicy = .tap,
        format: StillFormat = .jpeg, depth: SampleDepth? = nil, encodeQuality: Int? = nil,
        metadata: PhotoMetadata = PhotoMetadata(), isCompared: Bool = false, isExplained: Bool = false,
        deferral: DeferralPreference = .automatic, keepsFrames: Bool = false
    ) {
        (self.quality, self.frames, self.after, self.reference) = (quality, frames, after, reference)
        (self.format, self.depth, self.encodeQuality) = (format, depth, encodeQuality)
        (self.metadata, self.isCompared, self.isExplained) = (metadata, isCompared, isExplained)
        (self.deferral, self.keepsFrames) = (deferral, keepsFrames)
    }
}

/// What a photo's settings came to when its capture began.
public struct ResolvedPhotoSettings: Sendable {
    /// Which shot: counts the session's from 1.
    public let shot: ShotID
    /// The moment on the source's clock; nil where only the first frame will tell it.
    public let tap: Timestamp?
    /// What was asked for.
    public let settings: PhotoSettings
    /// How it will be made.
    public let quality: PhotoQuality
    /// Whether fast capture prioritization took less than was asked for.
    public let isPrioritized: Bool
    /// How many frames it is to have.
    public let frames: Int
    /// How many of those may be later than its reference.
    public let after: Int
    /// Whether a proxy is delivered, and the photo made later.
    public let isDeferred: Bool
}

/// Which shot of a session, counted from 1.
public struct ShotID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The count.
    public let number: UInt64
    /// The shot of that number.
    public init(number: UInt64) { self.number = number }
    /// Whether `a` was asked for before `b`.
    public static func < (a: ShotID, b: ShotID) -> Bool { a.number < b.number }
    /// The number.
    public var description: String { "\(number)" }
}
