// SPDX-License-Identifier: MIT
// Which part of a file a client asks for.

import Foundation
import Testing

@testable import LivecapHTTP

@Suite struct HTTPFileTests {
    @Test(
        arguments: [
            ("0-0", 0..<1), ("0-99", 0..<100), ("10-", 10..<100), ("99-", 99..<100), ("-1", 99..<100),
            ("-500", 0..<100),
            ("5-1000", 5..<100), ("0-18446744073709551615", 0..<100),
        ] as [(String, Range<UInt64>)])
    func readsRanges(_ text: String, _ range: Range<UInt64>) {
        #expect(HTTPFile.range(text[...], of: 100) == range)
    }

    @Test(arguments: ["", "-", "100-", "5-4", "-0", "a-b", "1-2-3", "+1-2", "99999999999999999999-", " 1-2"])
    func refusesOtherRanges(_ text: String) { #expect(HTTPFile.range(text[...], of: 100) == nil) }

    @Test func anEmptyFileHasNoPart() {
        #expect(HTTPFile.range("0-", of: 0) == nil && HTTPFile.range("-1", of: 0) == nil)
    }

    @Test func aPartIsAnsweredAsOne() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "livecap-http-\(UUID().uuidString)")
        try Data(0..<100).write(to: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try #require(HTTPFile(taking: open(folder.path, O_RDONLY)))
        var request = HTTPRequest("GET", "/")
        #expect(file.response(to: request, type: "a/b").status == 200)
        request.headers = [("range", "bytes=10-19")]
        let part = file.response(to: request, type: "a/b")
        #expect(part.status == 206)
        #expect(part.headers.contains { $0 == ("Content-Range", "bytes 10-19/100") })
        guard case .file(let sent) = part.content else { throw Unexpected() }
        #expect(sent.range == 10..<20)
        request.headers = [("range", "bytes=100-")]
        #expect(file.response(to: request, type: "a/b").status == 416)
    }

    @Test(arguments: ["/", "/dev/null"]) func onlyRegularFilesAreSent(_ path: String) {
        #expect(HTTPFile(taking: open(path, O_RDONLY)) == nil)
    }

    private struct Unexpected: Error {}
}
