// SPDX-License-Identifier: MIT
// Whether lines from the socket of a run are as their schema says.

import LivecapIntents
import Testing

/// Checks the complete lines of what came from the socket of a run.
func checkSocketLines(_ bytes: [UInt8]) throws {
    guard let end = bytes.lastIndex(of: 10) else { return }
    for line in bytes[..<end].split(separator: 10) {
        let text = String(decoding: line, as: UTF8.self)
        guard case .object(let members)? = JSON(parsing: Array(line), depth: 8) else {
            Issue.record("not an object: \(text)")
            continue
        }
        let event = try #require(members.first { $0.0 == "event" }?.1.asString.flatMap { SocketEvent(rawValue: $0) })
        let fields = event.fields + SocketEvent.common
        for field in fields where field.isRequired {
            #expect(members.contains { $0.0 == field.name }, "\(field.name) is missing: \(text)")
        }
        #expect(Set(members.map(\.0)).count == members.count, "a member twice: \(text)")
        for (name, value) in members where name != "event" {
            let field = fields.first { $0.name == name }
            #expect(field?.types.contains { value.isOfType($0) } == true, "\(name): \(text)")
        }
    }
}

extension JSON {
    fileprivate func isOfType(_ name: String) -> Bool {
        switch self {
        case .string: name == "string"
        case .integer: name == "integer" || name == "number"
        case .number: name == "number"
        case .bool: name == "boolean"
        case .array: name == "array"
        case .object: name == "object"
        case .null: name == "null"
        }
    }
}
