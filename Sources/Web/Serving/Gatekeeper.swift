// SPDX-License-Identifier: MIT
// Who may ask for what: nothing is told to pages of other sites, or to people without the token.

import Glibc
import LivecapHTTP

/// Decides whether a request is served.
///
/// A page of another site can make a browser send requests here. It cannot read the answers, because they name no other
/// origin; it cannot make its own name stand for this machine, because only known names are served; and it cannot have
/// anything done, because that takes the proof, which only pages of this server can read.
package struct Gatekeeper: Sendable {
    /// What pages of this server send with each request that does something. Another one with each start.
    package let proof: String
    /// What can be typed instead of the token; nil if there is none.
    package let code: EntryCode?
    private let token: String?
    private let names: Set<String>

    /// Why a request is refused.
    package enum Refusal: Hashable, Sendable {
        /// It is addressed to a name that is not this machine's.
        case foreignHost
        /// It comes from a page of another site.
        case foreignOrigin
        /// It lacks the token.
        case noToken
        /// It lacks the proof.
        case noProof
    }

    /// The name of the cookie that carries the token. Browsers keep one for all ports of a machine, so it names the
    /// port.
    package static func cookie(for request: HTTPRequest) -> String {
        let port = request.header("host").flatMap { HostHeader($0) }?.port
        return "livecap-token" + (port.map { "-\($0)" } ?? "")
    }

    /// Headers that browsers send once: a second one could hide the first.
    private static let provenance: Set<String> = ["origin", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest"]

    /// Serves all who have the token, or everybody if there is none, at this machine's addresses and names.
    package init(token: String?, names: [String]) {
        self.token = token
        code = token == nil ? nil : EntryCode()
        proof = Self.secret()
        let machine = Self.machineName.lowercased()
        self.names = Set(names.map { $0.lowercased() } + ["localhost", machine, "\(machine).local"]).subtracting([""])
    }

    /// This machine's own name.
    package static var machineName: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A secret that cannot be guessed: 128 random bits.
    package static func secret() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Why a request is refused; nil if it may be served.
    package func refusal(of request: HTTPRequest) -> Refusal? {
        guard let host = request.header("host"), isOwn(host) else { return .foreignHost }
        if let origin = request.header("origin"), !isOrigin(origin, of: host) { return .foreignOrigin }
        for name in Self.provenance where request.headers.count(where: { $0.name == name }) > 1 {
            return .foreignOrigin
        }
        if let site = request.header("sec-fetch-site"), !["same-origin", "none"].contains(site), !isLink(request) {
            return .foreignOrigin
        }
        let hasToken = token.map { isToken($0, in: request) } ?? true
        guard hasToken else { return .noToken }
        guard !["GET", "HEAD"].contains(request.method) else { return nil }
        // A page of another site can send neither header.
        if let token, let given = bearer(request), Self.isEqual(given, token) { return nil }
        return request.header("livecap-proof").map { Self.isEqual($0, proof) } == true ? nil : .noProof
    }

    /// Whether a link from another site opens the page itself, and nothing else.
    private func isLink(_ request: HTTPRequest) -> Bool {
        request.method == "GET" && request.path == "/" && request.argument("action") == nil
            && request.header("sec-fetch-mode") == "navigate"
            && request.header("sec-fetch-dest") ?? "document" == "document"
    }

    /// Whether the argument of a link carries the token, or the code. Somebody may have entered it with spaces, or the
    /// whole link. Requests that other sites make are no tries of the code, and neither are links that they open: ten
    /// of them would use it up.
    package func isInvited(_ request: HTTPRequest) -> Bool {
        guard let token, let given = request.argument("token") else { return false }
        let words = given.filter { !$0.isWhitespace }
        let entered = words.firstRange(of: "token=").map { words[$0.upperBound...] } ?? words[...]
        if let code, EntryCode.isCode(String(entered)) {
            let isOwn = [nil, "none", "same-origin"].contains(request.header("sec-fetch-site"))
            return isOwn && [nil, .noToken].contains(refusal(of: request)) && code.opens(with: String(entered))
        }
        return Self.isEqual(String(entered), token)
    }

    private func isToken(_ token: String, in request: HTTPRequest) -> Bool {
        [bearer(request), request.cookie(Self.cookie(for: request))].contains {
            $0.map { Self.isEqual($0, token) } == true
        }
    }

    private func bearer(_ request: HTTPRequest) -> String? {
        request.header("authorization").flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
    }

    /// Whether a `Host` header names this machine. Addresses always do: a name that is made to stand for one is no
    /// address.
    private func isOwn(_ host: String) -> Bool {
        guard let host = HostHeader(host) else { return false }
        if host.isSix {
            var address = in6_addr()
            return inet_pton(AF_INET6, host.name, &address) == 1
        }
        var address = in_addr()
        return inet_pton(AF_INET, host.name, &address) == 1 || names.contains(host.name.lowercased())
    }

    private func isOrigin(_ origin: String, of host: String) -> Bool {
        ["http://\(host)", "https://\(host)"].contains { $0.lowercased() == origin.lowercased() }
    }

    /// Constant-time comparison of texts.
    static func isEqual(_ first: String, _ second: String) -> Bool {
        let (first, second) = (Array(first.utf8), Array(second.utf8))
        var difference = UInt(bitPattern: first.count ^ second.count)
        for index in first.indices {
            difference |= UInt(first[index] ^ (second.isEmpty ? 0 : second[index % second.count]))
        }
        return difference == 0 && !second.isEmpty
    }
}
