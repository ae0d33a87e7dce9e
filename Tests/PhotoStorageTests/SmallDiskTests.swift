// SPDX-License-Identifier: MIT
// Space can be freed on a full disk, and no memory-mapped file ends the process there.

import Foundation
import LivecapFiles
import LivecapFrames
import LivecapProcesses
import Testing

@testable import LivecapPhotoStorage

@Suite struct SmallDiskTests {
    private let test: TestLibrary

    init() throws { test = try TestLibrary() }

    private let everything = CleanUpPolicy(age: .zero, budget: 0)

    private var toLook: LibraryOptions {
        var options = LibraryOptions()
        options.mayCreate = false
        return options
    }

    /// Adds a finished photo with 50 kept frames (150 kB) and, if asked, `rows` more rows of frames, as many as a
    /// long session has.
    private func fill(rows: Int = 0) throws {
        let library = try test.open()
        let frames = try library.openBurst(greyHeader()).append(Array(0..<50))
        _ = try library.addFinished(newPhoto(), [1], frames: frames)
        try test.sql(
            """
            WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < \(999 + rows))
            INSERT INTO frames SELECT id, i, i, 1, i, 1, i, i FROM bursts, n WHERE \(rows) > 0
            """)
    }

    /// Runs `body` with a copy of the library on a separate disk of this size, for `body` to fill.
    private func onFullDisk(_ size: String, _ body: (String) throws -> Void) throws {
        let path = "\(test.folder)/small"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try #require(mount("tmpfs", path, "tmpfs", 0, "size=\(size)") == 0)
        defer { umount2(path, Int32(MNT_DETACH)) }
        try FileManager.default.copyItem(atPath: test.path, toPath: "\(path)/library")
        try body(path)
    }

    private func fillUp(_ path: String) throws {
        try #require(FileManager.default.createFile(atPath: "\(path)/filler", contents: nil))
        let file = try #require(FileHandle(forWritingAtPath: "\(path)/filler"))
        while (try? file.write(contentsOf: Data(count: 1024))) != nil {}
        try file.close()
    }

    private func bursts(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/library/bursts")
    }

    /// More rows than fit into the log at once, even with the room set aside.
    @Test("Kept frames with many rows", .enabled(if: mayMount(), "needs permission to mount"))
    func keptFramesAreRemovedInStepsThatFit() throws {
        try fill(rows: 20_000)
        try onFullDisk("8m") { path in
            _ = try PhotoLibrary("\(path)/library", toLook)
            try fillUp(path)
            let library = try PhotoLibrary("\(path)/library", toLook)
            #expect(try library.cleanUp(everything).removedFiles == 1)
            #expect(try library.photos().map(\.keptFrames) == [0] && library.verify().problems.isEmpty)
            #expect(try bursts(path).isEmpty)
            var status = stat()
            #expect(stat("\(path)/library/lock", &status) == 0 && Int(status.st_blocks) * 512 > 0)
        }
    }

    /// A copy on a full disk has no room set aside. The removed files provide the room.
    @Test("Kept frames without room set aside", .enabled(if: mayMount(), "needs permission to mount"))
    func keptFramesMakeTheRoomForTheirRemoval() throws {
        try fill()
        try onFullDisk("2m") { path in
            try fillUp(path)
            let library = try PhotoLibrary("\(path)/library", toLook)
            #expect(try library.cleanUp(everything).removedFiles == 1)
            #expect(try library.photos().map(\.keptFrames) == [0] && library.verify().problems.isEmpty)
            #expect(try bursts(path).isEmpty)
        }
    }

    /// The state after a program freed a file's blocks and ended: the missing bytes are no problem, and the rows are
    /// removed.
    @Test func emptiedFilesAreRemovedWhenTheLibraryIsOpened() throws {
        try fill()
        let library = try test.open()
        let (photo, burst) = (try library.photos()[0], try #require(test.places.first { $0.hasPrefix("bursts") }))
        for place in [photo.file.place, burst] {
            try library.folder.hide(place)
            try library.folder.empty(place)
        }
        #expect(try library.verify().problems.isEmpty)
        #expect(try test.open().photos().isEmpty)
        #expect(test.places == ["catalogue.sqlite"])
    }

    /// With blocks of 1 kB, a full disk has fewer free blocks than the pages of the log's index take.
    @Test("Small blocks", .enabled(if: mayMount() && mayMakeDisks(), "needs permission to mount, and mkfs.ext4"))
    func anIndexWithoutBlocksEndsNoProcess() throws {
        try fill()
        let (image, path) = ("\(test.folder)/image", "\(test.folder)/small")
        try #require(run("truncate", "-s", "4M", image) && run("mkfs.ext4", "-q", "-b", "1024", "-m", "0", image))
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try #require(run("mount", "-o", "loop", image, path))
        defer { _ = run("umount", "-l", path) }
        try FileManager.default.copyItem(atPath: test.path, toPath: "\(path)/library")
        // Opening sets room aside while there is some.
        _ = try PhotoLibrary("\(path)/library", toLook)
        for left in 6...16 {
            for name in ["library/catalogue.sqlite-wal", "library/catalogue.sqlite-shm", "filler"] {
                try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
            }
            try fillUp(path, leavingBlocks: left)
            let count = Result { try PhotoLibrary("\(path)/library", toLook).photos().count }
            if case .failure(let error) = count {
                // Out of space, and reported as such.
                let name = "\(path)/library/catalogue.sqlite"
                #expect(error as? LibraryError == .fileError(name, call: "write", errno: ENOSPC))
            }
        }
    }

    private func fillUp(_ path: String, leavingBlocks left: Int) throws {
        sync()
        var status = statvfs()
        try #require(statvfs(path, &status) == 0)
        let file = open("\(path)/filler", O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        try #require(posix_fallocate(file, 0, (Int(status.f_bavail) - left - 1) * Int(status.f_frsize)) == 0)
        try #require(fsync(file) == 0)
    }
}

/// Whether this machine permits making a small file system.
private func mayMakeDisks() -> Bool { run("mkfs.ext4", "-V") && access("/dev/loop-control", W_OK) == 0 }

private func run(_ words: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"] + words
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    guard (try? process.run()) != nil else { return false }
    process.awaitEnd()
    return process.terminationStatus == 0
}
