// SPDX-License-Identifier: MIT
// Errors of files, and of files of frames, have words for people, a name for programs and an exit status.

import Glibc
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import Testing

@testable import LivecapThreads

@Suite struct FileErrorWordsTests {
    private static let all: [FrameFileError] = [
        .noSuchFile("a"), .badFile("a", detail: "it is empty", hint: "record it again"),
        .wrongSize("a", byteCount: 7, fits: [FrameSize(width: 7, height: 1)]),
        .notAFile("a"), .undecodable("a"), .unknownFormat("a"), .unknownSize("a", fits: []),
        .unknownSize("a", fits: [FrameSize(width: 7, height: 1)]),
        .contradicted("a", own: "I420 16x16", refused: ImportSettings(rate: FrameRate(25))),
        .wrongSize("a", byteCount: 7, fits: []), .badSettings("no such format", hint: "choose another"),
        .noMemory(bytes: 1 << 30), .failed("a", call: "write", errno: ENOSPC),
        .failed("a", call: "open", errno: EISDIR), .file(.badName("a is a socket", hint: "name a file")),
        .file(.shortage(SystemShortage(call: "pthread_create", errno: EAGAIN))),
    ]

    @Test(arguments: all) func everyErrorHasItsWords(error: FrameFileError) {
        for text in [error.message, error.hint] {
            #expect(!text.contains("--") && !text.contains("'livecap"), "libraries do not know the command line")
            #expect(!text.isEmpty && !text.contains("\n") && text.last != ".")
        }
        #expect((64...78).contains(error.exitStatus))
        #expect(error.code.allSatisfy { $0 == "-" || ($0.isLowercase && $0.isASCII) })
    }

    @Test func sizesThatFitAreListed() {
        let fits = [FrameSize(width: 4, height: 2), FrameSize(width: 2, height: 4)]
        #expect(FrameFileError.wrongSize("a", byteCount: 8, fits: fits).hint.hasSuffix("4x2, 2x4"))
    }

    @Test func failuresOfFilesKeepTheirKindsApart() {
        let status = { (errno: Int32) in FileError.failed("a", call: "open", errno: errno).exitStatus }
        #expect([ENOSPC, EIO, EFBIG].map(status) == [74, 74, 74])
        #expect([EACCES, EPERM].map(status) == [77, 77])
        #expect([EEXIST, EISDIR, ENOENT].map(status) == [73, 73, 73])
    }
}
