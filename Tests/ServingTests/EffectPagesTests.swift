// SPDX-License-Identifier: MIT
// Effects and reactions over HTTP: what is on, what is refused, and what all pages are told.

import LivecapDeveloping
import LivecapEffects
import LivecapFrames
import LivecapIntents
import LivecapWebGear
import Testing

@testable import LivecapHTTP
@testable import LivecapServing

@Suite(.serialized) struct EffectPagesTests {
    private let document: OpenAPIDocument

    init() throws { document = try #require(PageFiles()["openapi.json"].flatMap { OpenAPIDocument($0.bytes) }) }

    /// Asks over a socket, and compares the answer with the document.
    @discardableResult private func ask(
        _ scene: ServedScene, _ method: String, _ path: String, _ body: String = "", hasProof: Bool = true,
        expecting status: Int
    ) throws -> JSON {
        let fields = hasProof ? [scene.proof] : []
        let answer = try HTTPConnection.exchange(
            port: scene.port, LivecapWebGear.HTTPRequest(method, path, fields: fields, body: Array(body.utf8)))
        #expect(answer.status == status, "\(method) \(path) \(body): \(answer.text)")
        let operation = try #require(document.operation(method, path))
        let fault = document.fault(operation, status: answer.status, type: answer["Content-Type"], body: answer.json)
        #expect(fault == nil, "\(method) \(path) \(body): \(fault ?? "")")
        return try #require(answer.json)
    }

    private func strengths(_ effects: JSON) -> [String: Double] {
        let pairs = effects["strengths"]?.elements.compactMap { effect -> (String, Double)? in
            guard let name = effect["name"]?.string, let strength = effect["strength"]?.double else { return nil }
            return (name, strength)
        }
        return Dictionary(uniqueKeysWithValues: pairs ?? [])
    }

    /// The next event of that name.
    private func next(_ events: EventStream, _ name: String) throws -> JSON {
        while let event = try events.next() {
            if event.name == name { return try #require(event.json) }
        }
        throw WireError.malformed("no more events")
    }

    @Test func effectsAreReadAndSet() async throws {
        let stage = EffectStage()
        try await withServedScene(change: { $0.effects = stage.board }) { scene in
            let before = try ask(scene, "GET", "/effects", expecting: 200)
            #expect(before["effects"]?.string == "none" && before["lack"]?.isNull == true)
            #expect(strengths(before) == ["portrait": 0, "light": 0, "framing": 0, "gestures": 0])
            #expect(before["reactions"]?.elements.compactMap { $0["reaction"]?.string }.contains("lasers") == false)
            #expect(before["facts"]?.elements.isEmpty == true)
            let list = "portrait=0.25,light,background=#204060,gestures"
            let after = try ask(scene, "PUT", "/effects", #"{"set":"\#(list)"}"#, expecting: 200)
            #expect(stage.effects == list && after["effects"]?.string == list)
            #expect(strengths(after) == ["portrait": 0.25, "light": 0.6, "framing": 0, "gestures": 1])
            #expect(after["background"]?.string == "#204060")
            #expect(try ask(scene, "GET", "/effects", expecting: 200).text == after.text)
            let none = try ask(scene, "PUT", "/effects", #"{"set":"none"}"#, expecting: 200)
            #expect(none["background"]?.isNull == true && strengths(none)["portrait"] == 0)
        }
        #expect(stage.observerCount == 0)
    }

    @Test(arguments: [
        ("", "'set' is missing"), ("[]", "not a JSON object"), (#"{"set":""}"#, "not empty"),
        (#"{"set":"sepia"}"#, "'sepia' is no effect"), (#"{"set":"light,light"}"#, "'light' is named twice"),
        (#"{"set":"light,"}"#, "an effect has no name"), (#"{"set":"light=2"}"#, "no number from 0 to 1"),
        (#"{"set":"light=nan"}"#, "no number from 0 to 1"), (#"{"set":"none,light"}"#, "'none' is no effect"),
        (#"{"set":"gestures=1"}"#, "'gestures' has no strength"),
        (#"{"set":"background"}"#, "'background' has no colour"),
        (#"{"set":"background=#12345"}"#, "'#12345' is no background"),
        (#"{"set":"light","strength":1}"#, "'strength' is not known"),
    ])
    func whatIsNoListIsRefusedWithWords(_ body: String, _ words: String) async throws {
        let stage = EffectStage()
        try await withServedScene(change: { $0.effects = stage.board }) { scene in
            let refusal = try ask(scene, "PUT", "/effects", body, expecting: 400)
            #expect(refusal["code"]?.string == "bad-request")
            let message = try #require(refusal["error"]?.string).replacing("\"", with: "'")
            #expect(message.contains(words), "\(message)")
            #expect(stage.effects == "none")
        }
    }

    /// Pages open no files of this machine but those that its owner has named.
    @Test func aBackgroundIsAColourOrOneThatIsOffered() async throws {
        let stage = EffectStage()
        try await withServedScene(change: { $0.effects = stage.board }) { scene in
            for path in ["/etc/passwd", "../beach.jpg", "beach.JPG", "#20406g", "＃204060"] {
                try ask(scene, "PUT", "/effects", #"{"set":"background=\#(path)"}"#, expecting: 400)
            }
            #expect(stage.effects == "none")
            let shown = try ask(scene, "PUT", "/effects", #"{"set":"background=beach.jpg"}"#, expecting: 200)
            #expect(shown["background"]?.string == "beach.jpg")
        }
    }

    /// Whoever moves a slider sends the whole list, with a background that somebody else has chosen.
    @Test func whatIsBehindPeopleNowCanStay() async throws {
        let stage = EffectStage()
        try await withServedScene(change: { $0.effects = stage.board }) { scene in
            #expect(stage.set("background=hills.jpg") == nil)
            let before = try ask(scene, "GET", "/effects", expecting: 200)
            #expect(before["backgrounds"]?.elements.compactMap(\.string) == ["beach.jpg", "hills.jpg"])
            try ask(scene, "PUT", "/effects", #"{"set":"light=0.4,background=hills.jpg"}"#, expecting: 200)
            #expect(stage.effects == "light=0.4,background=hills.jpg")
            // It is offered for as long as it is there.
            try ask(scene, "PUT", "/effects", #"{"set":"background=#204060"}"#, expecting: 200)
            try ask(scene, "PUT", "/effects", #"{"set":"background=hills.jpg"}"#, expecting: 400)
        }
    }

    /// Where pictures are on this machine is told to nobody who views: not by states, events, refusals or photos.
    @Test func placesOfBackgroundsAreNotTold() async throws {
        let stage = EffectStage(), place = "/home/ann/beach.jpg"
        try await withServedScene(change: { $0.effects = stage.board(["/srv/beach.jpg", "/srv/#204060"]) }) { scene in
            let events = try EventStream(port: scene.port)
            _ = try next(events, "effects")
            #expect(stage.set("light=0.5,background=\(place)") == nil)
            let heard = try next(events, "effects"), told = try ask(scene, "GET", "/effects", expecting: 200)
            #expect(heard.text == told.text && !told.text.contains("/"))
            let names = ["beach.jpg", "picture #204060", "beach.jpg (2)"]
            #expect(told["backgrounds"]?.elements.compactMap(\.string) == names)
            #expect(told["effects"]?.string == "light=0.5,background=beach.jpg (2)")
            for (name, path) in zip(names, ["/srv/beach.jpg", "/srv/#204060"]) {
                try ask(scene, "PUT", "/effects", #"{"set":"background=\#(name)"}"#, expecting: 200)
                #expect(stage.effects == "background=\(path)")
            }
            let refusal = try ask(scene, "PUT", "/effects", #"{"set":"background=hills.jpg"}"#, expecting: 400)
            #expect(refusal["hint"]?.string?.hasSuffix("or one of beach.jpg, picture #204060") == true)
            stage.lose(EffectRefusal("/srv/beach.jpg is gone", hint: "look at /srv/beach.jpg", code: "gone"))
            let lost = try ask(scene, "PUT", "/effects", #"{"set":"background=beach.jpg"}"#, expecting: 409)
            #expect(lost["error"]?.string == "beach.jpg is gone" && lost["hint"]?.string == "look at beach.jpg")
            #expect(try ask(scene, "GET", "/effects", expecting: 200)["lack"]?.text == lost.text)
        }
    }

    @Test func aServerWithoutAStageSaysWhy() async throws {
        try await withServedScene(change: { $0.noEffects = .noStage(hint: "start it so") }) { scene in
            let effects = try ask(scene, "GET", "/effects", expecting: 200)
            #expect(effects["effects"]?.string == "none" && effects["strengths"]?.elements.isEmpty == true)
            #expect(effects["lack"]?["code"]?.string == "no-effects")
            #expect(effects["lack"]?["hint"]?.string == "start it so")
            let refusal = try ask(scene, "PUT", "/effects", #"{"set":"light"}"#, expecting: 404)
            #expect(refusal["code"]?.string == "no-effects")
            try ask(scene, "POST", "/reactions", #"{"perform":"hearts"}"#, expecting: 404)
        }
    }

    @Test func aPhotoGetsTheEffectsOfTheMomentItIsAskedFor() async throws {
        let board = EffectBoard()
        // A photo of quality single that has effects is refused, which needs no nets.
        try await withServedScene(change: { settings in
            settings.photos.quality = .single
            settings.photoEffects = { $0.withEffects(of: board) }
        }) { scene in
            try ask(scene, "POST", "/shots", "{}", expecting: 202)
            board.set(EffectSettings(background: .colour(red: 0, green: 255, blue: 0), framing: 1))
            let refusal = try ask(scene, "POST", "/shots", "{}", expecting: 400)
            #expect(refusal["code"]?.string == "bad-settings")
            board.set(EffectSettings(framing: 1))
            try ask(scene, "POST", "/shots", "{}", expecting: 202)
        }
    }

    @Test func whatCannotBeDrawnIsRefusedWithTheReason() async throws {
        let stage = EffectStage()
        stage.lose(EffectRefusal("the model of faces is missing", hint: "run make effects", code: "effects-missing"))
        try await withServedScene(change: { $0.effects = stage.board }) { scene in
            let lack = try ask(scene, "GET", "/effects", expecting: 200)["lack"]
            let refusal = try ask(scene, "PUT", "/effects", #"{"set":"light"}"#, expecting: 409)
            #expect(refusal["code"]?.string == "effects-missing" && refusal["hint"]?.string == "run make effects")
            #expect(lack?.text == refusal.text)
            try ask(scene, "POST", "/reactions", #"{"perform":"hearts"}"#, expecting: 409)
            #expect(stage.performed.isEmpty)
        }
    }

    @Test func whatIsNotDrawnAfterAllIsToldToAll() async throws {
        let stage = EffectStage()
        let fault = EffectRefusal("the net of /srv/beach.jpg is gone", hint: "install it", code: "effects-missing")
        try await withServedScene(change: { $0.effects = stage.board(["/srv/beach.jpg"]) }) { scene in
            #expect(try ask(scene, "GET", "/effects", expecting: 200)["fault"]?.isNull == true)
            let events = try EventStream(port: scene.port)
            _ = try next(events, "effects")
            try ask(scene, "PUT", "/effects", #"{"set":"portrait"}"#, expecting: 200)
            #expect(try next(events, "effects")["fault"]?.isNull == true)
            stage.fail(fault)
            let heard = try next(events, "effects")
            #expect(heard["effects"]?.string == "none" && heard["fault"]?["code"]?.string == "effects-missing")
            #expect(heard["fault"]?["error"]?.string == "the net of beach.jpg is gone")
            #expect(heard["fault"]?["hint"]?.string == "install it")
            #expect(document.fault(heard, named: "Effects") == nil)
            #expect(try ask(scene, "GET", "/effects", expecting: 200).text == heard.text)
            let after = try ask(scene, "PUT", "/effects", #"{"set":"framing"}"#, expecting: 200)
            #expect(after["fault"]?.isNull == true)
        }
    }

    @Test func whoeverHasNoProofOrTokenChangesNothing() async throws {
        let stage = EffectStage(), token = "0123456789abcdef"
        let bodies = [
            ("PUT", "/effects", #"{"set":"light"}"#), ("POST", "/reactions", #"{"perform":"hearts"}"#),
        ]
        try await withServedScene(change: { $0.effects = stage.board }) { scene in
            for (method, path, body) in bodies {
                try ask(scene, method, path, body, hasProof: false, expecting: 403)
            }
        }
        try await withServedScene(token: token, change: { $0.effects = stage.board }) { scene in
            for (method, path, body) in bodies { try ask(scene, method, path, body, expecting: 401) }
            try ask(scene, "GET", "/effects", expecting: 401)
        }
        #expect(stage.effects == "none" && stage.performed.isEmpty)
    }

    @Test func reactionsAreBegunByName() async throws {
        let stage = EffectStage()
        try await withServedScene(change: { $0.effects = stage.board }) { scene in
            let after = try ask(scene, "POST", "/reactions", #"{"perform":"hearts"}"#, expecting: 200)
            #expect(after["inProgress"]?.elements.compactMap(\.string) == ["hearts"])
            try ask(scene, "POST", "/reactions", #"{"perform":"sneeze"}"#, expecting: 400)
            try ask(scene, "POST", "/reactions", "{}", expecting: 400)
            let refusal = try ask(scene, "POST", "/reactions", #"{"perform":"lasers"}"#, expecting: 409)
            #expect(refusal["code"]?.string == "no-such-reaction")
            #expect(stage.performed == [.hearts])
        }
    }

    @Test func pagesHearOfChangesWhoeverMakesThem() async throws {
        let stage = EffectStage()
        try await withServedScene(change: { $0.effects = stage.board }) { scene in
            let events = try EventStream(port: scene.port)
            // A page that connects hears first how things are.
            let first = try next(events, "effects")
            #expect(first["effects"]?.string == "none")
            // By another page, and by another program.
            try ask(scene, "PUT", "/effects", #"{"set":"framing"}"#, expecting: 200)
            let second = try next(events, "effects")
            #expect(strengths(second)["framing"] == 1)
            #expect(stage.set("light=0.5") == nil)
            #expect(try next(events, "effects")["effects"]?.string == "light=0.5")
            #expect(stage.perform(.confetti) == nil)
            let reaction = try next(events, "reaction")
            #expect(reaction.text == #"{"reaction":"confetti","seconds":4.0}"#)
            #expect(document.fault(reaction, named: "ReactionEvent") == nil)
            #expect(document.fault(second, named: "Effects") == nil)
        }
    }
}
