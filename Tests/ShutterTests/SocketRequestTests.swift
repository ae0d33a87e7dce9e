// SPDX-License-Identifier: MIT
// Parsing the lines of clients as requests, and the errors for invalid lines.

import LivecapFrames
import Shutter
import Testing

private let now = Timestamp(nanoseconds: 1_000_000_000)

private func read(_ line: String) throws -> SocketRequest {
    try SocketRequest(line: Array(line.utf8), received: now)
}

private func explanation(of line: [UInt8]) -> SocketRefusal? {
    do throws(SocketRefusal) {
        _ = try SocketRequest(line: line, received: now)
        return nil
    } catch { return error }
}

@Suite struct SocketRequestTests {
    @Test(arguments: [
        (#""now""#, tap { _ in }), (#""-250ms""#, tap { $0.ago = .milliseconds(250) }),
        (#""1.5s""#, tap { $0.ago = .milliseconds(-1500) }), (#""-7200s""#, tap { $0.ago = .seconds(7200) }),
        (#""-0.000000001s""#, tap { $0.ago = .nanoseconds(1) }),
        (#"{"ns":123}"#, tap { $0.at = Timestamp(nanoseconds: 123) }),
        (#"{"frame":"1:123"}"#, tap { $0.frame = FrameID(epoch: 1, counter: 123) }),
        ("{}", tap { _ in }), (#"{"agoMs":250}"#, tap { $0.ago = .milliseconds(250) }),
        (#"{"at":"123"}"#, tap { $0.at = Timestamp(nanoseconds: 123) }),
    ])
    func aTapHasAMoment(_ text: String, _ tap: TapIntent) throws {
        #expect(try read("{\"tap\":\(text)}") == SocketRequest(.tap(tap), received: now))
    }

    private static func tap(_ change: (inout TapIntent) -> Void) -> TapIntent {
        var tap = TapIntent()
        change(&tap)
        return tap
    }

    @Test func aTapHasItsOptions() throws {
        let request = try read(
            #" { "id" : "a\n\u00e4\ud83d\udcf7", "quality":"speed", "frames":4,"after":0,"reference":"tap","tap":"now"} "#
        )
        let tap = Self.tap {
            ($0.quality, $0.frames, $0.laterFrames, $0.reference) = (.speed, 4, 0, .tap)
        }
        #expect(request == SocketRequest(.tap(tap), id: .text("a\nä📷"), received: now))
        #expect(request.id?.json.text == #""a\nä📷""#)
    }

    @Test(arguments: [("press", SocketRequest.Wish.press), ("release", .release), ("readiness", .readiness)])
    func otherRequestsTakeTrue(_ name: String, _ wish: SocketRequest.Wish) throws {
        #expect(try read("{\"\(name)\":true,\"id\":-7}") == SocketRequest(wish, id: .number(-7), received: now))
        #expect(throws: SocketRefusal.self) { try read("{\"\(name)\":false}") }
        #expect(throws: SocketRefusal.self) { try read("{\"\(name)\":true,\"frames\":2}") }
    }

    @Test func moviesHaveTheirWords() throws {
        for action in MovieIntent.Action.allCases {
            let movie = SocketRequest(.movie(MovieIntent(action)), received: now)
            #expect(try read("{\"movie\":\"\(action.rawValue)\"}") == movie)
            #expect(try read("{\"movie\":{\"do\":\"\(action.rawValue)\"}}") == movie)
        }
        let mark = SocketRequest(.movie(MovieIntent(.mark, chapter: "Tor!")), id: .number(1), received: now)
        #expect(try read(#"{"movie":"mark","name":"Tor!","id":1}"#) == mark)
        #expect(try read(#"{"movie":{"do":"mark","name":"Tor!"},"id":1}"#) == mark)
        for line in [
            #"{"movie":"start","name":"a"}"#, #"{"tap":"now","name":"a"}"#, #"{"name":"a"}"#,
            #"{"movie":"mark","name":""}"#, #"{"movie":"mark","name":1}"#,
        ] { #expect(explanation(of: Array(line.utf8)) != nil, "\(line)") }
    }

    /// A line has the same fields inside an intent and beside it.
    @Test func fieldsMayStandInsideOrBesideATap() throws {
        let inside = try read(#"{"tap":{"agoMs":5,"quality":"speed","frames":2,"after":1,"reference":"sharpest"}}"#)
        let beside = try read(#"{"tap":"-5ms","quality":"speed","frames":2,"after":1,"reference":"sharpest"}"#)
        #expect(inside == beside)
        #expect(throws: SocketRefusal.self) { try read(#"{"tap":{"frames":2},"frames":2}"#) }
    }

    @Test func camerasAndControlsAreObjects() throws {
        guard case .camera(let camera) = try read(#"{"camera":{"id":"usb-1","width":640,"height":480},"id":1}"#).wish
        else { return _ = Issue.record("no camera") }
        #expect(camera.id == "usb-1" && camera.width == 640 && camera.height == 480)
        guard case .control(let control) = try read(#"{"control":{"key":"gain","value":9}}"#).wish else {
            return _ = Issue.record("no control")
        }
        #expect(control.key == "gain" && control.value == "9")
        for line in [
            #"{"camera":"usb-1"}"#, #"{"camera":{}}"#, #"{"control":{"key":"gain"}}"#, #"{"control":9}"#,
            #"{"camera":{"id":"a"},"quality":"speed"}"#,
        ] { #expect(explanation(of: Array(line.utf8)) != nil, "\(line)") }
    }

    @Test(arguments: [
        (#"{"effects":{"set":"portrait=0.6,light"}}"#, SocketRequest.Wish.effects(EffectsIntent("portrait=0.6,light"))),
        (#"{"effects":{}}"#, .effects(EffectsIntent())), (#"{"effects":"none"}"#, .effects(EffectsIntent("none"))),
        (#"{"reaction":{"perform":"hearts"}}"#, .reaction(ReactionIntent(.hearts))),
        (#"{"reaction":"thumbs-up"}"#, .reaction(ReactionIntent(.thumbsUp))),
    ])
    func effectsAndReactionsAreObjectsOrWords(_ line: String, _ wish: SocketRequest.Wish) throws {
        #expect(try read(line) == SocketRequest(wish, received: now))
        let named = line.dropLast() + #","id":"a"}"#
        #expect(try read(String(named)) == SocketRequest(wish, id: .text("a"), received: now))
    }

    @Test(arguments: [
        #"{"effects":true}"#, #"{"effects":""}"#, #"{"effects":["light"]}"#, #"{"effects":{"set":1}}"#,
        #"{"effects":{"perform":"hearts"}}"#, #"{"effects":"none","set":"light"}"#,
        #"{"effects":{},"quality":"speed"}"#, #"{"reaction":{}}"#, #"{"reaction":true}"#, #"{"reaction":"dance"}"#,
        #"{"reaction":{"set":"hearts"}}"#,
        #"{"reaction":"hearts","effects":"none"}"#, #"{"reaction":"hearts","name":"a"}"#,
    ])
    func whatIsNoEffectOrReactionIsExplained(_ line: String) {
        #expect(explanation(of: Array(line.utf8)) != nil)
    }

    @Test(
        arguments: [
            (#"{"facts":{"follow":["faces","hands"]}}"#, [.faces, .hands]),
            (#"{"facts":{"follow":["hands"]}}"#, [.hands]),
            (#"{"facts":{"follow":[]}}"#, []),
        ] as [(String, Set<FactKind>)])
    func factsAreObjectsWithAList(_ line: String, _ kinds: Set<FactKind>) throws {
        let wish = SocketRequest.Wish.facts(FactsIntent(follow: kinds))
        #expect(try read(line) == SocketRequest(wish, received: now))
        #expect(try read(String(line.dropLast() + #","id":7}"#)) == SocketRequest(wish, id: .number(7), received: now))
    }

    @Test(arguments: [
        #"{"facts":{}}"#, #"{"facts":true}"#, #"{"facts":"faces"}"#, #"{"facts":["faces"]}"#,
        #"{"facts":{"follow":"faces"}}"#, #"{"facts":{"follow":["ears"]}}"#, #"{"facts":{"follow":[]},"tap":"now"}"#,
        #"{"facts":{"follow":["faces"]},"quality":"speed"}"#, #"{"follow":["faces"]}"#,
    ])
    func whatAsksForNoFactsIsExplained(_ line: String) {
        #expect(explanation(of: Array(line.utf8)) != nil)
    }

    @Test func anEmptyNameIsRefusedInWords() throws {
        let refusal = try #require(explanation(of: Array(#"{"movie":"mark","name":""}"#.utf8)))
        #expect(refusal.message.contains("not empty"), "\(refusal)")
    }

    @Test(arguments: [
        "", "{", "}", "[]", "1", "nul", "{}", #"{"tap":"now"}{}"#, #"{"tap":"now",}"#, #"{tap:"now"}"#, #"{"tap":now}"#,
        #"{"tap":"now","tap":"now"}"#, #"{"tap":"now","press":true}"#, #"{"tap":"now","colour":1}"#,
        #"{"tap":"soon"}"#, #"{"tap":"250"}"#, #"{"tap":"-ms"}"#, #"{"tap":"1.ms"}"#, #"{"tap":".5s"}"#,
        #"{"tap":"0.5ns"}"#, #"{"tap":"99999999999s"}"#, #"{"tap":"--1s"}"#, #"{"tap":{"ns":-1}}"#,
        #"{"tap":{"ns":1.5}}"#, #"{"tap":{"ns":1,"frame":"0:1"}}"#, #"{"tap":{"frame":"1"}}"#,
        #"{"tap":{"frame":"0:+1"}}"#, #"{"tap":{"frame":"4294967296:0"}}"#, #"{"tap":"now","frames":0}"#,
        #"{"tap":"now","frames":1e9}"#, #"{"tap":"now","after":-1}"#, #"{"tap":"now","quality":""}"#,
        #"{"tap":"now","quality":"best"}"#, #"{"tap":"now","quality":1}"#, #"{"tap":"now","reference":"first"}"#,
        #"{"tap":"now","id":{}}"#, #"{"press":01}"#, #"{"press":-}"#, #"{"press":1.}"#, #"{"press":1e}"#,
        #"{"tap":"\ud800"}"#, #"{"tap":"\udc00"}"#, #"{"tap":"\x"}"#, #"{"tap":"\u12"}"#, "{\"tap\":\"\u{1}\"}",
    ])
    func whatIsNoRequestIsExplained(_ line: String) throws {
        let refusal = try #require(explanation(of: Array(line.utf8)))
        #expect(!refusal.message.isEmpty && !refusal.hint.isEmpty)
    }

    @Test func bytesThatAreNoTextAreRefused() {
        #expect(explanation(of: Array(#"{"tap":""#.utf8) + [0xFF] + Array(#""}"#.utf8)) != nil)
    }

    @Test func nestingHasAnEnd() {
        #expect(explanation(of: Array(String(repeating: "[", count: 4000).utf8)) != nil)
        #expect(explanation(of: Array((String(repeating: "{\"a\":", count: 800) + "1").utf8)) != nil)
    }

    @Test func longLinesAreRefused() throws {
        let most = SocketRequest.maxBytes
        let line = #"{"tap":"now"}"#
        let padded = line + String(repeating: " ", count: most - line.utf8.count)
        #expect(explanation(of: Array(padded.utf8)) == nil)
        #expect(explanation(of: Array((padded + " ").utf8)) != nil)
    }

    @Test func refusalRepeatsTheRequestId() throws {
        let refusal = try #require(explanation(of: Array(#"{"id":"a\"b","tap":1}"#.utf8)))
        #expect(refusal.id == .text("a\"b"))
        #expect(refusal.json.hasSuffix(#","id":"a\"b"}"#) && refusal.json.contains(#""code":"bad-request""#))
    }
}

@Suite struct LineSplitterTests {
    private var splitter = LineSplitter(maxBytes: 4)

    @Test mutating func linesMayComeInPieces() {
        #expect(splitter.lines(in: Array("ab".utf8)).isEmpty)
        #expect(splitter.lines(in: Array("c\n\nd\ne".utf8)) == [.whole(Array("abc".utf8)), .whole([]), .whole([0x64])])
        #expect(splitter.rest() == .whole([0x65]))
        #expect(splitter.rest() == nil)
    }

    @Test mutating func aLongLineIsToldOnceAndPassedOver() {
        #expect(splitter.lines(in: Array("abcd\nabcde".utf8)) == [.whole(Array("abcd".utf8)), .tooLong])
        #expect(splitter.lines(in: Array("fghijklmnop\nq\n".utf8)) == [.whole([0x71])])
    }
}
