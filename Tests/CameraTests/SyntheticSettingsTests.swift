// SPDX-License-Identifier: MIT
// The settings of a synthetic scene, and the errors for invalid ones.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct SyntheticSettingsTests {
    @Test("A scene's name alone gives its default settings", arguments: SyntheticSettings.Scene.allCases)
    func names(_ scene: SyntheticSettings.Scene) throws {
        #expect(try SyntheticSettings(scene.rawValue) == SyntheticSettings(scene))
        #expect(try SyntheticSettings(scene.rawValue + ":") == SyntheticSettings(scene))
    }

    @Test("Every setting")
    func settings() throws {
        let settings = try SyntheticSettings(
            "handheld:seed=7,noise=strong,motion=3.5,rotation=0.5,flicker=0.1,whitebalance=0.2,exposure=0.5,"
                + "fps=30000/1001,frames=90,mark=off,damage=5,gap=9,prerender=12,quality=70")
        #expect(settings.seed == 7 && settings.noise == 3 && settings.motion == 3.5 && settings.rotation == 0.5)
        #expect(settings.flicker == 0.1 && settings.whiteBalance == 0.2 && settings.exposure == 0.5)
        #expect(settings.rate == FrameRate(30000, per: 1001) && settings.frameCount == 90 && !settings.isMarked)
        #expect(settings.damageEvery == 5 && settings.gapEvery == 9 && settings.jpegQuality == 70)
        #expect(settings.prerenderedFrames == 12)
        #expect(try SyntheticSettings("\(settings)") == settings)
    }

    @Test(
        "A clock's offset is a time with a unit, within half a second", arguments: ["40ms", "-2.5ms", "0.3s", "-7us"])
    func clock(_ text: String) throws {
        let settings = try SyntheticSettings("handheld:offset=\(text),drift=-20.5")
        #expect(settings.clockOffset != .zero && settings.clockOffset.magnitude <= .milliseconds(300))
        #expect(settings.clockDrift == -20.5)
        #expect(try SyntheticSettings("\(settings)") == settings)
        for wrong in ["40", "501ms", "-1s", "ms", "nans", "infms", "1e99s"] {
            #expect(throws: CameraError.self, "\(wrong)") { try SyntheticSettings("tripod:offset=\(wrong)") }
        }
        #expect(throws: CameraError.self) { try SyntheticSettings("tripod:drift=10001") }
    }

    @Test("Every part of a camera, after the camera itself or alone")
    func cameras() throws {
        for preset in WebcamSettings.Preset.allCases {
            let settings = try SyntheticSettings("tripod:camera=\(preset.rawValue)")
            #expect(settings.camera == WebcamSettings(preset))
            #expect(try SyntheticSettings("\(settings)") == settings)
        }
        var laptop = WebcamSettings(.laptop)
        (laptop.sharpen, laptop.isMosaic, laptop.hotPixels) = (2, false, 7)
        #expect(try SyntheticSettings("tripod:camera=laptop,sharpen=2,mosaic=no,hot=7").camera == laptop)
        var soft = WebcamSettings.plain
        soft.lens = 1.5
        #expect(try SyntheticSettings("tripod:lens=1.5").camera == soft)
        #expect(try SyntheticSettings("tripod:camera=night,camera=none").camera == nil)
        #expect(try SyntheticSettings("tripod:camera=plain").camera == .plain)
    }

    @Test(
        "A mark is switched by yes and no, as by on and off", arguments: [("yes", true), ("no", false), ("on", true)])
    func mark(_ word: String, _ isMarked: Bool) throws {
        #expect(try SyntheticSettings("tripod:mark=\(word)").isMarked == isMarked)
    }

    @Test("An error about an unknown scene or setting lists the known ones")
    func unknown() {
        #expect(
            throws: CameraError.badSettings(
                "there is no scene \"desert\"", hint: "scenes: tripod, handheld, object, lowlight, flicker, depth")
        ) { try SyntheticSettings("desert") }
        #expect(
            throws: CameraError.badSettings(
                "a scene has no setting \"colour\"", hint: "settings: " + SyntheticSettings.help)
        ) { try SyntheticSettings("tripod:seed=1,colour=red") }
        #expect(SyntheticSettings.help.contains("noise=none|mild|strong"))
    }

    @Test(
        "Senseless values are refused",
        arguments: [
            "seed=-1", "seed", "noise=loud", "noise=nan", "noise=-1", "motion=1e9", "rotation=90", "fps=0", "frames=0",
            "mark=maybe", "damage=x", "gap=1", "prerender=-1", "quality=0", "exposure=0",
            "camera=phone", "lens=4", "mosaic=maybe", "temporal=1", "gain=0",
        ])
    func senseless(_ setting: String) {
        #expect(throws: CameraError.self) { try SyntheticSettings("tripod:" + setting) }
    }
}
