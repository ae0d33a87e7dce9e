// SPDX-License-Identifier: MIT
// A document of OpenAPI 3.1, as far as ours has it, and values compared with its schemas.

import LivecapIntents

/// A document, and what it allows.
struct OpenAPIDocument {
    let root: JSON

    init?(_ bytes: [UInt8]) {
        guard let root = JSON(parsing: bytes, depth: 32) else { return nil }
        self.root = root
    }

    /// One way to ask for something.
    struct Operation {
        let path: String
        let method: String
        fileprivate let object: JSON
    }

    /// All operations, in order.
    var operations: [Operation] {
        members(root["paths"]).flatMap { path, item in
            members(item).compactMap { method, object in
                guard ["get", "post", "delete", "put", "patch"].contains(method) else { return nil }
                return Operation(path: path, method: method.uppercased(), object: object)
            }
        }
    }

    func operation(_ method: String, _ path: String) -> Operation? {
        operations.first { $0.method == method && $0.path == path }
    }

    /// The statuses that an operation may answer with.
    func statuses(_ operation: Operation) -> [Int] { members(operation.object["responses"]).compactMap { Int($0.0) } }

    /// What is wrong with an answer; nil if it is as documented. `body` is its JSON, if it has the type of JSON.
    func fault(_ operation: Operation, status: Int, type: String?, body: JSON?) -> String? {
        guard let response = operation.object["responses"]?["\(status)"].map(followed) else {
            return "status \(status) is not documented"
        }
        let content = members(response["content"])
        guard let type else { return content.isEmpty ? nil : "no content, but some is documented" }
        let plain = String(type.prefix { $0 != ";" })
        guard let media = content.first(where: { $0.0 == plain || $0.0 == "*/*" })?.1 else {
            return "content of type \(plain) is not documented for status \(status)"
        }
        guard let schema = media["schema"] else { return nil }
        guard let body else { return "no JSON" }
        return fault(body, schema, at: "body")
    }

    /// What is wrong with a value; nil if the schema of that name allows it.
    func fault(_ value: JSON, named name: String) -> String? {
        guard let schema = root["components"]?["schemas"]?[name] else { return "no schema \(name)" }
        return fault(value, schema, at: name)
    }

    /// What the bodies of requests refer to.
    var bodies: [String] {
        operations.compactMap { operation in
            operation.object["requestBody"].map { references($0).joined(separator: ", ") }
        }
    }

    /// The references that lead nowhere.
    var brokenReferences: [String] {
        references(root).filter { target($0) == nil }
    }

    /// Schemas that no operation refers to, directly or through others.
    var unusedSchemas: [String] {
        var (reached, waiting) = (Set<String>(), references(root["paths"] ?? .null))
        while let next = waiting.popLast() {
            guard reached.insert(next).inserted, let target = target(next) else { continue }
            waiting += references(target)
        }
        return members(root["components"]?["schemas"]).map(\.0).filter {
            !reached.contains("#/components/schemas/\($0)")
        }
    }

    // MARK: Schemas

    private static let known: Set = [
        "$ref", "description", "type", "properties", "required", "additionalProperties", "items", "enum", "const",
        "anyOf", "minimum", "maximum", "maxLength", "pattern", "format",
    ]

