// SPDX-License-Identifier: MIT
// Another photo of the frames of an earlier one.

import LivecapFrames

/// How a photo is to be developed again. What is left out is as it was.
package struct DevelopIntent: Hashable, Sendable {
    /// How many frames later the moment is; earlier if negative.
    package var shift: Int?
    /// How well it is made.
    package var quality: PhotoQuality?
    /// The format of its file.
    package var format: StillFormat?
    /// How many frames it is made of.
    package var frames: Int?

    package init() {}
}

extension DevelopIntent: Intent {
    package static let name = "Develop"
    package static let about = "Another photo of the frames of an earlier one. What is left out is as it was."
    package static let example = #"{"shift":-1}"#

    package static let fields: [IntentField<Self>] = [
        .optional(
            "shift", \.shift, .whole(-1000...1000), about: "how many frames later the moment is; earlier if negative"),
        .optional("quality", \.quality, .word, about: "how well the picture is made"),
        .optional("format", \.format, .word, about: "the format of its file"),
        .optional("frames", \.frames, .whole(1...1000), about: "how many frames it is made of"),
    ]
}
