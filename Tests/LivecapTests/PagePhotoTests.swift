// SPDX-License-Identifier: MIT
// Photos that pages take while what they show hides the room.

import Foundation
import LiveCapture
import LivecapDetection
import LivecapEffects
import LivecapIntents
import LivecapPatience
import Testing

import class LivecapWebGear.HTTPConnection
import struct LivecapWebGear.HTTPRequest

@testable import livecap

@Suite(.timeLimit(.usual)) struct PagePhotoTests {
    private static let green = EffectSettings.Background.colour(red: 0, green: 255, blue: 0)

    @Test func effectsOfPhotosGoBeforeThoseOfThePage() {
        let page = EffectBoard(EffectSettings(light: 0.5, background: Self.green)), photos = EffectBoard()
        let plain = PhotoSettings()
        let hidden = ServedPage.photoEffects(nil, ofPage: page)(plain)
        #expect(hidden.effects == EffectSettings(background: Self.green))
        #expect(ServedPage.photoEffects(page, ofPage: page)(plain).effects == page.settings)
        #expect(ServedPage.photoEffects(photos, ofPage: page)(plain).effects?.areNone == true)
        #expect(ServedPage.photoEffects(nil, ofPage: nil)(plain) == plain)
    }

    /// A server whose page shows green behind people, and nothing else of what it sees.
    @Test(.enabled(if: (try? Nets().open(.matte)) != nil, "'make effects' fetches the nets"))
    func aPhotoHidesTheRoomForAsLongAsThePageDoes() throws {
        let files = try Scratch()
        let program = try RunningLivecap([
            "serve", "--synthetic", "tripod:prerender=2", "--size", "64x48", "--format", "MJPG", "--listen", "0",
            "--library", files.path("library"), "--always-on", "--quality", "speed", "--effects",
            "background=#00ff00,brighten", "--json",
        ])
        try eventually("the address") { program.output.hasSuffix("\n") }
        let begun = try #require(JSON(parsing: Array(program.output.utf8)))
        let port = try #require(
            begun["listen"]?.string?.split(separator: ":").last.flatMap { UInt16($0) })
        let proof = try #require(try HTTPConnection.get(port: port, "/status").json?["proof"]?.string)
        func send(_ method: String, _ path: String, _ body: JSON, expecting status: Int) throws -> JSON {
            let answer = try HTTPConnection.exchange(
                port: port, HTTPRequest(method, path, fields: [("Livecap-Proof", proof)], json: body))
            #expect(answer.status == status, "\(path): \(answer.text)")
            return try #require(answer.json)
        }
        let hidden = try send("POST", "/shots?wait=1", .object([]), expecting: 201)
        #expect(hidden["urls"]?["frame"]?.isNull == true)
        let account = try #require(hidden["urls"]?["provenance"]?.string)
        #expect(try HTTPConnection.get(port: port, account).text.contains(#""effects":"background=#00ff00""#))
        _ = try send("PUT", "/effects", .object([("set", "brighten")]), expecting: 200)
        let shown = try send("POST", "/shots?wait=1", .object([]), expecting: 201)
        #expect(shown["urls"]?["frame"]?.string != nil)
        program.signal(SIGINT)
        #expect(program.finish().status == 0)
    }
}
