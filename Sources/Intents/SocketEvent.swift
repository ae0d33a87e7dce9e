// SPDX-License-Identifier: MIT
// What the socket of a run answers, and the schema of each answer.

/// What a line from the socket of a run says: its `event`.
package enum SocketEvent: String, CaseIterable, Sendable {
    /// A shot has begun.
    case begun
    /// The frames of its moment are held.
    case captured
    /// There is no room to keep them beside the photo.
    case framesNotKept = "frames-not-kept"
    /// There is a photo.
    case photo
    /// There is a photo for now, and a better one follows.
    case proxy
    /// The better one is there, or there will be none.
    case final
    /// What was asked for cannot be.
    case failed
    /// A movie has begun.
    case movieBegun = "movie-begun"
    /// It is paused.
    case moviePaused = "movie-paused"
    /// It goes on.
    case movieResumed = "movie-resumed"
    /// A chapter of it begins.
    case movieMarked = "movie-marked"
    /// It is complete.
    case movie
    /// What the camera is now.
    case camera
    /// What a control is now.
    case control
    /// Whether a tap would be served at once.
    case readiness

    /// A member of a line.
    package struct Field: Sendable {
        package let name: String
        /// The names of its types in JSON.
        package let types: [String]
        package var isRequired = true
    }

    /// Members of every line, beside `event`: what the client called its request.
    package static let common = [
        Field(name: "id", types: ["string", "integer"], isRequired: false),
        Field(name: "tag", types: ["string"], isRequired: false),
    ]

    /// The line's own members.
    package var fields: [Field] {
        switch self {
        case .begun: [.integer("shot"), .text("qualityGiven")]
        case .captured: [.text("referenceId"), .integer("referenceNs"), .integer("frames"), .number("waitMs")]
        case .framesNotKept, .failed: Self.faults
        case .photo, .proxy:
            [.integer("shot"), .text("file").orNull, .text("time").orNull]
                + [.integer("width"), .integer("height"), .text("format"), .text("referenceId")]
                + [.number("lagMs"), .number("lagBoundMs"), .integer("framesUsed")]
                + [.text("qualityAsked"), .text("qualityGiven")]
                + [.integer("libraryId").optional, .flag("deferred").optional, .integer("keptFrames").optional]
        case .final:
            [.integer("libraryId"), .text("file").optional, .integer("bytes").optional]
                + [.text("qualityGiven").orNull.optional] + Self.faults.map(\.optional)
        case .movieBegun, .moviePaused, .movieResumed, .movieMarked: [.text("file")] + Self.members
        case .movie:
            [.text("file").orNull] + Self.members + [.integer("frames"), .number("preMs").orNull]
                + [.integer("firstNs").orNull, .integer("lastNs").orNull]
                + ["dropped", "lost", "damaged", "steadied", "repeated", "marked", "bytes"].map { .integer($0) }
                + [.text("sound").orNull, .number("silentSeconds").orNull, .number("seconds")]
                + [.integer("waitedForKey"), .integer("pauses"), .number("pausedMs"), .number("factor").orNull]
                + [.list("parts"), .list("chapters")]
        case .camera:
            [.text("name"), .text("camera"), .text("format")]
                + [.integer("width"), .integer("height"), .number("fps").orNull]
        case .control: [.text("key"), .text("value").orNull]
        case .readiness: [.text("state"), .number("waitMs").orNull, .number("estimatedWaitMs").orNull]
        }
    }

    private static let faults: [Field] = [.text("error"), .text("code"), .text("hint")]
    private static let members: [Field] =
        [.integer("movie"), .integer("askedNs"), .text("codec").orNull, .text("stabilization"), .number("crop")]

    /// The schema of such a line.
    package var schema: JSON {
        let all = fields + Self.common
        let members = all.map { field in
            (field.name, JSON.object([("type", .array(field.types.map { .string($0) }))]))
        }
        return .object([
            ("type", "object"),
            ("properties", .object([("event", .object([("const", .string(rawValue))]))] + members)),
            ("required", .array(["event"] + all.filter(\.isRequired).map { .string($0.name) })),
            ("additionalProperties", false),
        ])
    }
}

extension SocketEvent.Field {
    fileprivate static func text(_ name: String) -> Self { Self(name: name, types: ["string"]) }
    fileprivate static func integer(_ name: String) -> Self { Self(name: name, types: ["integer"]) }
    fileprivate static func number(_ name: String) -> Self { Self(name: name, types: ["number"]) }
    fileprivate static func flag(_ name: String) -> Self { Self(name: name, types: ["boolean"]) }
    fileprivate static func list(_ name: String) -> Self { Self(name: name, types: ["array"]) }
    fileprivate var orNull: Self { Self(name: name, types: types + ["null"], isRequired: isRequired) }
    fileprivate var optional: Self { Self(name: name, types: types, isRequired: false) }
}
