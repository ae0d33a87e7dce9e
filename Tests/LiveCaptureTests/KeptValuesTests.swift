// SPDX-License-Identifier: MIT
// The values of photos, cameras and libraries keep their worth when encoded, and refuse what is none of theirs.

import Foundation
import LiveCapture
import Testing

private func json(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode([value]), as: UTF8.self)
}

private func value<Value: Decodable>(_ type: Value.Type, from json: String) throws -> Value? {
    try JSONDecoder().decode([Value].self, from: Data("[\(json)]".utf8)).first
}

/// Whether a value is equal to itself after encoding and decoding.
private func survives<Value: Codable & Equatable>(_ value: Value) throws -> Bool {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value
}

@Suite struct KeptValuesTests {
    @Test(arguments: [
        Tap.now, .at(.distantFuture), .offset(.milliseconds(-250)), .offset(Duration(attoseconds: .max)),
        .frame(FrameID(epoch: 1, counter: 2)),
    ])
    func tapsSurvive(_ tap: Tap) throws {
        #expect(try survives(tap))
    }

    @Test(arguments: ["{}", #""now""#, #"{"at":1,"now":true}"#, #"{"frame":"1"}"#, #"{"at":"now"}"#])
    func tapsRefuse(_ json: String) {
        #expect(throws: DecodingError.self) { try value(Tap.self, from: json) }
    }

    @Test func tapsPrintWell() {
        #expect("\(Tap.now)" == "now" && "\(Tap.at(Timestamp(nanoseconds: 12_500_000_000)))" == "at 12.5 s")
        #expect("\(Tap.offset(.milliseconds(-250)))" == "-0.25 s from now")
        #expect("\(Tap.frame(FrameID(epoch: 0, counter: 3)))" == "frame 0:3")
    }

    @Test func settingsSurvive() throws {
        var metadata = PhotoMetadata()
        metadata.orientation = .leftMirrored
        metadata.time = CalendarTime(sinceEpoch: .nanoseconds(1_795_293_015_042_345_678), utcOffset: .seconds(-3600))
        (metadata.manual, metadata.provenance) = (ManualSettings(exposure: .microseconds(1)), "{}")
        let settings = PhotoSettings(
            quality: .quality, frames: 12, laterFrames: 3, reference: .sharpest, format: .heic, depth: .ten,
            encodeQuality: 60, metadata: metadata, includesComparison: true, includesExplanation: true,
            deferral: .required,
            keepsFrames: true)
        #expect(try survives(settings) && survives(PhotoSettings()))
        #expect(try PhotoOrientation.allCases.allSatisfy(survives))
        #expect(throws: DecodingError.self) { try value(PhotoOrientation.self, from: "3") }
    }

    @Test func controlsAndPagesSurvive() throws {
        let settings = try ["exposure=10ms", "gain=auto", "0x9a0902=3", "power-line=50 Hz"].map {
            try #require(ControlSetting($0))
        }
        #expect(try survives(settings))
        #expect(try survives(LibraryPage(limit: 5)) && survives(#require(CalendarDays("2026-11-20..2026-11-22"))))
        #expect(try survives(NoiseModel(white: 2)))
    }

    @Test func photosSurviveAndPrintAsOneLine() async throws {
        let scene = try SyntheticSettings("tripod:prerender=2")
        let session = try await CaptureSession(
            source: .synthetic(scene, size: FrameSize(width: 96, height: 64)),
            options: SessionOptions(memory: 64 << 20, threads: 2))
        try await session.start()
        let photo = try await session.photoOutput.photo(PhotoSettings(quality: .balanced))
        await session.stop()
        #expect(try survives(photo) && PhotoEvent.photo(photo) == .photo(photo))
        let line = "\(photo)"
        #expect(
            line.hasPrefix("photo 96x64 jpeg, ") && line.contains(", balanced, ") && line.hasSuffix(" kB"), "\(line)")
    }

    @Test func idsSurviveAndRefuse() throws {
        #expect(
            try json(PhotoID(number: 812)) == #"["812"]"# && json(ShotID(number: .max)) == #"["18446744073709551615"]"#)
        #expect(try json(BurstID(recording: 0xAB)) == #"["00000000000000ab"]"#)
        #expect(try survives(PhotoID(number: .max)) && survives(ShotID(number: 0)))
        #expect(try survives(BurstID(recording: .max)))
        for text in ["", "0", "-1", "1.5", "9223372036854775808"] {
            #expect(throws: DecodingError.self) { try value(PhotoID.self, from: "\"\(text)\"") }
        }
        #expect(throws: DecodingError.self) { try value(ShotID.self, from: #""-1""#) }
        #expect(throws: DecodingError.self) { try value(BurstID.self, from: #""ab""#) }
    }

    @Test(arguments: [PhotoState.finished, .deferred, .failed(reason: "a \"b\"")])
    func statesSurvive(_ state: PhotoState) throws {
        #expect(try survives(state))
    }

    @Test(arguments: ["{}", #"{"state":"new"}"#, #"{"state":"failed"}"#, #""finished""#])
    func statesRefuse(_ json: String) {
        #expect(throws: DecodingError.self) { try value(PhotoState.self, from: json) }
    }

    @Test(arguments: [
        CameraControl.Kind.integer, .integer64, .boolean, .button, .other, .menu([:]), .menu([0: "Off", -1: "On"]),
    ])
    func kindsOfControlsSurvive(_ kind: CameraControl.Kind) throws {
        #expect(try survives(kind))
    }

    @Test(arguments: ["{}", #"{"kind":"list"}"#, #"{"kind":"menu"}"#, #"{"kind":"menu","items":{"a":"b"}}"#])
    func kindsOfControlsRefuse(_ json: String) {
        #expect(throws: DecodingError.self) { try value(CameraControl.Kind.self, from: json) }
    }

    @Test func camerasSurviveButForTheirTrouble() throws {
        let coded = #"""
            {"path":"/dev/video0","identity":"usb","name":"Webcam","bus":"","driver":"uvcvideo","offers":
            [{"pixelFormat":"MJPG","size":"640x480","rates":["30/1"],"isScaled":false}],"controls":
            [{"id":9963776,"name":"Brightness","kind":{"kind":"integer"},"minimum":0,"maximum":255,"step":1,
            "defaultValue":128,"value":130,"isInactive":false,"isReadOnly":false}]}
            """#
        var camera = try #require(try value(CameraRecord.self, from: coded))
        #expect(camera.controls[0].id.rawValue == 0x98_0900)
        #expect(try survives(camera) && "\(camera)" == "Webcam (/dev/video0)")
        #expect("\(camera.offers[0])" == "MJPG 640x480 at 30 fps")
        camera.trouble = .busy(path: "/dev/video0", holder: nil)
        #expect(try !survives(camera))
    }

    @Test func scenesSurviveAndRefuse() throws {
        var scene = SyntheticSettings(.lowlight)
        (scene.seed, scene.rate, scene.frameCount) = (.max, FrameRate(30000, per: 1001), 3)
        #expect(try survives(scene))
        #expect(throws: DecodingError.self) { try value(SyntheticSettings.self, from: #""lowlight:noise=99""#) }
    }

    @Test func figuresAndStatesSurviveAndPrintWell() throws {
        var totals = RingStatistics()
        (totals.published, totals.lost, totals.gaps) = (.max, 2, 1)
        #expect(try survives(totals))
        #expect("\(totals)".hasPrefix("18446744073709551615 published, 0 dropped, 2 lost in 1 gap, 0 damaged"))
        let wait = Readiness(.notReadyMomentarily, estimatedWait: .milliseconds(250))
        #expect(try survives(wait) && "\(wait)" == "notReadyMomentarily for 0.25 s")
        #expect("\(Readiness(.ready, estimatedWait: .zero))" == "ready")
        let granted = GrantedCapacity(
            slots: 3, reserve: 1, bytes: 9, duration: .milliseconds(1), limit: .buffers, isLocked: true)
        #expect(try survives(granted) && survives(RingCapacity.standard) && survives(CleanUpPolicy()))
    }
}
