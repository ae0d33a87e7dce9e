// SPDX-License-Identifier: MIT
// The formats that `livecap serve` offers are those that it takes photos in.

import Foundation
import LivecapIntents
import LivecapPatience
import Testing

import class LivecapWebGear.HTTPConnection
import struct LivecapWebGear.HTTPRequest

@testable import livecap

@Suite struct ServeFormatsTests {
    @Test func eachFormatThatIsOfferedCanBeTaken() throws {
        let files = try Scratch()
        let program = try RunningLivecap([
            "serve", "--synthetic", "tripod:prerender=2", "--size", "64x48", "--format", "MJPG", "--listen", "0",
            "--library", files.path("library"), "--always-on", "--quality", "single", "--json",
        ])
        try eventually("the address") { program.output.hasSuffix("\n") }
        let begun = try #require(JSON(parsing: Array(program.output.utf8)))
        let port = try #require(
            begun["listen"]?.string?.split(separator: ":").last.flatMap { UInt16($0) })
        try eventually("a frame") { (try? HTTPConnection.get(port: port, "/snapshot").status) == 200 }
        let status = try #require(try HTTPConnection.get(port: port, "/status").json)
        let proof = try #require(status["proof"]?.string)
        let formats = (status["formats"]?.elements ?? []).compactMap(\.string)
        #expect(formats.count >= 2 && formats.contains("png"))
        for format in formats {
            let answer = try HTTPConnection.exchange(
                port: port,
                HTTPRequest(
                    "POST", "/shots?wait=1", fields: [("Livecap-Proof", proof)],
                    json: .object([("format", .string(format))])))
            #expect(answer.status == 201, "\(format): \(answer.text)")
            #expect(answer.json?["format"]?.string == format)
        }
        program.signal(SIGINT)
        #expect(program.finish().status == 0)
    }
}
