// SPDX-License-Identifier: MIT
// Bytes of a connection, by line, by number, or as they come.

/// What has come from a connection and was not read yet.
final class ByteInput {
    private let socket: TCPConnection
    private var unread: ArraySlice<UInt8> = []

    /// No line of a sane answer is longer.
    private static let longestLine = 1 << 16

    init(_ socket: TCPConnection) { self.socket = socket }

    /// The next bytes, at most `limit`; nil at the end.
    func some(_ what: String, atMost limit: Int = .max) throws -> [UInt8]? {
        if unread.isEmpty { unread = try socket.receive(waitingFor: what)[...] }
        let piece = unread.prefix(limit)
        unread = unread.dropFirst(piece.count)
        return piece.isEmpty ? nil : Array(piece)
    }

    /// A line without its end, which is CR LF; nil at the end. Anything else is refused.
    func line(_ what: String) throws -> String? {
        while true {
            if let end = unread.firstIndex(of: 0x0A) {
                let line = unread[..<end]
                unread = unread[(end + 1)...]
                guard line.last == 0x0D, let text = String(validating: line.dropLast(), as: UTF8.self) else {
                    throw WireError.malformed("a line that is not text, or does not end with CR LF")
                }
                return text
            }
            guard unread.count < Self.longestLine else { throw WireError.malformed("a line without end") }
            let more = try socket.receive(waitingFor: what)
            guard !more.isEmpty else {
                if unread.isEmpty { return nil }
                throw WireError.ended("the end of a line")
            }
            unread = unread + more
        }
    }
}
