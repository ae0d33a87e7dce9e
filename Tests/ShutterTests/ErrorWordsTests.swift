// SPDX-License-Identifier: MIT
// Every error says what went wrong and what to do next.

import Glibc
import Shutter
import Testing

@Suite struct ErrorWordsTests {
    static let errors: [ShutterError] = [
        .noSuchDevice(path: "/p"), .notAButton(path: "/p", detail: "d"), .noSuchKey(path: "/p", keys: ["KEY_A"]),
        .permissionDenied(path: "/p", group: nil), .permissionDenied(path: "/p", group: "input"), .busy(path: "/p"),
        .socketInUse(path: "/p"), .notASocket(path: "/p"), .pathTooLong("/p", limit: 1),
        .unsafeDirectory(path: "/p", detail: "d"), .failed("/p", call: "c", errno: EIO),
        .failed("/p", call: "c", errno: EMFILE), .failed("/p", call: "c", errno: EACCES),
        .signalsInUse, .nobodyListens(path: "/p"), .noAnswer(path: "/p"),
    ]

    @Test(arguments: errors)
    func isComplete(_ error: ShutterError) {
        #expect(error == .signalsInUse || error.message.contains("/p"))
        #expect(!error.message.isEmpty && !error.message.hasSuffix("."))
        #expect(!error.hint.isEmpty && !error.hint.hasSuffix("."))
        #expect(error.code.allSatisfy { $0.isLowercase || $0 == "-" })
        #expect((64...78).contains(error.exitStatus))
    }

    @Test func aRefusedDeviceNamesTheGroup() {
        #expect(ShutterError.permissionDenied(path: "/p", group: "input").hint.contains("usermod -aG input"))
        #expect(ShutterError.permissionDenied(path: "/p", group: nil).hint.contains("'input'"))
    }
}
