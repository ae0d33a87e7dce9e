// SPDX-License-Identifier: MIT
// Heads of requests that two programs could read in two ways: they are refused before anything is done for them.

/// What is wrong with the head of a request.
///
/// A server in front may end a request elsewhere than this one does, or heed another of two headers; what it has
/// checked is then not what is served. Such a request is refused, and its connection closed.
enum HTTPFault: Hashable, Sendable {
    /// A byte that no head has: a control character, a NUL, or the end of a line that is not CR LF.
    case badBytes
    /// A method or the name of a header is not a token.
    case badName
    /// This header occurs more than once.
    case repeated(String)
    /// The length of the body is stated twice, or not in a way that everybody reads alike.
    case badLength
    /// The body comes in chunks, whose lines the library lets end in LF alone.
    case noLength

    /// Headers that decide who may ask, or where a request ends. No honest client sends one of them twice.
    private static let single: Set<String> = [
        "host", "content-length", "transfer-encoding", "content-type", "expect", "range", "authorization", "cookie",
        "origin", "referer", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "sec-fetch-user", "livecap-proof",
    ]

    /// What is wrong with a request of that version; nil if nothing is.
    init?(of request: HTTPRequest, version: String) {
        guard Self.isToken(request.method), request.headers.allSatisfy({ Self.isToken($0.name) }) else {
            self = .badName
            return
        }
        guard request.headers.allSatisfy({ $0.value.utf8.allSatisfy(Self.isPrintable) }) else {
            self = .badBytes
            return
        }
        var seen: Set<String> = []
        for (name, _) in request.headers where Self.single.contains(name) {
            guard seen.insert(name).inserted else {
                self = .repeated(name)
                return
            }
        }
        guard Self.hasOneLength(request, version) else {
            self = .badLength
            return
        }
        guard request.header("transfer-encoding") == nil else {
            self = .noLength
            return
        }
        return nil
    }

    private static func hasOneLength(_ request: HTTPRequest, _ version: String) -> Bool {
        let (length, encoding) = (request.header("content-length"), request.header("transfer-encoding"))
        if let encoding {
            // HTTP/1.0 has no such header: a server in front may pass it on unread.
            return length == nil && version == "HTTP/1.1" && encoding.lowercased() == "chunked"
        }
        return length.map { (1...18).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
            ?? true
    }

    /// Whether a text is a token (RFC 9110, 5.6.2).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    private static func isPrintable(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }

    private var words: String {
        switch self {
        case .badBytes: "the head has control characters, lines that do not end in CR LF, or folded lines"
        case .badName: "the method or the name of a header is not a token"
        case .repeated(let name): "the header '\(name)' occurs more than once"
        case .badLength: "the length of the body is in doubt"
        case .noLength: "bodies come with a Content-Length here, not in chunks"
        }
    }

    /// The answer, after which the connection is closed.
    var response: HTTPResponse {
        HTTPResponse(self == .noLength ? 411 : 400, type: "text/plain", .bytes(Array("\(words)\n".utf8))).with(
            "Connection", "close")
    }
}
