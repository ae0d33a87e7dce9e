// SPDX-License-Identifier: MIT
// What can be asked for, and what is said of anything else.

import LivecapFrames
import Testing

@testable import LivecapIntents

/// Reads the body of a request.
private func read<Asked: Intent>(_ text: String, as _: Asked.Type = Asked.self) throws -> Asked {
    try Asked(body: Array(text.utf8))
}

/// What is said of a body that is refused.
private func refusal<Asked: Intent>(of text: String, as _: Asked.Type) -> IntentFault? {
    do throws(IntentFault) {
        _ = try Asked(body: Array(text.utf8))
        return nil
    } catch { return error }
}

@Suite struct TapIntentTests {
    @Test(arguments: ["", "{}"]) func withoutMembersItIsThisMoment(body: String) throws {
        #expect(try read(body) == TapIntent())
    }

    @Test func aFrameIsNamedByItsID() throws {
        #expect(try read(#"{"frame":"3:77"}"#, as: TapIntent.self).frame == FrameID(epoch: 3, counter: 77))
    }

    /// Numbers of JavaScript do not have all digits.
    @Test(arguments: [#"{"at":"9007199254740993"}"#, #"{"at":9007199254740993}"#])
    func aMomentHasItsNanoseconds(body: String) throws {
        #expect(try read(body, as: TapIntent.self).at == Timestamp(nanoseconds: 9_007_199_254_740_993))
    }

    @Test(arguments: [("250", Duration.milliseconds(250)), ("0.5", .microseconds(500)), ("-40", .milliseconds(-40))])
    func aMomentIsSoLongAgo(_ text: String, _ ago: Duration) throws {
        #expect(try read("{\"agoMs\":\(text)}", as: TapIntent.self).ago == ago)
    }

    @Test func itHasItsSettings() throws {
        let body =
            #"{"quality":"quality","format":"png","reference":"sharpest","frames":9,"after":2,"#
            + #""zoom":{"factor":2,"x":0.25},"tag":"a"}"#
        let tap: TapIntent = try read(body)
        #expect(tap.quality == .quality && tap.format == .png && tap.reference == .sharpest)
        #expect(tap.frames == 9 && tap.laterFrames == 2 && tap.tag == "a")
        #expect(tap.zoom == DigitalZoom(factor: 2, centerX: 0.25))
    }

    @Test func aWholeNumberMayHaveAFractionOfZero() throws {
        #expect(try read(#"{"frames":8.0}"#, as: TapIntent.self).frames == 8)
        #expect(try read(#"{"frames":1e1}"#, as: TapIntent.self).frames == 10)
    }

    @Test func withoutZoomAllIsShown() throws {
        #expect(try read(#"{"zoom":null}"#, as: TapIntent.self).zoom == DigitalZoom(factor: 1))
    }

    @Test(arguments: [
        "[]", "1", "{", #"{"frame":1}"#, #"{"frame":"x"}"#, #"{"frame":"0:1","agoMs":1}"#, #"{"agoMs":3600001}"#,
        #"{"agoMs":1e300}"#, #"{"at":1.5}"#, #"{"at":"+1"}"#, #"{"at":"99999999999999999999"}"#, #"{"quality":"best"}"#,
        #"{"quality":7}"#, #"{"frames":0}"#, #"{"frames":1.5}"#, #"{"frames":100000}"#, #"{"after":-1}"#,
        #"{"zoom":2}"#,
        #"{"zoom":{}}"#, #"{"zoom":{"factor":0}}"#, #"{"zoom":{"factor":2,"x":7}}"#,
        #"{"zoom":{"factor":2,"z":0}}"#, #"{"tag":5}"#, #"{"surprise":true}"#, #"{"format":"gif"}"#,
        #"{"agoMs":{}}"#, #"{"frame":null}"#, #"{"tag":"\#(String(repeating: "x", count: 65))"}"#,
    ])
    func whatIsNoTapIsExplained(body: String) throws {
        let fault = try #require(refusal(of: body, as: TapIntent.self))
        #expect(!fault.message.isEmpty && !fault.hint.isEmpty)
    }

    @Test func aFaultNamesTheFieldAndWhatItMayBe() throws {
        let frames = try #require(refusal(of: #"{"frames":0}"#, as: TapIntent.self))
        #expect(frames.message == #""frames" must be a whole number from 1 to 1000"#)
        let quality = try #require(refusal(of: #"{"quality":"best"}"#, as: TapIntent.self))
        #expect(quality.message.hasPrefix(#""quality" must be one of single, speed, "#))
        let unknown = try #require(refusal(of: #"{"frmaes":2}"#, as: TapIntent.self))
        #expect(unknown.message == #""frmaes" is not known"# && unknown.hint.contains("frames"))
    }
}

@Suite struct OtherIntentTests {
    @Test func aMovieHasItsDeed() throws {
        #expect(try read(#"{"do":"pause"}"#) == MovieIntent(.pause))
        #expect(try read(#"{"do":"mark","name":"Tor!"}"#) == MovieIntent(.mark, chapter: "Tor!"))
        #expect(try read(#"{"do":"start","preMs":1500}"#, as: MovieIntent.self).past == .milliseconds(1500))
    }

    @Test(arguments: [
        "{}", #"{"do":"dance"}"#, #"{"do":"start","name":"a"}"#, #"{"do":"stop","preMs":1}"#,
        #"{"do":"mark","name":""}"#, #"{"do":"start","preMs":-1}"#,
    ])
    func whatIsNoMovieIsExplained(body: String) { #expect(refusal(of: body, as: MovieIntent.self) != nil) }

    @Test func aCameraHasItsFormat() throws {
        let camera: CameraIntent = try read(#"{"id":"a","format":"MJPG","width":640,"height":480,"fps":29.97}"#)
        #expect(camera.id == "a" && camera.format == "MJPG" && camera.rate == 29.97)
        #expect(camera.width == 640 && camera.height == 480)
    }

    @Test(arguments: [
        "{}", #"{"id":""}"#, #"{"id":"a","width":640}"#, #"{"id":"a","height":480}"#,
        #"{"id":"a","width":0,"height":1}"#,
        #"{"id":"a","camera":"b"}"#,
    ])
    func whatIsNoCameraIsExplained(body: String) { #expect(refusal(of: body, as: CameraIntent.self) != nil) }

    @Test(arguments: [
        ("12", "12"), ("-3", "-3"), (#""10ms""#, "10ms"), ("true", "1"), ("false", "0"), ("0.5", "0.5"), ("12.0", "12"),
        ("1e1", "10"),
    ])
    func aControlHasItsValue(_ json: String, _ value: String) throws {
        let control: ControlIntent = try read("{\"key\":\"exposure\",\"value\":\(json)}")
        #expect(control.key == "exposure" && control.value == value)
    }

    @Test(arguments: [
        "{}", #"{"key":"a"}"#, #"{"value":1}"#, #"{"key":"a","value":null}"#, #"{"key":"a","value":[1]}"#,
    ])
    func whatIsNoControlIsExplained(body: String) { #expect(refusal(of: body, as: ControlIntent.self) != nil) }

    @Test func effectsAreAListOrAQuestion() throws {
        #expect(try read(#"{"set":"portrait=0.6,light"}"#) == EffectsIntent("portrait=0.6,light"))
        #expect(try read("{}", as: EffectsIntent.self).set == nil)
        let longest = String(repeating: "x", count: 2048)
        #expect(try read("{\"set\":\"\(longest)\"}", as: EffectsIntent.self).set == longest)
    }

    @Test(arguments: [
        #"{"set":""}"#, #"{"set":1}"#, #"{"set":null}"#, #"{"set":["light"]}"#, #"{"effects":"light"}"#,
        #"{"set":"\#(String(repeating: "x", count: 2049))"}"#,
    ])
    func whatIsNoListOfEffectsIsExplained(body: String) { #expect(refusal(of: body, as: EffectsIntent.self) != nil) }

    @Test func everyReactionHasItsName() throws {
        for reaction in Reaction.allCases {
            #expect(try read("{\"perform\":\"\(reaction.rawValue)\"}") == ReactionIntent(reaction))
        }
    }

    @Test(arguments: ["{}", #"{"perform":"dance"}"#, #"{"perform":""}"#, #"{"perform":1}"#, #"{"perform":"Hearts"}"#])
    func whatIsNoReactionIsExplained(body: String) {
        #expect(refusal(of: body, as: ReactionIntent.self) != nil)
    }

    @Test func factsAreAListOfKinds() throws {
        #expect(try read(#"{"follow":["hands","faces"]}"#) == FactsIntent(follow: [.faces, .hands]))
        #expect(try read(#"{"follow":["faces","faces"]}"#) == FactsIntent(follow: [.faces]))
        #expect(try read(#"{"follow":[]}"#) == FactsIntent(follow: []))
        // What is written is the same whatever the order of a set.
        #expect(FactsIntent(follow: [.hands, .faces]).json.text == #"{"follow":["faces","hands"]}"#)
    }

    @Test(arguments: [
        "{}", #"{"follow":"faces"}"#, #"{"follow":["ears"]}"#, #"{"follow":["faces","ears"]}"#, #"{"follow":[1]}"#,
        #"{"follow":[["faces"]]}"#, #"{"follow":null}"#, #"{"follow":{"faces":true}}"#, #"{"facts":["faces"]}"#,
        #"{"follow":["faces"],"every":2}"#,
    ])
    func whatIsNoListOfKindsIsExplained(body: String) {
        #expect(refusal(of: body, as: FactsIntent.self) != nil)
    }

    @Test func aWrongListSaysWhatMayBeInIt() throws {
        let fault = try #require(refusal(of: #"{"follow":["ears"]}"#, as: FactsIntent.self))
        #expect(fault.message == #""follow" must be a list of any of these: faces, hands"#)
    }

    @Test func aPhotoIsDevelopedOtherwise() throws {
        let develop: DevelopIntent = try read(#"{"shift":-2,"quality":"speed","format":"png","frames":3}"#)
        #expect(develop.shift == -2 && develop.quality == .speed && develop.format == .png && develop.frames == 3)
    }

    @Test(arguments: [
        #"{"shift":1.5}"#, #"{"shift":1001}"#, #"{"quality":"x"}"#, #"{"format":1}"#, #"{"more":1}"#, "x",
    ])
    func whatIsNoDevelopmentIsExplained(body: String) { #expect(refusal(of: body, as: DevelopIntent.self) != nil) }
}

/// What is written is read again as the same.
@Suite struct IntentFormTests {
    private func check<Asked: Intent>(_ intent: Asked) throws {
        #expect(try Asked(body: Array(intent.json.text.utf8)) == intent, "\(intent.json.text)")
    }

    @Test func whatIsWrittenIsReadAgain() throws {
        var tap = TapIntent()
        try check(tap)
        tap.at = Timestamp(nanoseconds: 9_007_199_254_740_993)
        tap.quality = .quality
        tap.frames = 12
        tap.laterFrames = 3
        tap.reference = .sharpest
        tap.format = .heic
        tap.zoom = DigitalZoom(factor: 3, centerX: 0.1, centerY: 0.9)
        tap.tag = "é"
        try check(tap)
        tap.at = nil
        tap.ago = .nanoseconds(-1)
        try check(tap)
        var movie = MovieIntent(.toggle)
        movie.past = .milliseconds(2)
        try check(movie)
        try check(MovieIntent(.mark, chapter: "Tor!"))
        var camera = CameraIntent()
        camera.id = "a"
        camera.format = "YUYV"
        camera.width = 320
        camera.height = 240
        camera.rate = 30
        try check(camera)
        var control = ControlIntent()
        control.key = "exposure"
        control.value = "10ms"
        try check(control)
        try check(EffectsIntent())
        try check(EffectsIntent("background=#204060"))
        try check(ReactionIntent(.thumbsDown))
        try check(FactsIntent(follow: []))
        try check(FactsIntent(follow: [.hands]))
        try check(FactsIntent(follow: [.faces, .hands]))
        var develop = DevelopIntent()
        develop.shift = -7
        develop.quality = .single
        try check(develop)
    }

    @Test func examplesAreIntents() throws {
        func check<Asked: Intent>(_ intent: Asked.Type) { #expect(refusal(of: intent.example, as: intent) == nil) }
        check(TapIntent.self)
        check(MovieIntent.self)
        check(CameraIntent.self)
        check(ControlIntent.self)
        check(EffectsIntent.self)
        check(ReactionIntent.self)
        check(FactsIntent.self)
        check(DevelopIntent.self)
        check(ZoomIntent.self)
    }
}

@Suite struct IntentSchemaTests {
    private let definitions: [(String, JSON)]

    init() throws {
        guard case .object(let definitions)? = IntentSchema.document["$defs"] else { throw NoDefinitions() }
        self.definitions = definitions
    }

    private struct NoDefinitions: Error {}

    @Test func itDefinesEveryIntent() {
        let intents = ["Tap", "Movie", "Camera", "Control", "Effects", "Reaction", "Facts", "Develop", "Zoom"]
        #expect(definitions.map(\.0) == intents + ["Line", "Reply"])
    }

    @Test func aLineMayAskForEffectsAndReactions() {
        #expect(IntentSchema.lineKeys.contains("effects") && IntentSchema.lineKeys.contains("reaction"))
        let effects = SocketEvent.effects.fields
        #expect(effects.filter(\.isRequired).map(\.name) == ["set", "inProgress", "available", "camera"])
        #expect(effects.filter { !$0.isRequired }.map(\.name) == ["effort", "fps", "framesFps", "fault"])
        #expect(SocketEvent.reaction.fields.map(\.name) == ["perform", "durationMs"])
    }

    @Test func aLineMayAskForFacts() {
        #expect(IntentSchema.lineKeys.contains("facts"))
        let follow = definitions.first { $0.0 == "Facts" }?.1["properties"]?["follow"]
        #expect(follow?["type"]?.asString == "array" && follow?["items"]?["enum"]?.text == #"["faces","hands"]"#)
        #expect(SocketEvent.following.fields.map(\.name) == ["follow"])
    }

    /// Whatever is known of a frame, its line has the members that the schema names, and no others.
    @Test(arguments: [([], nil), (nil, [])] as [([FaceFacts]?, [HandFacts]?)])
    func factsHaveTheirMembers(faces: [FaceFacts]?, hands: [HandFacts]?) {
        let facts = FrameFacts(frame: FrameID(epoch: 0, counter: 1), time: .zero, faces: faces, hands: hands)
        guard case .object(let members) = facts.json else {
            Issue.record("not an object")
            return
        }
        #expect(members.map(\.0) == SocketEvent.facts.fields.map(\.name))
        #expect(!SocketEvent.facts.fields.map(\.isRequired).contains(false))
    }

    @Test func everyFieldSaysWhatItMeans() {
        for (name, definition) in definitions where !["Line", "Reply"].contains(name) {
            guard case .object(let fields)? = definition["properties"] else {
                Issue.record("\(name) has no fields")
                continue
            }
            for (field, schema) in fields { #expect(schema["description"]?.asString != nil, "\(name).\(field)") }
        }
    }

    @Test func aReferenceLeadsToADefinition() {
        let text = IntentSchema.document.text
        let references = text.matches(of: #/"\$ref":"(?<place>[^"]*)"/#).map { String($0.place) }
        #expect(references.count >= 6)
        for reference in references {
            #expect(definitions.contains { "#/$defs/\($0.0)" == reference }, "\(reference)")
        }
    }
}
