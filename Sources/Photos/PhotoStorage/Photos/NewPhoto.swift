// SPDX-License-Identifier: MIT
// The description of a photo that is added to a library.

import LivecapFrames

/// The description of a photo that is added to a library.
package struct NewPhoto: Sendable {
    /// The moment that was asked for, on the source's clock.
    package var tap: Timestamp
    /// The moment it shows, on the source's clock.
    package var reference: Timestamp
    /// The moment it shows, as calendar time. Its file is named after this.
    package var taken: CalendarTime
    /// The format of its final.
    package var format: StillFormat
    /// The size of its picture in pixels, as it is shown.
    package var size: FrameSize
    /// The quality asked for.
    package var qualityAsked: PhotoQuality
    /// The quality it has, or its final will have.
    package var qualityGiven: PhotoQuality
    /// JSON with everything needed to make the final from its frames. The library only stores it.
    package var request: String
    /// JSON about how it was made.
    package var provenance: String
    /// A small JPEG of it, if any.
    package var thumbnail: [UInt8]?
    /// A small PNG of where people are in it, if its effects need to know.
    package var mask: [UInt8]?
    /// A number reserved for it (default: the next one).
    package var number: PhotoID?
    /// The photos it belongs to, which other cameras took at the same tap.
    package var group: PhotoGroup?
    /// The photo whose kept frames are kept for it as well.
    package var sharesFramesOf: PhotoID?

    /// Creates a description; the mask, the number and the photo whose frames it shares are set separately.
    package init(
        tap: Timestamp, reference: Timestamp, taken: CalendarTime, format: StillFormat, size: FrameSize,
        qualityAsked: PhotoQuality, qualityGiven: PhotoQuality, request: String = "{}", provenance: String = "{}",
        thumbnail: [UInt8]? = nil
    ) {
        self.tap = tap
        self.reference = reference
        self.taken = taken
        self.format = format
        self.size = size
        self.qualityAsked = qualityAsked
        self.qualityGiven = qualityGiven
        self.request = request
        self.provenance = provenance
        self.thumbnail = thumbnail
    }
}
