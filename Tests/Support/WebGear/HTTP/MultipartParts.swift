// SPDX-License-Identifier: MIT
// The parts of `multipart/x-mixed-replace`, in which cameras have always been shown to browsers.

/// One part.
package struct MultipartPart {
    /// The part's header fields in order.
    package let fields: [(name: String, value: String)]
    /// The part's bytes.
    package let bytes: [UInt8]

    /// The value of a field, whose name is compared without case; nil if there is none.
    package subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// The parts of one connection.
package final class MultipartParts {
    /// The status and the header of the answer.
    package let head: HTTPHead
    /// The connection, to break it off.
    package let connection: HTTPConnection
    private let body: HTTPBody
    private let boundary: String

    /// Asks a server for parts.
    /// - Throws: `WireError`; `malformed` if the answer has none.
    package convenience init(port: UInt16, _ request: HTTPRequest = HTTPRequest("GET", "/stream")) throws {
        let connection = try HTTPConnection(port: port)
        try connection.send(request)
        try self.init(reading: connection)
    }

    /// Reads parts from a connection on which they were asked for.
    /// - Throws: `WireError`; `malformed` if the answer has none.
    package init(reading connection: HTTPConnection) throws {
        self.connection = connection
        head = try connection.readHead()
        let kind = (head["Content-Type"] ?? "").split(separator: ";").map { $0.trimmingPrefix(" ") }
        let mark = kind.dropFirst().first { $0.hasPrefix("boundary=") }?.dropFirst("boundary=".count)
        guard head.status == 200, kind.first == "multipart/x-mixed-replace", let mark, !mark.isEmpty else {
            throw WireError.malformed("no parts: \(head.status), \(head["Content-Type"] ?? "no type")")
        }
        boundary = "--" + mark.filter { $0 != "\"" }
        body = try connection.body(after: head)
    }

    /// Waits for the next part; nil at the end.
    /// - Throws: `WireError`; `malformed` if a part does not say its length.
    package func next() throws -> MultipartPart? {
        var line = try body.line()
        while line?.isEmpty == true { line = try body.line() }
        guard let line, line != boundary + "--" else { return nil }
        guard line == boundary else { throw WireError.malformed("not the boundary: \(line)") }
        var fields: [(name: String, value: String)] = []
        while let line = try body.line(), !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { throw WireError.malformed("not a field of a part: \(line)") }
            fields.append((String(parts[0]), String(parts[1].trimmingPrefix(" "))))
        }
        let length = fields.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) }
        guard let length, length >= 0 else { throw WireError.malformed("a part without a length") }
        guard let bytes = try body.bytes(length) else { throw WireError.ended("a part") }
        return MultipartPart(fields: fields, bytes: bytes)
    }
}
