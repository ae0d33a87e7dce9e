// SPDX-License-Identifier: MIT
// The files of the page, which are part of the program.

import LivecapCPage
import LivecapHTTP

/// A file of the page.
struct PageFile: Sendable {
    let bytes: [UInt8]
    let type: String

    /// The file of that name; nil if the page has none.
    static func named(_ name: String) -> PageFile? {
        guard let file = lc_page_file(name) else { return nil }
        let bytes = UnsafeRawBufferPointer(start: file.pointee.bytes, count: file.pointee.count)
        return PageFile(bytes: Array(bytes), type: String(cString: file.pointee.type))
    }

    /// Only what this server has is shown, run and asked for; nothing in the page itself is run.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; "
        + "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    func response(status: Int = 200) -> HTTPResponse {
        HTTPResponse(status, type: type, .bytes(bytes)).with("Content-Security-Policy", Self.policy)
            .with("Cache-Control", "no-cache")
    }
}
