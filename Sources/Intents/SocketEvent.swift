// SPDX-License-Identifier: MIT
// What the socket of a run answers, and the schema of each answer.

/// What a line from the socket of a run says: its `event`.
package enum SocketEvent: String, CaseIterable, Sendable {
    case begun
    case captured
    case framesNotKept = "frames-not-kept"
    case photo
    case proxy
    case final
    case failed
    case movieBegun = "movie-begun"
    case moviePaused = "movie-paused"
    case movieResumed = "movie-resumed"
    case movieMarked = "movie-marked"
    case movie
    case camera
    case control
    case effects
    case reaction
    case following
    case facts
    case readiness

    /// What it says, for the schema.
    package var about: String {
        switch self {
        case .begun: "a shot has begun"
        case .captured: "the frames of its moment are held"
        case .framesNotKept: "there is no room to keep them beside the photo"
        case .photo: "there is a photo"
        case .proxy: "there is a photo for now, and a better one follows"
        case .final: "the better one is there, or there will be none"
        case .failed: "what was asked for cannot be"
        case .movieBegun: "a movie has begun"
        case .moviePaused: "the movie is paused"
        case .movieResumed: "the movie goes on"
        case .movieMarked: "a chapter of the movie begins"
        case .movie: "the movie is complete"
        case .camera: "what the camera is now"
        case .control: "what a control is now"
        case .effects: "which effects are drawn now"
        case .reaction: "a reaction begins with the next picture"
        case .following: "which facts are reported from now on"
        case .facts: "what is known of the people in a frame"
        case .readiness: "whether a tap would be served at once"
        }
    }

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
                + [.text("groupId").optional]
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
                + [.flag("indexFirst"), .text("indexGap").orNull, .list("parts"), .list("chapters")]
        case .camera:
            [.text("name"), .text("camera"), .text("format")]
                + [.integer("width"), .integer("height"), .number("fps").orNull]
        case .control: [.text("key"), .text("value").orNull]
        case .effects:
            [.text("set"), .list("inProgress"), .list("available"), .text("camera")]
                + [.text("effort").orNull.optional, .number("fps").orNull.optional]
                + [.number("framesFps").orNull.optional, .object("fault").orNull.optional]
        case .reaction: [.text("perform"), .number("durationMs")]
        case .following: [.list("follow")]
        case .facts:
            [.text("frame"), .text("timeNs"), .list("faces").orNull, .list("hands").orNull, .list("reactions")]
        case .readiness: [.text("state"), .number("waitMs").orNull, .number("estimatedWaitMs").orNull]
        }
    }

    private static let faults: [Field] = [.text("error"), .text("code"), .text("hint")]
    private static let members: [Field] =
        [.integer("movie"), .integer("askedNs"), .text("codec").orNull, .flag("fused")]
        + [.text("stabilization"), .number("crop")]

    /// The schema of such a line.
    package var schema: JSON {
        let all = fields + Self.common
        let members = all.map { field in
            (field.name, JSON.object([("type", .array(field.types.map { .string($0) }))]))
        }
        return .object([
            ("description", .string(about)), ("type", "object"),
            ("properties", .object([("event", .object([("const", .string(rawValue))]))] + members)),
            ("required", .array(["event"] + all.filter(\.isRequired).map { .string($0.name) })),
        ])
    }
}

extension SocketEvent.Field {
    fileprivate static func text(_ name: String) -> Self { Self(name: name, types: ["string"]) }
    fileprivate static func integer(_ name: String) -> Self { Self(name: name, types: ["integer"]) }
    fileprivate static func number(_ name: String) -> Self { Self(name: name, types: ["number"]) }
    fileprivate static func flag(_ name: String) -> Self { Self(name: name, types: ["boolean"]) }
    fileprivate static func object(_ name: String) -> Self { Self(name: name, types: ["object"]) }
    fileprivate static func list(_ name: String) -> Self { Self(name: name, types: ["array"]) }
    fileprivate var orNull: Self { Self(name: name, types: types + ["null"], isRequired: isRequired) }
    fileprivate var optional: Self { Self(name: name, types: types, isRequired: false) }
}
