// SPDX-License-Identifier: MIT
// What is told of a photo when it is put into a library.

import Frames

/// What is told of a photo when it is put into a library.
public struct NewPhoto: Sendable {
    /// The moment that was asked for, on the source's clock.
    public var tap: Timestamp
    /// The moment it shows, on the source's clock.
    public var reference: Timestamp
    /// The moment it shows, by the calendar. Its file is named after that.
    public var taken: CalendarTime
    /// What its file, or the final's, ends with: ".jpg".
    public var suffix: String
    /// Pixels of its picture.
    public var size: FrameSize
    /// The quality that was asked for.
    public var qualityAsked: String
    /// The quality it has, or its final will have.
    public var qualityGiven: String
    /// JSON: all that is needed to make the final of its frames. The library only keeps it.
    public var request: String
    /// JSON: how it was made.
    public var provenance: String
    /// A small JPEG of it, if there is one.
    public var thumbnail: [UInt8]?
    /// A number that was set aside for it; nil: the next one.
    public var number: PhotoID?

    /// A photo with all its parts.
    public init(
        tap: Timestamp, reference: Timestamp, taken: CalendarTime, suffix: String, size: FrameSize,
        qualityAsked: String,
        qualityGiven: String, request: String = "{}", provenance: String = "{}", thumbnail: [UInt8]? = nil
    ) {
        (self.tap, self.reference, self.taken) = (tap, reference, taken)
        (self.suffix, self.size) = (suffix, size)
        (self.qualityAsked, self.qualityGiven) = (qualityAsked, qualityGiven)
        (self.request, self.provenance, self.thumbnail) = (request, provenance, thumbnail)
    }
}
