// SPDX-License-Identifier: MIT
// A picture that is asked for.

import LivecapFrames

/// A picture of a frame or a moment. What is left out is as the program was started.
public struct TapIntent: Hashable, Sendable {
    /// The frame that was seen.
    public var frame: FrameID?
    /// The moment, on the source's clock.
    public var at: Timestamp?
    /// How long before the request the moment was; negative if it is to come.
    public var ago: Duration?
    /// How well the picture is made.
    public var quality: PhotoQuality?
    /// How many frames it is made of.
    public var frames: Int?
    /// How many of them come after the moment.
    public var laterFrames: Int?
    /// Which of them it shows.
    public var reference: ReferencePolicy?
    /// The format of its file.
    public var format: StillFormat?
    /// The part of the picture that it shows. With a factor of 1, all of it.
    public var zoom: DigitalZoom?
    /// A string of the client's own. Every event of the picture has it.
    public var tag: String?

    /// How far ahead the moment may be.
    package static let horizon = Duration.seconds(3600)

    /// A picture of this moment.
    public init() {}
}

extension TapIntent: Intent {
    package static let name = "Tap"
    package static let about =
        "A picture. At most one of frame, at and agoMs; without any, the moment is now. What is left out is as the "
        + "program was started."
    package static let example = #"{"agoMs":250}"#

    package static let fields: [IntentField<Self>] = [
        .optional("frame", \.frame, .frame, about: "the frame that was seen"),
        .optional(
            "at", \.at, .nanoseconds,
            about: "a moment on the clock of frames: in memory, or at most an hour ahead"),
        .optional(
            "agoMs", \.ago, .milliseconds(-3_600_000...3_600_000),
            about: "so long before the request; negative for a moment to come"),
        .optional("quality", \.quality, .word, about: "how well the picture is made"),
        .optional(
            "format", \.format, .word,
            about: "the format of its file; a run takes others than its own only with a page and a library"),
        .optional("frames", \.frames, .whole(1...1000), about: "how many frames it is made of"),
        .optional("after", \.laterFrames, .whole(0...1000), about: "how many of them come after the moment"),
        .optional(
            "reference", \.reference, .word,
            about: "whether it shows the frame of the moment, or the sharpest or best near it"),
        .optional("zoom", \.zoom, .zoom, about: "the part of the picture to show; null for all of it"),
        .optional("tag", \.tag, .text(0...64), about: "a string that comes back with the picture's events"),
    ]

    package var conflict: IntentFault? {
        let given = [("frame", frame != nil), ("at", at != nil), ("agoMs", ago != nil)].filter(\.1).map(\.0)
        guard given.count > 1 else { return nil }
        return IntentFault("\"\(given[0])\" and \"\(given[1])\" cannot be combined", hint: "give one of them")
    }
}
