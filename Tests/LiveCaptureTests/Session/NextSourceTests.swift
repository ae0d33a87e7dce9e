// SPDX-License-Identifier: MIT
// What stays in force when a session goes on with another camera or format.

import Camera
import LivecapFrames
import Testing

@testable import LiveCapture

@Suite struct NextSourceTests {
    private let asked = FormatRequest(
        pixelFormat: .mjpeg, size: FrameSize(width: 1280, height: 720), rate: FrameRate(30))
    private let controls = [ControlSetting("gain=3")!]

    private struct NotACamera: Error {}

    private var before: CaptureSource {
        .camera("usb-1", asked, onUnplug: .next(), controls: controls, profile: "desk")
    }

    /// The parts of a source that is a camera.
    private func parts(_ source: CaptureSource) throws -> (
        name: String, format: FormatRequest, onUnplug: UnplugPolicy, controls: [ControlSetting], profile: String?
    ) {
        guard case .camera(let name, let format, let policy, let controls, let profile) = source else {
            throw NotACamera()
        }
        return (name, format, policy, controls, profile)
    }

    @Test func theSameCameraKeepsWhatWasAskedOfIt() throws {
        let next = try parts(before.next("usb-1", isSame: true, FormatRequest()))
        #expect(next == ("usb-1", asked, .next(), controls, "desk"))
    }

    @Test func aFormatThatIsNamedReplacesTheFormer() throws {
        let format = FormatRequest(pixelFormat: .yuyv)
        let next = try parts(before.next("usb-1", isSame: true, format))
        #expect(next == ("usb-1", format, .next(), controls, "desk"))
    }

    @Test func anotherCameraIsUnpluggedAsTheFormerWas() throws {
        let next = try parts(before.next("usb-2", isSame: false, FormatRequest()))
        #expect(next == ("usb-2", FormatRequest(), .next(), [], nil))
    }

    @Test func afterASceneThereIsNothingToKeep() throws {
        let scene = CaptureSource.synthetic(try SyntheticSettings("tripod"))
        let next = try parts(scene.next("usb-2", isSame: false, asked))
        #expect(next == ("usb-2", asked, .wait(), [], nil))
    }
}
