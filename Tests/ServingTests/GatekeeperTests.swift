// SPDX-License-Identifier: MIT
// Who may ask for what.

import LivecapHTTP
import Testing

@testable import LivecapServing

@Suite struct GatekeeperTests {
    private let open = Gatekeeper(token: nil, names: ["Porch.example.org"])
    private let closed = Gatekeeper(token: "0123456789abcdef", names: [])

    private func request(_ headers: [(String, String)]) -> HTTPRequest { request("GET", headers) }

    private func request(_ method: String, _ headers: [(String, String)]) -> HTTPRequest {
        var request = HTTPRequest(method, "/")
        request.headers = headers.map { ($0.0, $0.1) }
        return request
    }

    @Test(arguments: [
        "localhost", "localhost:8080", "LOCALHOST:1", "127.0.0.1:8080", "192.168.1.7", "[::1]:8080", "[fe80::1]",
        "localhost.", "[::1]", "porch.example.org", "PORCH.example.org.:443",
    ])
    func addressesAndOwnNamesAreServed(_ host: String) {
        #expect(open.refusal(of: request([("host", host)])) == nil)
    }

    @Test(arguments: [
        "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8080", "", "[evil]", "[::1", "127.1.1",
        "0x7f.0.0.1", "2130706433", "porch.example.org.evil.example",
        "[::1].evil.example", "[::1]evil", "[::1]:", "[::1]:80:80", "[::1]:http", "[127.0.0.1]", "::1", "localhost:",
        "localhost:x", "localhost:80:80", "localhost:99999", "localhost:+80", "127.0.0.1:evil.example", "localhost..",
        "localhost/", "user@localhost", " localhost",
    ])
    func otherNamesAreNot(_ host: String) {
        #expect(open.refusal(of: request([("host", host)])) == .foreignHost)
    }

    @Test func aRequestHasOneHost() {
        #expect(open.refusal(of: request([])) == .foreignHost)
        #expect(open.refusal(of: request([("host", "localhost"), ("host", "evil.example")])) == .foreignHost)
    }

    @Test(arguments: [
        "http://evil.example", "null", "http://localhost:9999", "https://localhost.evil.example", "localhost:8080", "",
        "http://localhost:8080/", "file://localhost:8080",
    ])
    func pagesOfOtherSitesAreRefused(_ origin: String) {
        let headers = [("host", "localhost:8080"), ("origin", origin), ("livecap-proof", open.proof)]
        #expect(open.refusal(of: request("POST", headers)) == .foreignOrigin)
        #expect(open.refusal(of: request("GET", headers)) == .foreignOrigin)
    }

