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

    private static var definitions: [(String, JSON)] {
        [
            define(TapIntent.self), define(MovieIntent.self), define(CameraIntent.self), define(ControlIntent.self),
            define(DevelopIntent.self), define(ZoomIntent.self), (lineName, line), ("Reply", reply),
        ]
    }

    private static func define<Subject: Intent>(_ intent: Subject.Type) -> (String, JSON) {
        (intent.name, intent.schema)
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
        func reference(_ name: String) -> JSON { .object([("$ref", .string("#/$defs/\(name)"))]) }
        let signs = ["press", "release", "readiness"].map { intent($0, .object([("const", true)])) }
        return .object([
            ("description", "A line for the socket of a run. The id comes back with each reply."),
            (
                "anyOf",
                .array(
                    [
                        intent("tap", reference(TapIntent.name)), intent("movie", reference(MovieIntent.name)),
                        intent("camera", reference(CameraIntent.name)),
                        intent("control", reference(ControlIntent.name)),
                    ] + signs)
            ),
        ])
    }
}
