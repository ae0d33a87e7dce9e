// SPDX-License-Identifier: MIT
// What is asked of movies.

/// Something to do with the movie of now, or the next one.
public struct MovieIntent: Hashable, Sendable {
    /// What can be done.
    public enum Action: String, Hashable, Sendable, CaseIterable {
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
    public var action: Action
    /// The name of the chapter that begins.
    public var chapter: String?
    /// How long before the request the movie begins.
    public var past: Duration?

    /// Asks for an action.
    public init(_ action: Action, chapter: String? = nil) {
        self.action = action
        self.chapter = chapter
    }
}

extension MovieIntent: Intent {
    package init() { self.init(.start) }

    package static let name = "Movie"
    package static let about = "Something to do with the movie of now, or the next one."
    package static let example = #"{"do":"start"}"#

    package static let fields: [IntentField<Self>] = [
        .required("do", \.action, .word, about: "what is to be done"),
        .optional(
            "name", \.chapter, .text(1...4096), about: "with mark: the name of the chapter that begins"),
        .optional(
            "preMs", \.past, .milliseconds(0...3_600_000),
            about: "with start and toggle: how long before the request the movie begins, as far as the past is kept"),
    ]

    package var conflict: IntentFault? {
        if chapter != nil, action != .mark { return Self.fault("name", appliesTo: "mark") }
        if past != nil, action != .start, action != .toggle {
            return Self.fault("preMs", appliesTo: "start and toggle")
        }
        return nil
    }

    private static func fault(_ field: String, appliesTo actions: String) -> IntentFault {
        IntentFault("\"\(field)\" applies only to \(actions)", hint: "leave it out")
    }
}
