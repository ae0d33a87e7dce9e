// SPDX-License-Identifier: MIT
// Parses a client's line as a request, or explains why it is not one.

import LivecapFrames
import LivecapIntents

/// Why a line is not a valid request.
package struct SocketRefusal: Error, Hashable, Sendable {
    /// The problem with the line.
    package let message: String
    /// How to fix it.
    package let hint: String
    /// The client's id for the request, if it could be read.
    package let id: SocketID?

    static let tooLong = SocketRefusal(
        message: "the line is longer than \(SocketRequest.maxBytes) bytes", hint: "one request per line", id: nil)

    /// The refusal as a line to send to the client.
    package var json: String {
        JSON.object(
            [("event", .string(SocketEvent.failed.rawValue)), ("error", .string(message)), ("code", "bad-request")]
                + [("hint", .string(hint))]
                + (id.map { [("id", $0.json)] } ?? [])
        ).text
    }
}

extension SocketRequest {
    /// The maximum length of a line, excluding its end.
    package static let maxBytes = 4096

    private static let wishes = IntentSchema.lineKeys
    /// In short lines, fields of an intent stand beside it: `{"tap":"-250ms","quality":"speed"}`.
    private static let fieldsBeside = [
        "tap": ["quality", "frames", "after", "reference"], "movie": ["name"],
    ]

    /// Parses a line that arrived at `received`. Accepts arbitrary bytes. Throws if they are not a request.
    package init(line: [UInt8], received: Timestamp) throws(SocketRefusal) {
        guard line.count <= Self.maxBytes else {
            throw .tooLong
        }
        guard case .object(let members)? = JSON(parsing: line) else {
            throw SocketRefusal(
                IntentFault("the line is not a JSON object", hint: "one per line, such as {\"tap\":\"now\"}"), id: nil)
        }
        // First, so that every refusal has it.
        let id: SocketID?
        do throws(IntentFault) { id = try SocketID(members.first { $0.0 == "id" }?.1) } catch {
            throw SocketRefusal(error, id: nil)
        }
        do throws(IntentFault) {
            self.init(try Self.wish(members.filter { $0.0 != "id" }), id: id, received: received)
        } catch { throw SocketRefusal(error, id: id) }
    }

    private static func wish(_ members: [(String, JSON)]) throws(IntentFault) -> Wish {
        let beside = fieldsBeside.values.flatMap(\.self).sorted()
        if let unknown = members.first(where: { !(wishes + beside).contains($0.0) }) {
            throw IntentFault(
                "unknown member \(JSON.string(unknown.0).text)", hint: "known: \(list(wishes + beside)), id")
        }
        let asked = members.filter { wishes.contains($0.0) }
        guard let (name, value) = asked.first, asked.count == 1 else {
            throw IntentFault(
                asked.isEmpty
                    ? "the line has no request" : "the line has several requests: \(list(asked.map(\.0)))",
                hint: "exactly one of \(list(wishes))")
        }
        let fields = members.filter { $0.0 != name }
        if let stranger = fields.first(where: { !(fieldsBeside[name] ?? []).contains($0.0) }) {
            throw IntentFault("\(JSON.string(stranger.0).text) does not belong to \(name)", hint: "leave it out")
        }
        switch name {
        case "tap": return .tap(try TapIntent(line: value, fields))
        case "movie": return .movie(try MovieIntent(line: value, fields))
        case "camera": return .camera(try CameraIntent(line: value, under: name))
        case "control": return .control(try ControlIntent(line: value, under: name))
        case "effects": return .effects(try EffectsIntent(line: value, under: name, short: "set"))
        case "reaction": return .reaction(try ReactionIntent(line: value, under: name, short: "perform"))
        case "facts": return .facts(try FactsIntent(line: value, under: name))
        default:
            guard case .bool(true) = value else {
                throw IntentFault("\(JSON.string(name).text) must be true", hint: "{\"\(name)\":true}")
            }
            return name == "press" ? .press : name == "release" ? .release : .readiness
        }
    }
}

