// SPDX-License-Identifier: MIT
// Requests as they are sent, and what comes back.

import LivecapIntents

/// A request, with nothing in it that a test did not ask for but `Host` and `Content-Length`.
package struct HTTPRequest {
    /// The method.
    package var method: String
    /// The path with its query, as it is sent.
    package var target: String
    /// The header fields in order.
    package var fields: [(name: String, value: String)]
    /// The body; nil if there is none.
    package var body: [UInt8]?

    /// Creates a request.
    package init(
        _ method: String = "GET", _ target: String, fields: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        (self.method, self.target, self.fields, self.body) = (method, target, fields, body)
    }

    /// Creates a request whose body is JSON.
    package init(_ method: String, _ target: String, fields: [(name: String, value: String)] = [], json: JSON) {
        self.init(
            method, target, fields: fields + [("Content-Type", "application/json")], body: Array(json.text.utf8))
    }

    /// The request's bytes. `host` is the value of the field `Host`, unless there is one already.
    package func bytes(host: String) -> [UInt8] {
        var lines = ["\(method) \(target) HTTP/1.1"]
        if !has("host") { lines.append("Host: \(host)") }
        lines += fields.map { "\($0.name): \($0.value)" }
        if let body, !has("content-length"), !has("transfer-encoding") { lines.append("Content-Length: \(body.count)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
    }

    private func has(_ name: String) -> Bool { fields.contains { $0.name.lowercased() == name } }
}

/// The status and the header of an answer.
package struct HTTPHead {
    /// The status, such as 200.
    package let status: Int
    /// The words after the status.
    package let reason: String
    /// The header fields in order.
    package let fields: [(name: String, value: String)]

    /// The value of a field, whose name is compared without case; nil if there is none. Values of a repeated field are
    /// joined by commas.
    package subscript(name: String) -> String? {
        let values = fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Reads the lines of a head, without their ends.
    /// - Throws: `WireError.malformed`.
    init(_ lines: [String]) throws {
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].count == 3, let status = Int(words[1]) else {
            throw WireError.malformed("not a status line: \(lines.first ?? "")")
        }
        self.status = status
        reason = words.count > 2 ? String(words[2]) : ""
        fields = try lines.dropFirst().map { line in
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex, line.first != " " else {
                throw WireError.malformed("not a header field: \(line)")
            }
            let value = line[line.index(after: colon)...]
            return (String(line[..<colon]), String(value.trimmingPrefix(" ")))
        }
    }
}

/// A whole answer.
package struct HTTPAnswer {
    /// The status and the header.
    package let head: HTTPHead
    /// The body, without any framing.
    package let body: [UInt8]

    /// The status, such as 200.
    package var status: Int { head.status }
    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }
    /// The body as JSON; nil if it is none.
    package var json: JSON? { JSON(parsing: body, depth: 64) }

    /// The value of a header field.
    package subscript(name: String) -> String? { head[name] }
}
