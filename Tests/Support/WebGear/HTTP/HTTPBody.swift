// SPDX-License-Identifier: MIT
// The body of an answer, read as it comes: whole ones and endless ones.

/// A body without its framing.
package final class HTTPBody {
    /// How the end of a body is known.
    enum Framing: Equatable {
        case length(Int)
        case chunks
        case untilTheEnd

        /// Follows RFC 9112, section 6.3, and refuses what is ambiguous.
        init(_ head: HTTPHead, of method: String) throws {
            if method == "HEAD" || head.status == 204 || head.status == 304 {
                self = .length(0)
            } else if let coding = head["Transfer-Encoding"] {
                guard coding.lowercased() == "chunked", head["Content-Length"] == nil else {
                    throw WireError.malformed("a body framed in two ways, or as \(coding)")
                }
                self = .chunks
            } else if let length = head["Content-Length"] {
                guard let length = Int(length), length >= 0 else {
                    throw WireError.malformed("not a length: \(length)")
                }
                self = .length(length)
            } else {
                self = .untilTheEnd
            }
        }
    }

    private let input: ByteInput
    private let framing: Framing
    /// Bytes that remain of a body of known length, or of a chunk.
    private var remaining: Int
    private var isAtEnd: Bool
    /// What was taken from the connection and not read yet.
    private var unread: ArraySlice<UInt8> = []

    init(_ input: ByteInput, _ framing: Framing) {
        (self.input, self.framing) = (input, framing)
        remaining = if case .length(let length) = framing { length } else { 0 }
        isAtEnd = framing == .length(0)
    }

    /// The next bytes, as they came; nil at the end of the body.
    /// - Throws: `WireError`; `ended` if the connection ends before the body.
    package func piece() throws -> [UInt8]? {
        if !unread.isEmpty {
            defer { unread = [] }
            return Array(unread)
        }
        guard !isAtEnd else { return nil }
        if framing == .chunks, remaining == 0 {
            remaining = try nextChunk()
            if remaining == 0 {
                isAtEnd = true
                return nil
            }
        }
        let limit = framing == .untilTheEnd ? Int.max : remaining
        guard let bytes = try input.some("more of a body", atMost: limit) else {
            guard framing == .untilTheEnd else { throw WireError.ended("the end of a body") }
            isAtEnd = true
            return nil
        }
        if framing != .untilTheEnd { remaining -= bytes.count }
        if remaining == 0 {
            if case .length = framing { isAtEnd = true }
            if framing == .chunks { try endChunk() }
        }
        return bytes
    }

    /// Exactly `count` bytes; nil if the body ends before them.
    /// - Throws: `WireError`; `ended` if the body ends among them.
    package func bytes(_ count: Int) throws -> [UInt8]? {
        while unread.count < count {
            let before = unread
            unread = []
            guard let more = try piece() else {
                if before.isEmpty { return nil }
                throw WireError.ended("\(count - before.count) more bytes")
            }
            unread = before + more
        }
        defer { unread = unread.dropFirst(count) }
        return Array(unread.prefix(count))
    }

    /// A line without its end, which is LF or CR LF; nil if the body ends before it.
    /// - Throws: `WireError`.
    package func line() throws -> String? {
        var searched = unread.startIndex
        while true {
            if let end = unread[searched...].firstIndex(of: 0x0A) {
                let line = unread[..<end]
                unread = unread[(end + 1)...]
                return String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
            }
            let before = Array(unread)
            unread = []
            guard let more = try piece() else {
                if before.isEmpty { return nil }
                throw WireError.ended("the end of a line")
            }
            searched = before.count
            unread = (before + more)[...]
        }
    }

    /// The length of the next chunk; 0 after the last one.
    private func nextChunk() throws -> Int {
        guard let line = try input.line("a chunk") else { throw WireError.ended("a chunk") }
        let digits = line.prefix { $0 != ";" }
        guard !digits.isEmpty, digits.allSatisfy(\.isHexDigit), let length = Int(digits, radix: 16) else {
            throw WireError.malformed("not the length of a chunk: \(line)")
        }
        if length == 0 { while let trailer = try input.line("the last chunk's end"), !trailer.isEmpty {} }
        return length
    }

    private func endChunk() throws {
        guard try input.line("a chunk's end") == "" else { throw WireError.malformed("a chunk without its end") }
    }
}
