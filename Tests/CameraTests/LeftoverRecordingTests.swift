// SPDX-License-Identifier: MIT
// Hidden files of recordings whose programs were killed are removed; those of running programs stay.

import Foundation
import Glibc
import Testing

@testable import LivecapFrameFiles

@Suite struct LeftoverRecordingTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "livecap-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    private func make(_ name: String) throws { try Data([1]).write(to: folder.appending(path: name)) }

    /// The number of a process that has ended.
    private func endedProcess() throws -> pid_t {
        var process = pid_t(0)
        var arguments = [strdup("true"), nil]
        defer { free(arguments[0]) }
        try #require(posix_spawn(&process, "/bin/true", nil, nil, &arguments, environ) == 0)
        try #require(waitpid(process, nil, 0) == process)
        return process
    }

    @Test func onlyFilesOfEndedProgramsAreRemoved() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let ended = try endedProcess()
        let kept = [
            // Of this process, of a program with a lock, and of others.
            ".a.mp4.\(getpid())-1f.part", ".b.mp4.\(ended)-2f.part", ".c.part", ".\(ended)-3.part", "a.mp4.part",
            ".d.mp4.\(ended)-xyz.part", "e.mp4",
        ]
        for name in kept { try make(name) }
        let lock = open(folder.appending(path: kept[1]).path, O_RDONLY | O_CLOEXEC)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        try make(".a.mp4.\(ended)-0.part")
        try make(".walk.2026.mp4.\(ended)-ffffffff.part")
        RecordingFile.sweep(folder.path)
        #expect(try names == kept.sorted())
        flock(lock, LOCK_UN)
        RecordingFile.sweep(folder.path)
        #expect(try names == kept.filter { $0 != kept[1] }.sorted())
    }

    @Test func whatIsNoRegularFileStays() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let ended = try endedProcess()
        try make("target")
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending(path: ".a.\(ended)-1.part").path, withDestinationPath: "target")
        try FileManager.default.createDirectory(
            at: folder.appending(path: ".b.\(ended)-1.part"), withIntermediateDirectories: true)
        RecordingFile.sweep(folder.path)
        #expect(try names.count == 3)
        RecordingFile.sweep(folder.path + "/none")
    }

    @Test func namesSayWhoWrites() {
        #expect(RecordingFile.writer(of: ".a.mp4.12-ab.part") == 12)
        for name in ["a.mp4.12-ab.part", ".a.mp4.0-ab.part", ".a.mp4.-1-ab.part", ".a.mp4.12.part", ".a.mp4.12-.part"] {
            #expect(RecordingFile.writer(of: name) == nil, "\(name)")
        }
    }
}
