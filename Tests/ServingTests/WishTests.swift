// SPDX-License-Identifier: MIT
// What bodies of requests ask for.

import LiveCapture
import LivecapFrames
import Testing

@testable import LivecapServing

@Suite struct WishTests {
    private func read(_ text: String) throws -> ShotWish {
        try ShotWish(Array(text.utf8), usual: PhotoSettings(quality: .balanced, frames: 6))
    }

    @Test func anEmptyBodyAsksForThisMoment() throws {
        for text in ["", "{}"] {
            let request = try read(text)
            #expect(request.tap == .now && request.settings.quality == .balanced && request.settings.frames == 6)
        }
    }

    @Test(arguments: [
        ("{\"frame\":\"3:77\"}", Tap.frame(FrameID(epoch: 3, counter: 77))),
        ("{\"at\":\"9007199254740993\"}", .at(Timestamp(nanoseconds: 9_007_199_254_740_993))),
        ("{\"at\":12}", .at(Timestamp(nanoseconds: 12))), ("{\"agoMs\":250}", .offset(.milliseconds(-250))),
        ("{\"agoMs\":0.5}", .offset(.microseconds(-500))),
    ])
    func readsMoments(_ text: String, _ tap: Tap) throws { #expect(try read(text).tap == tap) }

    @Test func readsSettings() throws {
        let request = try read(
            "{\"quality\":\"quality\",\"format\":\"png\",\"reference\":\"sharpest\",\"zoom\":{\"factor\":2,\"x\":0.25},\"tag\":\"a\"}"
        )
        let settings = request.settings
        #expect(settings.quality == .quality && settings.format == .png && settings.reference == .sharpest)
        // The number of frames was meant for another quality.
        #expect(settings.frames == nil)
        #expect(settings.zoom == DigitalZoom(factor: 2, centerX: 0.25) && request.tag == "a")
    }

    @Test(arguments: [
        "[]", "1", "{", "{\"frame\":1}", "{\"frame\":\"x\"}", "{\"frame\":\"0:1\",\"agoMs\":1}", "{\"agoMs\":-1}",
        "{\"agoMs\":1e300}", "{\"at\":1.5}", "{\"at\":\"99999999999999999999\"}", "{\"quality\":\"best\"}",
        "{\"quality\":7}", "{\"frames\":0}", "{\"frames\":1.5}", "{\"frames\":100000}", "{\"zoom\":2}",
        "{\"zoom\":{\"factor\":0}}", "{\"zoom\":{\"factor\":2,\"x\":7}}", "{\"tag\":5}", "{\"surprise\":true}",
        "{\"format\":\"gif\"}", "{\"agoMs\":{}}", "{\"frame\":null}",
    ])
    func refusesOtherBodies(_ text: String) { #expect(throws: ShotWish.Fault.self) { try read(text) } }

    @Test func aTagHasALimit() throws {
        #expect(try read("{\"tag\":\"\(String(repeating: "x", count: 64))\"}").tag?.count == 64)
        #expect(throws: ShotWish.Fault.self) { try read("{\"tag\":\"\(String(repeating: "x", count: 65))\"}") }
    }

    @Test(arguments: [
        "{\"shift\":1.5}", "{\"shift\":1001}", "{\"quality\":\"x\"}", "{\"format\":1}", "{\"more\":1}", "x",
    ])
    func refusesOtherDevelopments(_ text: String) {
        #expect(throws: ShotWish.Fault.self) { try DevelopWish(Array(text.utf8)) }
    }

    @Test func readsDevelopments() throws {
        let request = try DevelopWish(Array("{\"shift\":-2,\"quality\":\"speed\",\"format\":\"png\"}".utf8))
        var settings = PhotoSettings(quality: .quality, frames: 12, laterFrames: 2)
        request.change(&settings)
        #expect(request.steps == -2 && settings.quality == .speed && settings.frames == nil)
        #expect(settings.laterFrames == 0 && settings.format == .png)
    }
}
