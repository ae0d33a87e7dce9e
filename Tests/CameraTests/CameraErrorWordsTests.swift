// SPDX-License-Identifier: MIT
// Every error has a message and a hint for people, a code for programs and an exit status.

import Glibc
import LivecapFiles
import LivecapFrames
import Testing

@testable import Camera
@testable import LivecapThreads

@Suite struct CameraErrorWordsTests {
    /// One error per case, found by walking `successor`, which does not compile if a case is missing.
    static let all: [CameraError] = {
        var errors: [CameraError] = [.noSuchDevice("x", available: ["/dev/video0 (Eye)"])]
        while let next = successor(of: errors[errors.count - 1]) { errors.append(next) }
        return errors
    }()

    private static func successor(of error: CameraError) -> CameraError? {
        let path = "/dev/video7"
        return switch error {
        case .noSuchDevice: .ambiguousName("Eye", cameras: ["usb-1 at /dev/video0", "usb-2 at /dev/video2"])
        case .ambiguousName: .notACamera(path: path, detail: "not a video device")
        case .notACamera: .permissionDenied(path: path, group: "video")
        case .permissionDenied: .busy(path: path, holder: "cheese (pid 4)")
        case .busy: .heldOtherwise(host: "livecap run (pid 4)", asked: "YUYV", has: "MJPG 640x480")
        case .heldOtherwise: .hostSilent(hosts: ["livecap:4"])
        case .hostSilent: .hostEnded(host: "livecap run (pid 4)", isChanged: false)
        case .hostEnded(_, isChanged: false): .hostEnded(host: "livecap run (pid 4)", isChanged: true)
        case .hostEnded: .unsupported(asked: "4x4", offered: ["YUYV 640x480"])
        case .unsupported: .noDecoder(.h264, detail: "none of libavformat.so.59 to 63 is installed")
        case .noDecoder: .notSupported(path: path, detail: "interlaced")
        case .notSupported: .noBandwidth(path: path, format: "1920x1080")
        case .noBandwidth: .noSignal(path: path)
        case .noSignal: .disconnected(path: path)
        case .disconnected: .stalled(path: path, after: .milliseconds(2500))
        case .stalled: .streamFailed(path: path, call: "VIDIOC_DQBUF", errno: EIO)
        case .streamFailed: .driver(path: path, call: "VIDIOC_S_FMT", errno: EPIPE)
        case .driver: .sourceFailed(name: "ramp", reason: "no more paper")
        case .sourceFailed: .noMemory(bytes: 1 << 30)
        case .noMemory: .shortage(SystemShortage(call: "pthread_create", errno: EAGAIN))
        case .shortage: .file(.noSuchFile("a"))
        case .file: .tooLittleMemory(given: 1 << 10, FrameSize(width: 64, height: 48), needed: 1 << 30)
        case .tooLittleMemory: .control(.readOnly("temperature"))
        case .control: .badSettings("no such scene", hint: "choose another")
        case .badSettings: nil
        }
    }

    @Test(arguments: all) func everyErrorHasItsWords(error: CameraError) {
        for text in [error.message, error.hint] {
            #expect(!text.contains("--") && !text.contains("'livecap"), "libraries do not know the command line")
            #expect(!text.isEmpty && !text.contains("\n") && text.last != ".")
        }
        #expect((64...78).contains(error.exitStatus))
        #expect(error.code.allSatisfy { $0 == "-" || ($0.isLowercase && $0.isASCII) })
    }

    /// Except that memory is a setting, too, and that a host may end in two ways.
    @Test func codesAreDistinct() {
        #expect(Set(Self.all.map(\.code)).count == Self.all.count - 2)
    }

    @Test func permissionHintNamesTheGroup() {
        #expect(CameraError.permissionDenied(path: "/dev/video0", group: "video").hint.contains("-aG video"))
        #expect(!CameraError.permissionDenied(path: "/dev/video0", group: "root").hint.contains("usermod"))
    }
}
