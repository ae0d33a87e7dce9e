// SPDX-License-Identifier: MIT
// Settings with what an intent asks for instead.

import LivecapFrames
import LivecapIntents
import Testing

@testable import LivecapDeveloping

@Suite struct AskedSettingsTests {
    private let usual = PhotoSettings(quality: .balanced, frames: 6, laterFrames: 1)

    @Test func whatIsLeftOutStays() {
        #expect(usual.changed(by: TapIntent()) == usual)
        #expect(usual.changed(by: DevelopIntent()) == usual)
    }

    @Test func theNumberOfFramesWasMeantForItsQuality() {
        var tap = TapIntent()
        tap.quality = .balanced
        #expect(usual.changed(by: tap).frames == 6)
        tap.quality = .quality
        #expect(usual.changed(by: tap).frames == nil && usual.changed(by: tap).laterFrames == 0)
        (tap.frames, tap.laterFrames) = (12, 2)
        #expect(usual.changed(by: tap).frames == 12 && usual.changed(by: tap).laterFrames == 2)
    }

    @Test func aZoomOfOneIsNone() throws {
        var zoomed = usual
        zoomed.zoom = DigitalZoom(factor: 2)
        var tap = TapIntent()
        #expect(zoomed.changed(by: tap).zoom == zoomed.zoom)
        tap.zoom = DigitalZoom(factor: 1)
        #expect(zoomed.changed(by: tap).zoom == nil)
    }

    @Test func aPhotoIsDevelopedOtherwise() {
        var develop = DevelopIntent()
        (develop.quality, develop.format) = (.speed, .png)
        let settings = usual.changed(by: develop)
        #expect(settings.quality == .speed && settings.format == .png)
        #expect(settings.frames == nil && settings.laterFrames == 0)
    }
}
