// SPDX-License-Identifier: MIT
// A request as a client sent it.

/// A complete request. Nothing in it can be trusted.
package struct HTTPRequest: Sendable {
    /// Such as `GET`.
    package var method: String
    /// Without the query, and with percent signs decoded.
    package var path: String
    /// The arguments of the query, decoded, in order.
    package var query: [(name: String, value: String)] = []
    /// The names are lower case.
    package var headers: [(name: String, value: String)] = []
    /// At most `HTTPLimits.body` bytes.
    package var body: [UInt8] = []

    /// Creates a request.
    package init(_ method: String, _ path: String) { (self.method, self.path) = (method, path) }

    /// The value of an argument; nil if there is none.
    package func argument(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// The value of a header, whose name is given in lower case; nil if there is none, or if it occurs more than once,
    /// which no honest client does with headers that matter here.
    package func header(_ name: String) -> String? {
        let values = headers.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }

    /// The value of a cookie; nil if there is none.
    package func cookie(_ name: String) -> String? {
        for pair in (header("cookie") ?? "").split(separator: ";") {
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0] == name { return String(parts[1]) }
        }
        return nil
    }

    /// Whether only its head is answered.
    package var isHead: Bool { method == "HEAD" }
}