    private func fault(_ value: JSON, _ schema: JSON, at place: String) -> String? {
        if let reference = schema["$ref"] {
            guard case .string(let name) = reference, let target = target(name) else {
                return "\(place): a lost reference"
            }
            return fault(value, target, at: place)
        }
        if let unknown = members(schema).first(where: { !Self.known.contains($0.0) }) {
            return "\(place): this test does not know \(unknown.0)"
        }
        if case .array(let choices)? = schema["anyOf"] {
            let faults = choices.map { fault(value, $0, at: place) }
            guard !faults.contains(where: { $0 == nil }) else { return nil }
            return faults.compactMap { $0 }.joined(separator: ", or ")
        }
        if let constant = schema["const"], constant.text != value.text { return "\(place): not \(constant.text)" }
        if case .array(let values)? = schema["enum"], !isNull(value), !values.contains(where: { $0.text == value.text })
        {
            return "\(place): \(value.text) is none of \(values.map(\.text))"
        }
        if let fault = faultOfType(value, schema, at: place) ?? faultOfRange(value, schema, at: place) { return fault }
        switch value {
        case .object(let members): return fault(members, schema, at: place)
        case .array(let values):
            guard let items = schema["items"] else { return nil }
            for (index, value) in values.enumerated() {
                if let fault = fault(value, items, at: "\(place)[\(index)]") { return fault }
            }
            return nil
        default: return nil
        }
    }

    private func fault(_ object: [(String, JSON)], _ schema: JSON, at place: String) -> String? {
        if case .array(let required)? = schema["required"] {
            for case .string(let name) in required where !object.contains(where: { $0.0 == name }) {
                return "\(place): \(name) is missing"
            }
        }
        for (name, value) in object {
            if let member = schema["properties"]?[name] {
                if let fault = fault(value, member, at: "\(place).\(name)") { return fault }
            } else if case .bool(false)? = schema["additionalProperties"] {
                return "\(place): \(name) is not documented"
            } else if let others = schema["additionalProperties"], let fault = fault(value, others, at: place) {
                return fault
            }
        }
        return nil
    }

    private func faultOfType(_ value: JSON, _ schema: JSON, at place: String) -> String? {
        guard let type = schema["type"] else { return nil }
        let types: [JSON] = if case .array(let types) = type { types } else { [type] }
        let actual =
            switch value {
            case .null: "null"
            case .bool: "boolean"
            case .integer: "integer"
            case .number: "number"
            case .string: "string"
            case .array: "array"
            case .object: "object"
            }
        let isAllowed = types.contains { type in
            guard case .string(let name) = type else { return false }
            return name == actual || name == "number" && actual == "integer"
        }
        return isAllowed ? nil : "\(place): \(value.text) is not of type \(type.text)"
    }

    private func faultOfRange(_ value: JSON, _ schema: JSON, at place: String) -> String? {
        if case .string(let text) = value, case .string(let pattern)? = schema["pattern"] {
            guard let expression = try? Regex(pattern), text.contains(expression) else {
                return "\(place): '\(text)' does not match \(pattern)"
            }
        }
        guard let size = number(value) else { return nil }
        if let least = schema["minimum"].flatMap(number), size < least { return "\(place): below \(least)" }
        if let most = schema["maximum"].flatMap(number), size > most { return "\(place): above \(most)" }
        return nil
    }

    private func number(_ value: JSON) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    private func isNull(_ value: JSON) -> Bool { if case .null = value { true } else { false } }

    // MARK: References

    private func members(_ value: JSON?) -> [(String, JSON)] {
        if case .object(let members)? = value { members } else { [] }
    }

    private func followed(_ value: JSON) -> JSON {
        guard case .string(let name)? = value["$ref"] else { return value }
        return target(name) ?? value
    }

    private func target(_ reference: String) -> JSON? {
        // What can be asked for is in a document of its own.
        let intents = "intents.json"
        let isOfIntents = reference.hasPrefix(intents)
        let path = isOfIntents ? reference.dropFirst(intents.count) : reference[...]
        guard path.hasPrefix("#/") else { return nil }
        return path.dropFirst(2).split(separator: "/").reduce(isOfIntents ? IntentSchema.document : root) {
            $0?[String($1)]
        }
    }

    private func references(_ value: JSON) -> [String] {
        switch value {
        case .object(let members):
            members.flatMap { name, value -> [String] in
                if name == "$ref", case .string(let reference) = value { return [reference] }
                return references(value)
            }
        case .array(let values): values.flatMap(references)
        default: []
        }
    }
}
