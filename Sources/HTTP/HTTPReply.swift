// SPDX-License-Identifier: MIT
// Where the answer to a request goes, now or later.

/// Answers one request. Any thread may send the answer, at any time; the first one counts. If the client has left
/// meanwhile, it goes nowhere.
package struct HTTPReply: Sendable {
    let number: UInt64
    let deliver: @Sendable (UInt64, HTTPResponse) -> Void

    /// Sends the answer.
    package func send(_ response: HTTPResponse) { deliver(number, response) }
}

extension HTTPReply {
    /// A reply that changes each answer before it is sent.
    package init(_ reply: HTTPReply, _ change: @escaping @Sendable (HTTPResponse) -> HTTPResponse) {
        let deliver = reply.deliver
        self.init(number: reply.number) { deliver($0, change($1)) }
    }
}