    @Test func aPageOfAnotherSiteCannotUseTheFramesAsAPicture() {
        let headers = [("host", "localhost:8080"), ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")]
        #expect(open.refusal(of: request(headers)) == .foreignOrigin)
    }

    @Test(
        "A header that says where a request comes from occurs once",
        arguments: ["origin", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest"])
    func repeatedProvenanceIsRefused(_ name: String) {
        let values = name == "origin" ? ["http://localhost:8080"] : ["same-origin", "navigate", "document"]
        for (first, second) in values.flatMap({ first in (values + ["cross-site"]).map { (first, $0) } }) {
            let headers = [("host", "localhost:8080"), ("livecap-proof", open.proof), (name, first), (name, second)]
            #expect(open.refusal(of: request("POST", headers)) == .foreignOrigin)
            #expect(open.refusal(of: request(headers)) == .foreignOrigin)
        }
    }

    @Test func aLinkFromAnotherSiteMayOpenThePage() {
        let headers = [("host", "localhost:8080"), ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")]
        #expect(open.refusal(of: request(headers)) == nil)
        #expect(open.refusal(of: request(headers + [("sec-fetch-dest", "document")])) == nil)
        #expect(open.refusal(of: request(headers + [("sec-fetch-dest", "iframe")])) == .foreignOrigin)
        // A page elsewhere must not have the camera switched on.
        var stream = request(headers)
        stream.path = "/stream"
        #expect(open.refusal(of: stream) == .foreignOrigin)
    }

    @Test func anotherPortOfTheMachineIsAnotherSite() {
        let headers = [("host", "localhost:8080"), ("sec-fetch-site", "same-site"), ("sec-fetch-mode", "no-cors")]
        #expect(open.refusal(of: request(headers)) == .foreignOrigin)
        let cookie = ("cookie", "livecap-token-8081=0123456789abcdef")
        #expect(closed.refusal(of: request([("host", "192.168.1.7:8080"), cookie])) == .noToken)
    }

    @Test(arguments: ["POST", "DELETE", "PUT", "PATCH", "FROB"]) func whatDoesSomethingNeedsTheProof(_ method: String) {
        let own = [("host", "localhost:8080"), ("origin", "http://localhost:8080")]
        #expect(open.refusal(of: request(method, own)) == .noProof)
        #expect(open.refusal(of: request(method, own + [("livecap-proof", "guess")])) == .noProof)
        #expect(open.refusal(of: request(method, own + [("livecap-proof", open.proof)])) == nil)
    }

    @Test func withoutTheTokenNothingIsTold() {
        let host = ("host", "192.168.1.7:8080")
        #expect(closed.refusal(of: request([host])) == .noToken)
        #expect(closed.refusal(of: request([host, ("cookie", "livecap-token-8080=0123456789abcdee")])) == .noToken)
        #expect(closed.refusal(of: request([host, ("cookie", "livecap-token-8080=")])) == .noToken)
        #expect(closed.refusal(of: request([host, ("authorization", "Bearer ")])) == .noToken)
        #expect(closed.refusal(of: request([host, ("authorization", "0123456789abcdef")])) == .noToken)
        #expect(closed.refusal(of: request("POST", [host, ("livecap-proof", closed.proof)])) == .noToken)
    }

    @Test func theTokenOpens() {
        let host = ("host", "192.168.1.7:8080")
        #expect(closed.refusal(of: request([host, ("cookie", "a=b; livecap-token-8080=0123456789abcdef")])) == nil)
        #expect(closed.refusal(of: request("POST", [host, ("authorization", "Bearer 0123456789abcdef")])) == nil)
    }

    @Test func theCookieAloneDoesNothing() {
        let headers = [("host", "192.168.1.7:8080"), ("cookie", "livecap-token-8080=0123456789abcdef")]
        #expect(closed.refusal(of: request("POST", headers)) == .noProof)
        // A wrong header beside the cookie must not stand for the proof.
        #expect(closed.refusal(of: request("POST", headers + [("authorization", "Bearer x")])) == .noProof)
    }

    @Test(arguments: [
        ("", "", false), ("a", "", false), ("", "a", false), ("abc", "abd", false), ("abc", "abcabc", false),
        ("abcabc", "abc", false), ("abc", "abc", true),
    ])
    func comparesTexts(_ first: String, _ second: String, _ isEqual: Bool) {
        #expect(Gatekeeper.isEqual(first, second) == isEqual)
    }

    @Test func secretsDiffer() {
        let secrets = Set((0..<100).map { _ in Gatekeeper.secret() })
        #expect(secrets.count == 100 && secrets.allSatisfy { $0.count == 32 })
    }

    @Test func theCodeDoesAsWellAsTheTokenForTenTries() throws {
        let gatekeeper = Gatekeeper(token: "0123456789abcdef", names: [])
        let code = try #require(gatekeeper.code)
        #expect(open.code == nil && code.digits.utf8.count == 6 && code.words.utf8.count == 7)
        let wrong = code.digits == "000000" ? "000001" : "000000"
        func enter(_ text: String, _ more: [(String, String)] = []) -> Bool {
            var asked = request([("host", "localhost")] + more)
            asked.query = [("token", text)]
            return gatekeeper.isInvited(asked)
        }
        // What is no code is no try, and neither is what other sites ask for.
        for text in ["12345", "1234567", "12345x", "", "0123456789abcdee"] { #expect(!enter(text), "\(text)") }
        for _ in 0..<20 { #expect(!enter(wrong, [("sec-fetch-site", "cross-site")])) }
        let link = [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")]
        for site in ["cross-site", "same-site"] {
            for _ in 0..<20 { #expect(!enter(wrong, link + [("sec-fetch-site", site)])) }
            #expect(!enter(code.digits, link + [("sec-fetch-site", site)]))
            // The token cannot be used up.
            #expect(enter("0123456789abcdef", link + [("sec-fetch-site", site)]))
        }
        for site in ["none", "same-origin"] { #expect(enter(code.digits, link + [("sec-fetch-site", site)])) }
        #expect(!enter(code.digits, [("origin", "http://evil.example")]))
        for _ in 0..<9 { #expect(!enter(wrong)) }
        #expect(enter(code.digits) && enter(" \(code.words) "))
        #expect(!enter(wrong))
        #expect(!enter(code.digits) && enter("0123456789abcdef"))
    }
}
