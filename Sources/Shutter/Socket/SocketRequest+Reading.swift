// SPDX-License-Identifier: MIT
// Parses a client's line as a request, or explains why it is not one.

import LivecapFrames
import LivecapJSONText

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
            [("error", .string(message)), ("code", "bad-request"), ("hint", .string(hint))]
                + (id.map { [("id", $0.json)] } ?? [])
        ).text
    }
}

extension SocketRequest {
    /// The maximum length of a line, excluding its end.
    package static let maxBytes = 4096

    private static let wishes = ["tap", "press", "release", "movie", "readiness"]
    private static let options = ["quality", "frames", "after", "reference"]

    /// Parses a line that arrived at `received`. Accepts arbitrary bytes. Throws if they are not a request.
    package init(line: [UInt8], received: Timestamp) throws(SocketRefusal) {
        guard line.count <= Self.maxBytes else {
            throw .tooLong
        }
        guard case .object(let members)? = JSON(parsing: line) else {
            throw SocketRefusal(
                message: "the line is not a JSON object", hint: "one per line, such as {\"tap\":\"now\"}", id: nil)
        }
        var fields = Fields(members)
        try fields.readID()
        try self.init(&fields, received)
    }

    private init(_ fields: inout Fields, _ received: Timestamp) throws(SocketRefusal) {
        if let unknown = fields.first(notIn: Self.wishes + Self.options + ["name", "id"]) {
            throw fields.refusal(
                "unknown member \(JSON.string(unknown).text)", "known: \(list(Self.wishes + Self.options)), name, id")
        }
        let asked = Self.wishes.filter { fields[$0] != nil }
        guard let name = asked.first, asked.count == 1 else {
            throw fields.refusal(
                asked.isEmpty ? "the line has no request" : "the line has several requests: \(list(asked))",
                "exactly one of \(list(Self.wishes))")
        }
        let chapter = try fields.text("name")
        if chapter != nil {
            guard case .string("mark")? = fields["movie"] else {
                throw fields.refusal("\"name\" applies only to {\"movie\":\"mark\"}", "leave it out")
            }
        }
        self.name = chapter
        if name == "tap" {
            wish = .tap(try SocketTap(fields))
        } else {
            if let option = Self.options.first(where: { fields[$0] != nil }) {
                throw fields.refusal("\(JSON.string(option).text) applies only to a tap", "leave it out")
            }
            if name == "movie" {
                guard let movie: SocketMovie = try fields.word(name) else { preconditionFailure("it was found") }
                wish = .movie(movie)
                id = fields.id
                self.received = received
                return
            }
            guard case .bool(true)? = fields[name] else {
                throw fields.refusal("\(JSON.string(name).text) must be true", "{\"\(name)\":true}")
            }
            wish = name == "press" ? .press : name == "release" ? .release : .readiness
        }
        id = fields.id
        self.received = received
    }
}

extension SocketTap {
    fileprivate init(_ fields: Fields) throws(SocketRefusal) {
        guard let moment = Moment(fields["tap"]) else {
            throw fields.refusal(
                "\"tap\" is not a moment", "\"now\", \"-250ms\", {\"frame\":\"0:123\"} or {\"ns\":123}")
        }
        self.init(
            moment, quality: try fields.word("quality"), frames: try fields.count("frames", from: 1),
            laterFrames: try fields.count("after", from: 0), reference: try fields.word("reference"))
    }
}

extension SocketTap.Moment {
    fileprivate init?(_ value: JSON?) {
        switch value {
        case .string("now"): self = .fromNow(.zero)
        case .string(let text):
            guard let span = Duration(text) else { return nil }
            self = .fromNow(span)
        case .object(let members) where members.count == 1:
            switch members[0] {
            case ("ns", .integer(let time)) where time >= 0: self = .at(Timestamp(nanoseconds: time))
            case ("frame", .string(let text)):
                guard let frame = FrameID(text) else { return nil }
                self = .frame(frame)
            default: return nil
            }
        default: return nil
        }
    }
}

/// The members of a line's object.
private struct Fields {
    private let members: [(String, JSON)]
    private(set) var id: SocketID?

    init(_ members: [(String, JSON)]) { self.members = members }

    subscript(name: String) -> JSON? { members.first { $0.0 == name }?.1 }

    func first(notIn known: [String]) -> String? { members.first { !known.contains($0.0) }?.0 }

    func refusal(_ message: String, _ hint: String) -> SocketRefusal {
        SocketRefusal(message: message, hint: hint, id: id)
    }

    /// Called first, so that every refusal includes the id.
    mutating func readID() throws(SocketRefusal) {
        switch self["id"] {
        case nil: break
        case .string(let text): id = .text(text)
        case .integer(let number): id = .number(number)
        default: throw refusal("\"id\" is neither a string nor a whole number", "\"id\":\"a\" or \"id\":1")
        }
    }

    func word<Word: CaseIterable & RawRepresentable<String>>(_ name: String) throws(SocketRefusal) -> Word? {
        let hint = Word.allCases.map(\.rawValue).joined(separator: ", ")
        switch self[name] {
        case nil: return nil
        case .string(let text):
            guard let word = Word(rawValue: text) else { throw refusal("there is no \(name) '\(text)'", hint) }
            return word
        default: throw refusal("\(JSON.string(name).text) is not a string", hint)
        }
    }

    func text(_ name: String) throws(SocketRefusal) -> String? {
        switch self[name] {
        case nil: return nil
        case .string(let text) where !text.isEmpty: return text
        case .string: throw refusal("\(JSON.string(name).text) is empty", "leave it out, or \"\(name)\":\"Goal\"")
        default: throw refusal("\(JSON.string(name).text) is not a text", "\"\(name)\":\"Goal\"")
        }
    }

    func count(_ name: String, from least: Int) throws(SocketRefusal) -> Int? {
        switch self[name] {
        case nil: return nil
        case .integer(let number) where number >= least && number <= Int32.max: return Int(number)
        default: throw refusal("\(JSON.string(name).text) is out of range", "a whole number, at least \(least)")
        }
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
