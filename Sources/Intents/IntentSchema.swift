// SPDX-License-Identifier: MIT
// What intents may be, as a document of JSON Schema, for programs that make or check them.

/// The schema of all intents.
package enum IntentSchema {
    /// The document. Each intent is one of its definitions.
    package static var document: JSON {
        .object([
            ("$schema", "https://json-schema.org/draft/2020-12/schema"),
            ("title", "What livecap can be asked to do"),
            ("$defs", .object(definitions)),
            ("$ref", .string("#/$defs/\(lineName)")),
        ])
    }

    /// The name of the definition of a line that the socket takes.
    private static let lineName = "Line"

    /// An intent, and the name under which a line for the socket has it; nil if none may.
    private struct Row {
        let name: String
        let schema: JSON
        let key: String?

        init<Subject: Intent>(_ intent: Subject.Type, inLinesAs key: String? = nil) {
            name = intent.name
            schema = intent.schema
            self.key = key
        }
    }

    private static let rows = [
        Row(TapIntent.self, inLinesAs: "tap"), Row(MovieIntent.self, inLinesAs: "movie"),
        Row(CameraIntent.self, inLinesAs: "camera"), Row(ControlIntent.self, inLinesAs: "control"),
        Row(EffectsIntent.self, inLinesAs: "effects"), Row(ReactionIntent.self, inLinesAs: "reaction"),
        Row(FactsIntent.self, inLinesAs: "facts"),
        Row(DevelopIntent.self), Row(ZoomIntent.self),
    ]
    /// What a line may ask for without saying more.
    private static let signs = ["press", "release", "readiness"]

    /// What a line for the socket may ask for.
    package static var lineKeys: [String] { rows.compactMap(\.key) + signs }

    private static var definitions: [(String, JSON)] {
        rows.map { ($0.name, $0.schema) } + [(lineName, line), ("Reply", reply)]
    }

    /// A line from the socket of a run.
    private static var reply: JSON {
        .object([
            ("description", "A line from the socket of a run: what became of a request."),
            ("anyOf", .array(SocketEvent.allCases.map(\.schema))),
        ])
    }

    /// A line for the socket of a run: an intent under its name, and an id of the client's own.
    private static var line: JSON {
        func intent(_ key: String, _ schema: JSON) -> JSON {
            .object([
                ("type", "object"),
                ("properties", .object([(key, schema), ("id", .object([("type", .array(["string", "integer"]))]))])),
                ("required", .array([.string(key)])), ("additionalProperties", false),
            ])
        }
        let intents = rows.compactMap { row in
            row.key.map { intent($0, .object([("$ref", .string("#/$defs/\(row.name)"))])) }
        }
        return .object([
            ("description", "A line for the socket of a run. The id comes back with each reply."),
            ("anyOf", .array(intents + signs.map { intent($0, .object([("const", true)])) })),
        ])
    }
}
