// SPDX-License-Identifier: MIT
// What a client is answered.

/// An answer: its status, headers and content.
package struct HTTPResponse: Sendable {
    /// Such as 200.
    package var status: Int
    package var headers: [(name: String, value: String)]
    package var content: Content

    /// What follows the headers.
    package enum Content: Sendable {
        case bytes([UInt8])
        /// A part of a file.
        case file(HTTPFile)
        /// Bytes as they come, without a known end.
        case stream(HTTPStream)
    }

    /// Creates an answer of a type such as `text/html`.
    package init(_ status: Int = 200, type: String, _ content: Content) {
        self.status = status
        headers = [("Content-Type", type)]
        self.content = content
    }

    /// Creates an answer without content.
    package init(_ status: Int) { (self.status, headers, content) = (status, [], .bytes([])) }

    /// How much memory it takes until it is sent.
    var bytesInMemory: Int { if case .bytes(let bytes) = content { bytes.count } else { 0 } }

    /// Ends what it would have sent, because it goes nowhere.
    func discard() {
        if case .stream(let stream) = content { stream.finish() }
    }

    /// The same with another header.
    package func with(_ name: String, _ value: String) -> HTTPResponse {
        var response = self
        response.headers.append((name, value))
        return response
    }
}
