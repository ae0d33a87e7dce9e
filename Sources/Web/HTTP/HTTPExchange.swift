// SPDX-License-Identifier: MIT
// One request and its answer, while the server's thread works on them.

import Glibc
import LivecapCHTTP

/// A request being received, handled or answered. It belongs to the server's thread.
final class HTTPExchange {
    let number: UInt64
    let connection: OpaquePointer
    let socket: Int32
    var request: HTTPRequest
    /// Whether more came than `HTTPLimits.body`.
    private(set) var isTooLarge = false
    /// Whether the handler was called.
    var isHandled = false
    /// The answer, until it is sent.
    var response: HTTPResponse?
    /// The bytes of the answer that count in the inbox until it is sent.
    var heldBytes = 0
    /// Whether the connection rests until there is an answer.
    var isResting = false
    private(set) var stream: HTTPStream?

    /// Why it is refused before its body is read; nil if it is not.
    let fault: HTTPFault?

    init(_ number: UInt64, _ connection: OpaquePointer, _ head: lc_http_head) {
        self.number = number
        self.connection = connection
        socket = lc_http_socket(connection)
        var request = HTTPRequest(String(cString: head.method), String(cString: head.path))
        withUnsafeMutablePointer(to: &request.headers) { headers in
            lc_http_headers(connection, headers) { context, name, value in
                guard let name, let value else { return }
                context?.assumingMemoryBound(to: [(name: String, value: String)].self).pointee
                    .append((String(cString: name).lowercased(), String(cString: value)))
            }
        }
        withUnsafeMutablePointer(to: &request.query) { query in
            lc_http_arguments(connection, query) { context, name, value in
                guard let name else { return }
                context?.assumingMemoryBound(to: [(name: String, value: String)].self).pointee
                    .append((String(cString: name), value.map { String(cString: $0) } ?? ""))
            }
        }
        self.request = request
        fault = head.is_plain != 0 ? HTTPFault(of: request, version: String(cString: head.version)) : .badBytes
    }

    func add(_ bytes: UnsafeRawBufferPointer, limit: Int) {
        guard !isTooLarge, request.body.count + bytes.count <= limit else { return isTooLarge = true }
        request.body.append(contentsOf: bytes)
    }

    /// Sends the answer. Returns false if it cannot; the connection is then closed.
    func answer(_ limits: HTTPLimits, waking wake: @escaping @Sendable (HTTPStream) -> Void) -> Bool {
        guard let response else { return false }
        self.response = nil
        guard let answer = made(response.content, limits, wake) else { return false }
        for (name, value) in response.headers { lc_http_header(answer, name, value) }
        return lc_http_send(connection, UInt32(response.status), answer) != 0
    }

    private func made(
        _ content: HTTPResponse.Content, _ limits: HTTPLimits, _ wake: @escaping @Sendable (HTTPStream) -> Void
    ) -> OpaquePointer? {
        switch content {
        case .bytes(let bytes):
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
            copy.copyBytes(from: bytes)
            let answer = lc_http_answer_bytes(copy.baseAddress, bytes.count, { $0?.deallocate() }, copy.baseAddress)
            if answer == nil { copy.deallocate() }
            return answer
        case .file(let file):
            // The library closes the descriptor that it is given.
            let descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 3)
            guard descriptor >= 0 else { return nil }
            let answer = lc_http_answer_file(descriptor, file.range.lowerBound, UInt64(file.range.count))
            if answer == nil { close(descriptor) }
            return answer
        case .stream(let stream):
            stream.connect(wake)
            stream.request = connection
            self.stream = stream
            let context = Unmanaged.passRetained(stream)
            let answer = lc_http_answer_stream(
                connection,
                { context, bytes, count in
                    guard let context, let bytes else { return -1 }
                    let stream = Unmanaged<HTTPStream>.fromOpaque(context).takeUnretainedValue()
                    switch stream.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: count)) {
                    case .bytes(let count): return count
                    case .none: return 0
                    case .end: return -1
                    }
                }, limits.streamBlock, { context in context.map { Unmanaged<HTTPStream>.fromOpaque($0).release() } },
                context.toOpaque())
            if answer == nil { context.release() }
            return answer
        }
    }

    /// Ends the stream, if one was sent.
    func end() {
        response?.discard()
        stream?.finish()
        stream = nil
    }
}
