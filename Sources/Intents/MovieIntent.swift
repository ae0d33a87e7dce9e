// SPDX-License-Identifier: MIT
// What is asked of movies.

/// Something to do with the movie of now, or the next one.
public struct MovieIntent: Hashable, Sendable {
    /// What can be done.
    public enum Deed: String, Hashable, Sendable, CaseIterable {
        /// Begin one.
        case start
        /// End the one that is being made.
        case stop
        /// End it if there is one, else begin another.
        case toggle
        /// Pause the one that is being made.
        case pause
        /// End the pause.
        case resume
        /// Begin a chapter of it.
        case mark
    }

    /// What is to be done.
    public var deed: Deed
    /// The name of the chapter that begins.
    public var chapter: String?
    /// How long before the request the movie begins.
    public var past: Duration?

    /// Asks for a deed.
    public init(_ deed: Deed, chapter: String? = nil) {
        self.deed = deed
        self.chapter = chapter
    }
}

extension MovieIntent: Intent {
    package init() { self.init(.start) }

    package static let name = "Movie"
    package static let about = "Something to do with the movie of now, or the next one."
    package static let example = #"{"do":"start"}"#

    package static let fields: [IntentField<Self>] = [
        .required("do", \.deed, .word, about: "what is to be done"),
        .optional(
            "name", \.chapter, .text(1...4096), about: "with mark: the name of the chapter that begins"),
        .optional(
            "preMs", \.past, .milliseconds(0...3_600_000),
            about: "with start: how long before the request the movie begins, as far as memory reaches"),
    ]

    package var conflict: IntentFault? {
        if chapter != nil, deed != .mark { return Self.fault("name", appliesTo: .mark) }
        if past != nil, deed != .start, deed != .toggle { return Self.fault("preMs", appliesTo: .start) }
        return nil
    }

    private static func fault(_ field: String, appliesTo deed: Deed) -> IntentFault {
        IntentFault("\"\(field)\" applies only to \(deed.rawValue)", hint: "leave it out")
    }
}