extension SocketRefusal {
    fileprivate init(_ fault: IntentFault, id: SocketID?) {
        self.init(message: fault.message, hint: fault.hint, id: id)
    }
}

extension SocketID {
    fileprivate init?(_ value: JSON?) throws(IntentFault) {
        switch value {
        case nil: return nil
        case .string(let text): self = .text(text)
        case .integer(let number): self = .number(number)
        default:
            throw IntentFault("\"id\" is neither a string nor a whole number", hint: "\"id\":\"a\" or \"id\":1")
        }
    }
}

extension TapIntent {
    /// From an object, or from a short line: a moment, with other fields beside it.
    fileprivate init(line value: JSON, _ fields: [(String, JSON)]) throws(IntentFault) {
        let fault = IntentFault(
            "\"tap\" is not a moment", hint: "\"now\", \"-250ms\", {\"frame\":\"0:123\"} or {\"ns\":123}")
        switch value {
        case .string("now"): try self.init(fields)
        case .string(let text):
            guard let span = Duration(text) else { throw fault }
            try self.init(fields)
            ago = .zero - span
        case .object(let members):
            if members.count == 1, case ("ns", let time) = members[0] {
                guard let time = time.asInteger, time >= 0 else { throw fault }
                try self.init(fields)
                at = Timestamp(nanoseconds: time)
            } else {
                try self.init(joined: members, fields)
            }
        default: throw fault
        }
    }
}

extension MovieIntent {
    /// From an object, or from a short line: an action, with the name of a chapter beside it.
    fileprivate init(line value: JSON, _ fields: [(String, JSON)]) throws(IntentFault) {
        if case .object(let members) = value {
            try self.init(joined: members, fields)
        } else {
            try self.init([("do", value)] + fields)
        }
    }
}

extension Intent {
    /// From an object, or from a short line: a text alone is the field `short`.
    fileprivate init(line value: JSON, under name: String, short: String) throws(IntentFault) {
        if case .string = value {
            try self.init([(short, value)])
        } else {
            try self.init(line: value, under: name)
        }
    }

    /// From an object.
    fileprivate init(line value: JSON, under name: String) throws(IntentFault) {
        guard case .object(let members) = value else {
            throw IntentFault("\"\(name)\" must be an object", hint: "such as {\"\(name)\":\(Self.example)}")
        }
        try self.init(members)
    }

    /// From an object and what stands beside it.
    fileprivate init(joined members: [(String, JSON)], _ fields: [(String, JSON)]) throws(IntentFault) {
        if let twice = fields.first(where: { field in members.contains { $0.0 == field.0 } }) {
            throw IntentFault("\(JSON.string(twice.0).text) is given twice", hint: "leave one out")
        }
        try self.init(members + fields)
    }
}

private func list(_ words: [String]) -> String { words.joined(separator: ", ") }

extension Duration {
    /// Parses a decimal number with a unit: "-250ms", "1.5s", "20us", "7ns". The result is exact: nil for fractions of
    /// a nanosecond and for values beyond the clock's range.
    init?(_ text: String) {
        let units: [(name: String, digits: Int)] = [("ns", 0), ("us", 3), ("ms", 6), ("s", 9)]
        guard let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
        var number = text.dropLast(unit.name.count)
        let isNegative = number.hasPrefix("-")
        if isNegative || number.hasPrefix("+") { number.removeFirst() }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : ""
        guard (1...2).contains(parts.count), !parts[0].isEmpty, parts.count == 1 || !fraction.isEmpty,
            parts.allSatisfy({ $0.utf8.allSatisfy(isDigit) }), fraction.count <= unit.digits,
            let magnitude = Int64(parts[0] + fraction + String(repeating: "0", count: unit.digits - fraction.count))
        else { return nil }
        self = .nanoseconds(isNegative ? -magnitude : magnitude)
    }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
