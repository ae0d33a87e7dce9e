// SPDX-License-Identifier: MIT
// The name and the port that a request is addressed to.

/// A `Host` header: `NAME`, `NAME:PORT`, `[ADDRESS]` or `[ADDRESS]:PORT`, and nothing else.
struct HostHeader: Hashable, Sendable {
    /// Without brackets, and without the dot that a full name may end with.
    let name: String
    let port: UInt16?
    /// Whether the name is in brackets, and so an address of IPv6.
    let isSix: Bool

    /// Reads a header; nil if it is none.
    init?(_ text: String) {
        let rest: Substring
        isSix = text.hasPrefix("[")
        if isSix {
            guard let end = text.firstIndex(of: "]") else { return nil }
            name = String(text[text.index(after: text.startIndex)..<end])
            rest = text[text.index(after: end)...]
        } else {
            let host = text.prefix { $0 != ":" }
            name = String(host.hasSuffix(".") ? host.dropLast() : host)
            rest = text[host.endIndex...]
        }
        guard !rest.isEmpty else {
            port = nil
            return
        }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits)
        else { return nil }
        self.port = port
    }
}
