// SPDX-License-Identifier: MIT
// Whichever call fails while a photo is stored: no incomplete file gets its name, and nothing temporary stays.

import Foundation
import LivecapFiles
import LivecapThreads
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

/// A call that sets errno and fails.
private func failing<Answer: SignedInteger>(_ reason: Int32) -> Answer {
    errno = reason
    return -1
}

@Suite struct PhotoFailureTests {
    private let folder: PhotoFolder

    init() throws { folder = try PhotoFolder() }

    /// Stores a photo over an older one, as a new one, and in a directory. Each attempt must fail with
    /// this error.
    private func expectFailure(_ call: String, _ reason: Int32, _ calls: FileCalls) throws {
        folder.put([9], "old.jpg")
        let photo = [UInt8](repeating: 7, count: 10_000)
        for name in ["old.jpg", "new.jpg", ""] {
            let path = folder.file(name)
            let files = try PhotoFiles(path, .jpeg, count: 1, mayReplace: true, calls: calls)
            let error = try #require(throws: FileError.self) { try files.write(photo, number: 1) }
            guard case .failed(_, call, reason) = error else {
                Issue.record(error)
                continue
            }
        }
        #expect(folder.names == ["old.jpg"] && folder.bytes("old.jpg") == [9])
    }

    @Test func aDiskThatIsFullHalfWay() throws {
        let full = FileCalls(write: { descriptor, bytes in
            bytes.count < 10_000 ? failing(ENOSPC) : write(descriptor, bytes.baseAddress, 5000)
        })
        try expectFailure("write", ENOSPC, full)
        try expectFailure("write", ENOSPC, FileCalls(write: { _, _ in 0 }))
    }

    @Test func aDiskThatFails() throws {
        try expectFailure("fsync", EIO, FileCalls(sync: { _ in failing(EIO) }))
    }

    @Test func aNameThatIsRefused() throws {
        try expectFailure("rename", EPERM, FileCalls(rename: { _, _, _ in -EPERM }))
    }

    @Test(
        "A real full disk", .enabled(if: geteuid() == 0 && mayMount(), "needs the right to mount"))
    func fullDisk() throws {
        try #require(mount("tmpfs", folder.path, "tmpfs", 0, "size=64k") == 0)
        defer { umount2(folder.path, Int32(MNT_DETACH)) }
        let files = try PhotoFiles(folder.path, .jpeg, count: 1, mayReplace: false)
        let path = try files.write(Array(repeating: 1, count: 20_000), number: 1)
        #expect(throws: FileError.failed(folder.file("livecap-0002.jpg"), call: "write", errno: ENOSPC)) {
            try files.write(Array(repeating: 2, count: 100_000), number: 2)
        }
        #expect(path == folder.file("livecap-0001.jpg") && folder.names == ["livecap-0001.jpg"])
        // Photos keep the numbers of their requests.
        #expect(try files.write([3], number: 3) == folder.file("livecap-0003.jpg"))
    }

    @Test func aFolderThatCannotBeSyncedKeepsAWholePhoto() throws {
        let syncs = Guarded(0)
        func calls(_ reason: Int32) -> FileCalls {
            syncs.withLock { $0 = 0 }
            // The sync of the file itself comes first.
            return FileCalls(sync: { _ in
                syncs.withLock {
                    $0 += 1; return $0
                } == 1 ? 0 : failing(reason)
            })
        }
        let files = try PhotoFiles(folder.file("a.jpg"), .jpeg, count: 1, mayReplace: false, calls: calls(EIO))
        #expect(throws: FileError.failed(folder.path, call: "fsync", errno: EIO)) {
            try files.write([1, 2], number: 1)
        }
        #expect(folder.bytes("a.jpg") == [1, 2] && folder.names == ["a.jpg"])
        // Some file systems cannot sync folders, and report that.
        let others = try PhotoFiles(folder.file("b.jpg"), .jpeg, count: 1, mayReplace: false, calls: calls(EINVAL))
        #expect(try others.write([3], number: 1) == folder.file("b.jpg"))
    }

    @Test func interruptionsAndShortWritesAreNoFailures() throws {
        let turn = Guarded(0)
        let calls = FileCalls(write: { descriptor, bytes in
            let turn = turn.withLock {
                $0 += 1; return $0
            }
            return turn % 2 == 1 ? failing(EINTR) : write(descriptor, bytes.baseAddress, min(bytes.count, 7))
        })
        let photo = (0..<100).map { UInt8($0) }
        _ = try PhotoFiles(folder.file("a.jpg"), .jpeg, count: 1, mayReplace: false, calls: calls)
            .write(photo, number: 1)
        #expect(folder.bytes("a.jpg") == photo)
    }

    @Test func linkReplacesRenameNoreplaceWhereUnsupported() throws {
        let calls = FileCalls(rename: { _, _, mayReplace in mayReplace ? -EIO : -EINVAL })
        let files = try PhotoFiles(folder.path, .jpeg, count: 1, mayReplace: false, calls: calls)
        folder.put([9], "a.jpg")
        _ = try files.write([1], number: 1)
        #expect(throws: FileError.failed(folder.file("a.jpg"), call: "rename", errno: EEXIST)) {
            try PhotoFiles(folder.file("a.jpg"), .jpeg, count: 1, mayReplace: false, calls: calls)
                .write([2], number: 1)
        }
        #expect(folder.names == ["a.jpg", "livecap-0001.jpg"] && folder.bytes("a.jpg") == [9])
    }

    @Test func whatDeadProgramsLeftIsRemoved() throws {
        // Process ids end at 4194304; process 1 is alive.
        let dead = [".livecap-photo.0.4194305.part", ".livecap-photo.12.4194305.part"]
        let others = [
            ".livecap-photo.0.1.part", ".livecap-photo.0.\(getpid()).part", "a.jpg.4194305.part",
            ".livecap-photo.x.4194305.part", ".livecap-photo.0.-5.part", ".livecap-photo.0.4194305.part.jpg",
        ]
        for name in dead + others { folder.put([1], name) }
        folder.put([1], ".livecap-photo.1.4194305.part")
        // The id of its writer is from elsewhere, such as another namespace. The writer is alive, because
        // it holds the lock.
        let descriptor = open(folder.file(".livecap-photo.1.4194305.part"), O_RDONLY)
        try #require(flock(descriptor, LOCK_EX) == 0)
        defer { close(descriptor) }
        _ = try PhotoFiles(folder.file("b.jpg"), .jpeg, count: 1, mayReplace: false)
        #expect(folder.names == (others + [".livecap-photo.1.4194305.part"]).sorted())
        // A temporary name that is taken is no reason to fail.
        _ = try PhotoFiles(folder.file("b.jpg"), .jpeg, count: 1, mayReplace: false).write([2], number: 1)
        #expect(folder.bytes("b.jpg") == [2])
    }
}

/// Whether this test may mount file systems.
private func mayMount() -> Bool {
    guard let folder = try? PhotoFolder(), mount("tmpfs", folder.path, "tmpfs", 0, "size=4k") == 0 else { return false }
    umount2(folder.path, Int32(MNT_DETACH))
    return true
}
