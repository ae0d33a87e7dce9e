// SPDX-License-Identifier: MIT
// What is read from a request's headers.

import Testing

@testable import LivecapHTTP

@Suite struct HTTPRequestTests {
    @Test func aHeaderThatOccursTwiceHasNoValue() {
        var request = HTTPRequest("GET", "/")
        request.headers = [("host", "a"), ("origin", "b"), ("host", "c")]
        #expect(request.header("host") == nil)
        #expect(request.header("origin") == "b")
    }

    @Test(
        arguments: [
            ("a=1", "1"), ("b=2; a=1", "1"), ("a=1=2; b=3", "1=2"), ("aa=5;a=1", "1"), ("b=2", nil), ("a", nil),
            ("", nil),
            (" a=; b=1", ""),
        ] as [(String, String?)])
    func readsCookies(_ header: String, _ value: String?) {
        var request = HTTPRequest("GET", "/")
        request.headers = [("cookie", header)]
        #expect(request.cookie("a") == value)
    }
}
