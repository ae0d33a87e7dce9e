// SPDX-License-Identifier: MIT
// The files of the page, which are part of the program.

import LivecapCPage
import LivecapHTTP
import LivecapIntents

/// The files of the page, ready to be sent.
struct PageFiles: Sendable {
    private let files: [String: PageFile]

    /// Takes the files out of the program, and compresses those that become smaller.
    init() {
        var files: [String: PageFile] = [:]
        for index in 0..<lc_page_count() {
            guard let file = lc_page_file(index)?.pointee, let name = file.name, let type = file.type else { continue }
            let bytes = Array(UnsafeRawBufferPointer(start: file.bytes, count: file.count))
            files[String(cString: name)] = PageFile(bytes, type: String(cString: type))
        }
        files["intents.json"] = PageFile(Array(IntentSchema.document.text.utf8), type: "application/json")
        if let denied = files["denied.html"] {
            let text = String(decoding: denied.bytes, as: UTF8.self).replacing("<p hidden", with: "<p")
            files["denied.html"] = PageFile(denied.bytes, type: denied.type, hasForm: true)
            files["wrong.html"] = PageFile(Array(text.utf8), type: denied.type, hasForm: true)
        }
        self.files = files
    }

    /// The file of that name; nil if the page has none.
    subscript(name: String) -> PageFile? { files[name] }

    /// The names of all files.
    var names: [String] { files.keys.sorted() }
}

/// A file of the page.
struct PageFile: Sendable {
    let bytes: [UInt8]
    /// Nil if that would not be smaller.
    let compressed: [UInt8]?
    let type: String
    private let policy: String

    init(_ bytes: [UInt8], type: String, hasForm: Bool = false) {
        self.bytes = bytes
        self.type = type
        policy = Self.policy + (hasForm ? "; form-action 'self'" : "; form-action 'none'")
        let compressed = gzip(bytes)
        self.compressed = compressed.flatMap { $0.count < bytes.count ? $0 : nil }
    }

    /// Only what this server has is shown, run and asked for; nothing in the page itself is run.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; "
        + "connect-src 'self'; manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'"

    func response(to request: HTTPRequest, status: Int = 200) -> HTTPResponse {
        let takesGzip = (request.header("accept-encoding") ?? "").split(separator: ",").contains { coding in
            let parts = coding.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            return parts.first == "gzip" && parts.dropFirst().first != "q=0"
        }
        let content = takesGzip ? compressed ?? bytes : bytes
        let response = HTTPResponse(status, type: type, .bytes(content)).with("Content-Security-Policy", policy)
            .with("Cache-Control", "no-cache").with("Vary", "Accept-Encoding")
        return takesGzip && compressed != nil ? response.with("Content-Encoding", "gzip") : response
    }
}
