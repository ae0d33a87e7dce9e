// SPDX-License-Identifier: MIT
// What a virtual camera says when there is nothing to show its pictures.

import LivecapFrames
import Testing

@testable import LivecapVirtualCamera

@Suite struct VirtualCameraErrorTests {
    private func source(_ format: FrameFormat) -> SourceDescription {
        SourceDescription(name: "a", identity: "a", format: format, rate: nil, clock: .monotonic)
    }

    private let grey = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 8, height: 8))

    @Test func aPathThatDoesNotExist() throws {
        let error = VirtualCameraError.failed("/nonexistent/video9", call: "open", errno: 2)
        #expect(throws: error) { try VirtualCamera.loopback(source(grey), path: "/nonexistent/video9") }
    }

    @Test func aFileThatIsNoVideoDevice() throws {
        let error = VirtualCameraError.notAnOutput(path: "/dev/null", detail: "it is no video device")
        #expect(throws: error) { try VirtualCamera.loopback(source(grey), path: "/dev/null") }
    }

    @Test(arguments: [
        (VirtualCameraError.noPipeWire(detail: "x"), Int32(69)), (.notRunning(detail: "x"), 69),
        (.notAnOutput(path: "p", detail: "x"), 69), (.refused(path: "p", asked: "a", kept: "b"), 69),
        (.unsuitable("ABCD"), 69), (.gone("p"), 69), (.failed("p", call: "open", errno: 13), 77),
        (.failed("p", call: "write", errno: 5), 74),
    ])
    func eachHasWordsAndAStatus(_ error: VirtualCameraError, status: Int32) {
        #expect(error.exitStatus == status)
        for words in [error.message, error.hint, error.code] {
            #expect(!words.isEmpty && words.last != ".")
        }
    }

    @Test func withoutADaemonPipeWireIsNamed() {
        let error = VirtualCameraError.notRunning(detail: "Host is down")
        #expect(error.message == "the PipeWire daemon is not running for this user")
        #expect(VirtualCameraError.notRunning(detail: "odd").message.hasSuffix(": odd"))
    }

    @Test func aMissingDeviceIsMadeByAModule() {
        #expect(VirtualCameraError.failed("p", call: "open", errno: 2).hint.contains("v4l2loopback"))
    }
}
