// SPDX-License-Identifier: MIT
// What is hidden behind people in the frames of a page, or in a photo, is shown by no other way.

import LivecapFrames
import LivecapHTTP
import LivecapIntents
import LivecapWebGear
import Testing

@testable import LivecapPhotoStorage
@testable import LivecapServing

@Suite(.serialized) struct HiddenRoomTests {
    private let document: OpenAPIDocument

    init() throws { document = try #require(PageFiles()["openapi.json"].flatMap { OpenAPIDocument($0.bytes) }) }

    /// What the document says of a path.
    private func operation(_ path: String) throws -> OpenAPIDocument.Operation {
        let parts = path.prefix { $0 != "?" }.split(separator: "/").map { $0.allSatisfy(\.isNumber) ? "{id}" : $0 }
        let found = document.operation("GET", "/" + parts.joined(separator: "/"))
        return try #require(found)
    }

    /// Asks for a page of `path`'s kind, and compares what is no picture with the document.
    private func get(_ scene: ServedScene, _ path: String, expecting status: Int, code: String? = nil) throws {
        let answer = try HTTPConnection.get(port: scene.port, path)
        #expect(answer.status == status && answer.json?["code"]?.string == code, "\(path): \(answer.status)")
        guard status != 200 else { return #expect(answer["Content-Type"] == "image/jpeg", "\(path)") }
        #expect(!answer.body.starts(with: [0xFF, 0xD8]), "\(path)")
        let operation = try operation(path)
        let fault = document.fault(operation, status: answer.status, type: answer["Content-Type"], body: answer.json)
        #expect(fault == nil, "\(path): \(fault ?? "")")
    }

    @Test(arguments: [
        ("portrait=0.6", true), ("portrait", true), ("light,background=#204060", true), ("background=beach.jpg", true),
        ("none", false), ("portrait=0,light", false), ("light=0.5,framing,gestures", false),
    ])
    func listsSayWhetherTheyHideTheRoom(_ list: String, _ hides: Bool) {
        #expect(EffectList(list).hidesRoom == hides)
        let stage = EffectStage()
        #expect(stage.set(list) == nil && stage.board.hidesRoom() == hides)
    }

    /// Whoever hides it, and until it is shown again.
    @Test func noFrameOfTheCameraIsShownWhileTheRoomIsHidden() async throws {
        let stage = EffectStage()
        try await withServedScene(change: { $0.effects = stage.board }) { scene in
            _ = scene.session.ring.wait(forCounter: 8, until: .now + .seconds(60))
            let newest = try #require(scene.session.ring.historyMetadata().last)
            let paths = [
                "/snapshot", "/snapshot?width=160", "/snapshot?ago=100", "/snapshot?at=\(newest.time.nanoseconds)",
                "/snapshot?frame=\(newest.id)", "/?action=snapshot",
            ]
            for path in paths { try get(scene, path, expecting: 200) }
            for list in ["portrait=0.3", "background=#ff0000"] {
                #expect(stage.set(list) == nil)
                for path in paths { try get(scene, path, expecting: 409, code: "hidden") }
            }
            #expect(stage.set("light,framing") == nil)
            try get(scene, "/snapshot", expecting: 200)
        }
    }

    private func post(_ scene: ServedScene, _ path: String, _ body: String) throws -> HTTPAnswer {
        try HTTPConnection.exchange(
            port: scene.port, HTTPRequest("POST", path, fields: [scene.proof], body: Array(body.utf8)))
    }

    /// Movies have no effects here.
    @Test func noMovieIsBegunWhileTheRoomIsHidden() async throws {
        let stage = EffectStage()
        try await withServedScene(change: { $0.effects = stage.board }) { scene in
            _ = scene.session.ring.wait(forCounter: 8, until: .now + .seconds(60))
            #expect(stage.set("portrait") == nil)
            let answer = try post(scene, "/movies", #"{"do":"start"}"#)
            #expect(answer.status == 409 && answer.json?["code"]?.string == "hidden")
            #expect(stage.set("light") == nil)
            #expect(try post(scene, "/movies", #"{"do":"start"}"#).status == 201)
            #expect(try post(scene, "/movies", #"{"do":"stop"}"#).status == 200)
        }
    }

    @Test func aShotOfAMomentToComeIsGivenUpWhenTheRoomIsHidden() async throws {
        let stage = EffectStage()
        try await withServedScene(change: { $0.effects = stage.board }) { scene in
            _ = scene.session.ring.wait(forCounter: 8, until: .now + .seconds(60))
            let newest = try #require(scene.session.ring.newestTime)
            let body = #"{"at":"\#((newest + .seconds(3000)).nanoseconds)"}"#
            // Whether it is asked for just before or just after: nobody waits for it any more.
            let connection = try HTTPConnection(port: scene.port)
            try connection.send(HTTPRequest("POST", "/shots?wait=1", fields: [scene.proof], body: Array(body.utf8)))
            #expect(stage.set("portrait") == nil)
            #expect(try connection.readAnswer().status >= 400)
            #expect(stage.set("none") == nil)
            let asked = try post(scene, "/shots", body)
            let shot = try #require(asked.json?["shot"]?.asInteger, "\(asked.status) \(asked.text)")
            let givenUp = try HTTPConnection.exchange(
                port: scene.port, HTTPRequest("DELETE", "/shots/\(shot)", fields: [scene.proof]))
            #expect(givenUp.status == 204)
        }
    }

    /// A server that draws nothing into the page's frames hides nothing.
    @Test func aServerWithoutEffectsShowsItsFrames() async throws {
        try await withServedScene { scene in
            _ = scene.session.ring.wait(forCounter: 2, until: .now + .seconds(60))
            try get(scene, "/snapshot", expecting: 200)
        }
    }

    private func shoot(_ scene: ServedScene) throws -> PhotoID {
        _ = scene.session.ring.wait(forCounter: 8, until: .now + .seconds(60))
        let answer = try HTTPConnection.exchange(
            port: scene.port, HTTPRequest("POST", "/shots?wait=1", fields: [scene.proof], body: []))
        let number = try #require(answer.json?["id"]?.asInteger, "\(answer.status) \(answer.text)")
        return PhotoID(number: number)
    }

    /// Adds a photo of the same frames that was asked for with effects.
    private func add(_ effects: String, to scene: ServedScene, like id: PhotoID) throws -> PhotoID {
        let photo = try scene.library.photo(id), account = try scene.library.account(of: id)
        let request = account.request.replacing(#""effects":null"#, with: #""effects":"\#(effects)""#)
        #expect(request != account.request)
        var new = NewPhoto(
            tap: photo.tap, reference: photo.reference, taken: photo.taken, format: .jpeg, size: photo.size,
            qualityAsked: .speed, qualityGiven: .speed, request: request,
            provenance: account.provenance, thumbnail: [])
        new.sharesFramesOf = id
        return try scene.library.addFinished(new, [0xFF, 0xD8, 0xFF, 0xD9]).id
    }

    private func urls(_ scene: ServedScene, _ id: PhotoID) throws -> JSON {
        let answer = try HTTPConnection.get(port: scene.port, "/photos/\(id)")
        let operation = try operation("/photos/\(id)")
        let fault = document.fault(operation, status: answer.status, type: answer["Content-Type"], body: answer.json)
        #expect(fault == nil)
        return try #require(answer.json?["urls"])
    }

    @Test func theFramesOfAPhotoThatHidesTheRoomAreNotShown() async throws {
        try await withServedScene { scene in
            let plain = try shoot(scene)
            for part in ["frame", "explain"] {
                #expect(try urls(scene, plain)[part]?.asString == "/photos/\(plain)/\(part)")
            }
            try get(scene, "/photos/\(plain)/frame", expecting: 200)
            for effects in ["portrait=0.6", "light=0.5,background=#ff0000"] {
                let hidden = try add(effects, to: scene, like: plain)
                for part in ["frame", "explain"] {
                    #expect(try urls(scene, hidden)[part]?.isNull == true)
                    try get(scene, "/photos/\(hidden)/\(part)", expecting: 409, code: "hidden-in-photo")
                }
            }
        }
    }

    /// Its frame is the frame as it came, without the light.
    @Test func aPhotoWithLightAloneShowsItsFrame() async throws {
        try await withServedScene { scene in
            let plain = try shoot(scene), lit = try add("light=0.5", to: scene, like: plain)
            #expect(try urls(scene, lit)["frame"]?.asString == "/photos/\(lit)/frame")
            try get(scene, "/photos/\(lit)/frame", expecting: 200)
        }
    }

    @Test func accountsOfPhotosDoNotTellPlacesOfBackgrounds() {
        func shown(_ provenance: String) -> String {
            PhotoAccount(request: "", provenance: provenance).shownProvenance
        }
        #expect(
            shown(#"{"settings":{"effects":"light=0.5,background=/home/ann/a\\b.jpg"},"frame":1}"#)
                == #"{"settings":{"effects":"light=0.5,background=a\\b.jpg"},"frame":1}"#)
        for same in [#"{"settings":{"effects":"background=#204060"}}"#, #"{"settings":{}}"#, "{", ""] {
            #expect(shown(same) == same)
        }
    }

    @Test func whatAPhotoHidesIsUnknownWithoutItsRequest() {
        for request in ["", "{}", "[]"] {
            #expect(PhotoAccount(request: request, provenance: "{}").hidesRoom)
        }
        #expect(!PhotoAccount(request: #"{"settings":{}}"#, provenance: "{}").hidesRoom)
    }
}
