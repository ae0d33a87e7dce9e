// SPDX-License-Identifier: MIT
// Every error has a message and a hint for people, a code for programs and an exit status.

import Frames
import Glibc
import Testing

@testable import Camera
@testable import Threads

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
        case .noSuchDevice: .notACamera(path: path, detail: "it is no video device")
        case .notACamera: .permissionDenied(path: path, group: "video")
        case .permissionDenied: .busy(path: path, holder: "cheese (pid 4)")
        case .busy: .unsupported(asked: "4x4", offered: ["YUYV 640x480"])
        case .unsupported: .notSupported(path: path, detail: "interlaced")
        case .notSupported: .noBandwidth(path: path, format: "1920x1080")
        case .noBandwidth: .noSignal(path: path)
        case .noSignal: .disconnected(path: path)
        case .disconnected: .stalled(path: path, after: .milliseconds(2500))
        case .stalled: .streamFailed(path: path, call: "VIDIOC_DQBUF", errno: EIO)
        case .streamFailed: .driver(path: path, call: "VIDIOC_S_FMT", errno: EPIPE)
        case .driver: .noMemory(bytes: 1 << 30)
        case .noMemory: .shortage(SystemShortage(call: "pthread_create", errno: EAGAIN))
        case .shortage: .noSuchFile("a")
        case .noSuchFile: .badFile("a", detail: "it is empty", hint: "record it again")
        case .badFile: .wrongSize("a", byteCount: 7, fits: [FrameSize(width: 7, height: 1)])
        case .wrongSize: .fileError("a", call: "write", errno: ENOSPC)
        case .fileError: .interrupted
        case .interrupted: .badSettings("no such scene", hint: "take another")
        case .badSettings: nil
        }
    }

    @Test(arguments: all) func everyErrorHasItsWords(error: CameraError) {
        for text in [error.message, error.hint] {
            #expect(!text.isEmpty && !text.contains("\n") && text.last != ".")
        }
        #expect((64...78).contains(error.exitStatus))
        #expect(error.code.allSatisfy { $0 == "-" || ($0.isLowercase && $0.isASCII) })
    }

    @Test func codesAreDistinct() {
        #expect(Set(Self.all.map(\.code)).count == Self.all.count)
    }

    @Test func withoutAnyCameraTheOtherSourcesAreNamed() {
        let hint = CameraError.noSuchDevice("auto", available: []).hint
        #expect(hint.contains("--synthetic") && hint.contains("--replay"))
    }

    @Test func theGroupThatMayIsNamed() {
        #expect(CameraError.permissionDenied(path: "/dev/video0", group: "video").hint.contains("-aG video"))
        #expect(!CameraError.permissionDenied(path: "/dev/video0", group: "root").hint.contains("usermod"))
    }

    @Test func sizesThatFitAreListed() {
        let fits = [FrameSize(width: 4, height: 2), FrameSize(width: 2, height: 4)]
        #expect(CameraError.wrongSize("a", byteCount: 8, fits: fits).hint.hasSuffix("--size 4x2, --size 2x4"))
    }

    @Test func fileErrorsKeepTheirKindsApart() {
        let status = { (errno: Int32) in CameraError.fileError("a", call: "open", errno: errno).exitStatus }
        #expect([ENOSPC, EIO, EFBIG].map(status) == [74, 74, 74])
        #expect([EACCES, EPERM].map(status) == [77, 77])
        #expect([EEXIST, EISDIR, ENOENT].map(status) == [73, 73, 73])
    }
}
