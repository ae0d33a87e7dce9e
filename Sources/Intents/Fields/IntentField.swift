// SPDX-License-Identifier: MIT
// A field of an intent: where its value is, what it may be, and what it means.

/// A member of an intent's JSON object.
package struct IntentField<Subject: Intent>: Sendable {
    /// The key.
    package let name: String
    /// What it means, for the schema and for hints.
    package let about: String
    let isRequired: Bool
    /// What its value must be, as the end of a sentence.
    let words: String
    /// What JSON Schema says of it.
    let schema: JSON
    /// Sets it. Returns whether the JSON is such a value.
    let read: @Sendable (JSON, inout Subject) -> Bool
    /// Nil if it is left out.
    let write: @Sendable (Subject) -> JSON?

    /// A field that may be left out.
    static func optional<Value>(
        _ name: String, _ path: WritableKeyPath<Subject, Value?> & Sendable, _ kind: IntentKind<Value>,
        about: String
    ) -> Self {
        Self(name, kind, about: about, isRequired: false) { json, subject in
            guard let value = kind.read(json) else { return false }
            subject[keyPath: path] = value
            return true
        } write: { subject in
            subject[keyPath: path].map(kind.write)
        }
    }

    /// A field that must be there.
    static func required<Value>(
        _ name: String, _ path: WritableKeyPath<Subject, Value> & Sendable, _ kind: IntentKind<Value>,
        about: String
    ) -> Self {
        Self(name, kind, about: about, isRequired: true) { json, subject in
            guard let value = kind.read(json) else { return false }
            subject[keyPath: path] = value
            return true
        } write: { subject in
            kind.write(subject[keyPath: path])
        }
    }

    private init<Value>(
        _ name: String, _ kind: IntentKind<Value>, about: String, isRequired: Bool,
        read: @escaping @Sendable (JSON, inout Subject) -> Bool, write: @escaping @Sendable (Subject) -> JSON?
    ) {
        self.name = name
        self.about = about
        self.isRequired = isRequired
        words = kind.words
        schema = .object(kind.schema + [("description", .string(about))])
        self.read = read
        self.write = write
    }
}
