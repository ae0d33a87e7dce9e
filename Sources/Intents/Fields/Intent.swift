// SPDX-License-Identifier: MIT
// What an intent is: a value with a list of fields, from which its JSON, its schema and all words about it follow.

/// What a person, a page or a program asks livecap to do. The same value comes from a socket, from a browser and from
/// the command line.
package protocol Intent: Hashable, Sendable {
    /// One that leaves everything out.
    init()
    /// Its name in the schema.
    static var name: String { get }
    /// What it asks for.
    static var about: String { get }
    /// An example.
    static var example: String { get }
    /// All of its fields.
    static var fields: [IntentField<Self>] { get }
    /// What is wrong with the fields together; nil if nothing is.
    var conflict: IntentFault? { get }
}

/// What is wrong with something that was meant to be an intent.
package struct IntentFault: Error, Hashable, Sendable {
    /// The problem.
    package let message: String
    /// What to do instead.
    package let hint: String

    package init(_ message: String, hint: String) {
        self.message = message
        self.hint = hint
    }
}

extension Intent {
    package var conflict: IntentFault? { nil }

    /// Reads the body of a request. One that is empty leaves everything out.
    package init(body: [UInt8]) throws(IntentFault) {
        let json = body.isEmpty ? JSON.object([]) : JSON(parsing: body)
        guard case .object(let members)? = json else {
            throw IntentFault("the body is not a JSON object", hint: "send one such as \(Self.example)")
        }
        try self.init(members)
    }

    /// Reads the members of an object. Unknown ones are refused: one that is misspelt would do nothing, without a word.
    package init(_ members: [(String, JSON)]) throws(IntentFault) {
        self.init()
        for (name, value) in members {
            guard let field = Self.fields.first(where: { $0.name == name }) else {
                let known = Self.fields.map(\.name).joined(separator: ", ")
                throw IntentFault("\(JSON.string(name).text) is not known", hint: "known are \(known)")
            }
            guard field.read(value, &self) else {
                throw IntentFault("\"\(name)\" must be \(field.words)", hint: "\"\(name)\": \(field.about)")
            }
        }
        if let missing = Self.fields.first(where: { $0.isRequired && !members.map(\.0).contains($0.name) }) {
            throw IntentFault("\"\(missing.name)\" is missing", hint: "send one such as \(Self.example)")
        }
        if let conflict { throw conflict }
    }

    /// The value as JSON, which `init(_:)` reads. What is left out stays so.
    package var json: JSON {
        .object(Self.fields.compactMap { field in field.write(self).map { (field.name, $0) } })
    }

    /// What JSON Schema says of such values.
    package static var schema: JSON {
        let required = fields.filter(\.isRequired).map { JSON.string($0.name) }
        return .object(
            [("type", "object"), ("description", .string(about))]
                + [("properties", .object(fields.map { ($0.name, $0.schema) }))]
                + (required.isEmpty ? [] : [("required", .array(required))])
                + [("additionalProperties", false)])
    }
}
