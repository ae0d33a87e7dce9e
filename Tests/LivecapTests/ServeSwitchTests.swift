// SPDX-License-Identifier: MIT
// `livecap serve` while pages ask for other cameras.

import Foundation
import LivecapPatience
import Testing

import class LivecapWebGear.HTTPConnection

@testable import livecap

@Suite struct ServeSwitchTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// A served scene: the program and its port.
    private func serve(shell: String? = nil) throws -> (program: RunningLivecap, port: UInt16) {
        let program = try RunningLivecap(
            [
                "serve", "--synthetic", "tripod:prerender=2", "--size", "64x48", "--format", "MJPG", "--listen", "0",
                "--library", files.path("library"), "--json",
            ], shell: shell)
        try eventually("the address") { program.output.hasSuffix("\n") }
        let object = try JSONSerialization.jsonObject(with: Data(program.output.utf8)) as? [String: Any]
        let address = try #require(object?["listen"] as? String)
        return (program, try #require(address.split(separator: ":").last.flatMap { UInt16($0) }))
    }

    private func ask(_ port: UInt16, _ request: String, _ headers: String = "", _ body: String = "") throws
        -> (status: Int, object: [String: Any])
    {
        let connection = try HTTPConnection(port: port)
        try connection.send(
            "\(request) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n"
                + "\(headers)\r\n\(body)")
        let answer = try connection.readAnswer()
        let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        return (answer.status, object ?? [:])
    }

    /// Asks for a camera many times, by default for the one that is listed, and checks that the scene is served on.
    private func switchAway(
        to named: String? = nil, _ served: (program: RunningLivecap, port: UInt16), _ refusal: (Int, String)
    ) throws {
        let proof = try #require(try ask(served.port, "GET /status").object["proof"] as? String)
        let listed = named == nil ? try ask(served.port, "GET /cameras").object["cameras"] as? [[String: Any]] : []
        let camera = try #require(named ?? listed?.first?["id"] as? String)
        for _ in 0..<20 {
            let answer = try ask(
                served.port, "POST /cameras", "Livecap-Proof: \(proof)\r\n", "{\"id\":\"\(camera)\"}")
            #expect(answer.status == refusal.0 && answer.object["code"] as? String == refusal.1, "\(answer)")
        }
        let status = try ask(served.port, "GET /status")
        #expect((status.object["format"] as? [String: Any])?["width"] as? Int == 64)
        served.program.signal(SIGINT)
        #expect(served.program.finish().status == 0)
    }

    @Test func aMissingCameraLeavesTheServerServing() throws {
        try switchAway(to: "/dev/video-missing", serve(), (404, "no-such-device"))
    }

    /// The camera is there and offers its formats, but streams nothing: the switch has begun when it fails. Not under a
    /// sanitizer, whose library would have to be loaded before that of the mock cameras.
    @Test(.enabled(if: getenv("LIVECAP_SANITIZER") == nil)) func aCameraThatFailsLeavesTheServerServing() throws {
        let cameras = try MockCameras()
        try cameras.plug(0, port: "1")
        try switchAway(serve(shell: cameras.shell), (409, "cannot-switch"))
    }
}
