// SPDX-License-Identifier: MIT
// Where the answer to a request goes, now or later.

/// Answers one request. Any thread may send the answer, at any time; the first one counts. If the client has left
/// meanwhile, it goes nowhere.
package struct HTTPReply: Sendable {
    let number: UInt64
    let deliver: @Sendable (UInt64, HTTPResponse) -> Void
    var watch: @Sendable (UInt64, @escaping @Sendable () -> Void) -> Void = { _, _ in }

    /// Sends the answer.
    package func send(_ response: HTTPResponse) { deliver(number, response) }

    /// Has `action` called on the server's thread if the client leaves before it is answered: what is done for it alone
    /// can be given up. It may be called after the answer, too.
    package func onLeave(_ action: @escaping @Sendable () -> Void) { watch(number, action) }
}

extension HTTPReply {
    /// A reply that changes each answer before it is sent.
    package init(_ reply: HTTPReply, _ change: @escaping @Sendable (HTTPResponse) -> HTTPResponse) {
        let deliver = reply.deliver
        self.init(number: reply.number, deliver: { deliver($0, change($1)) }, watch: reply.watch)
    }
}
