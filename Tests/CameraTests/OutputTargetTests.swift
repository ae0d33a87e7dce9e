// SPDX-License-Identifier: MIT
// Where output may go: regular files are replaced, streams are written directly, everything else is left alone.

import Glibc
import LivecapFiles
import LivecapFrames
import Testing

@testable import Camera
@testable import LivecapFrameFiles

@Suite("Output places") struct OutputTargetTests {
    let folder = TemporaryFolder()

    @Test func aNewNameAndAFileAreFiles() {
        writeFile(folder.file("a"), [1])
        #expect(OutputTarget(folder.file("a")) == .file && OutputTarget(folder.file("b")) == .file)
    }

    @Test func pipesAndCharacterDevicesAreStreams() throws {
        try #require(mkfifo(folder.file("fifo"), 0o600) == 0)
        try #require(symlink("/dev/null", folder.file("link")) == 0)
        for path in [
            "/dev/null", "/dev/full", "-", "/dev/stdout", "/dev/fd/7", folder.file("fifo"), folder.file("link"),
        ] {
            #expect(OutputTarget(path) == .stream, "\(path)")
        }
    }

    @Test func linksToFilesAndToNowhereAreLeftAlone() throws {
        writeFile(folder.file("a"), [1])
        try #require(symlink("a", folder.file("link")) == 0 && symlink("gone", folder.file("dangling")) == 0)
        for name in ["link", "dangling"] {
            #expect(throws: FileError.self) { try OutputTarget.checkReplaceable(folder.file(name)) }
            #expect(throws: FrameFileError.self) { try RecordingFile(folder.file(name), overwrite: true) }
        }
        #expect(folder.names == ["a", "dangling", "link"] && readFile(folder.file("a")) == [1])
    }

    @Test func foldersAreRecognised() {
        #expect(OutputTarget(folder.path) == .folder && OutputTarget(folder.file("new/")) == .folder)
        #expect(failure { () throws(FileError) in try OutputTarget.checkReplaceable(folder.path) }?.exitStatus == 73)
    }

    @Test func aNameTooLongIsRefusedBeforeAnythingIsWritten() {
        let name = folder.file(String(repeating: "n", count: 256))
        let reported = failure { () throws(FileError) in try OutputTarget.checkReplaceable(name) }
        #expect(reported == .failed(name, call: "open", errno: ENAMETOOLONG) && reported?.exitStatus == 73)
        #expect(throws: FrameFileError.self) { try RecordingFile(name, overwrite: false) }
    }

    /// Its hidden name, where it has one, has room for a number.
    @Test func aRecordingMayHaveTheLongestName() throws {
        let name = String(repeating: "n", count: 255)
        let file = try RecordingFile(folder.file(name), overwrite: false)
        try file.takeName()
        try file.finish()
        #expect(folder.names == [name])
    }

    @Test func aStreamGetsEveryByteInOrder() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let stream = try OutputStream("/dev/fd/\(ends[1])")
        close(ends[1])
        try stream.write([1, 2])
        try stream.write([3])
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(read(ends[0], &bytes, 8) == 3 && bytes.prefix(3) == [1, 2, 3])
        close(ends[0])
    }

    @Test func writingToAFullStreamFails() throws {
        let stream = try OutputStream("/dev/full")
        #expect(throws: FileError.failed("/dev/full", call: "write", errno: ENOSPC)) { try stream.write([1]) }
    }
}
