// SPDX-License-Identifier: MIT
// One library, shared by threads, library objects and processes of one user, and closed to all other users.

import Dispatch
import Foundation
import LivecapFiles
import LivecapFrames
import LivecapProcesses
import LivecapThreads
import Testing

@testable import LivecapPhotoStorage

@Suite struct SharingTests {
    private let test: TestLibrary

    init() throws { test = try TestLibrary() }

    @Test func severalMayAddAtOnce() throws {
        let libraries = try (0..<2).map { _ in try test.open() }
        let bursts = try libraries.map { try $0.openBurst(greyHeader()) }
        let failures = Guarded(0)
        DispatchQueue.concurrentPerform(iterations: 24) { turn in
            let (library, burst) = (libraries[turn % 2], bursts[turn % 2])
            do {
                // All photos are of the same millisecond.
                if turn % 3 == 0 {
                    _ = try library.addFinished(newPhoto(), [UInt8(turn)])
                } else {
                    let frames = try burst.append([turn / 4, turn / 4 + 1])
                    _ = try library.addDeferred(newPhoto(), proxy: [UInt8(turn)], frames: frames)
                }
            } catch {
                failures.withLock { $0 += 1 }
            }
        }
        #expect(failures.withLock { $0 } == 0)
        let photos = try libraries[0].photos(LibraryPage(limit: 100))
        #expect(Set(photos.map(\.finalPath)).count == 24)
        let report = try libraries[1].verify()
        #expect(report.problems.isEmpty && report.unlisted.isEmpty && report.unfinished == 16)
    }

    @Test func onlyOneFinishesAPhoto() throws {
        let libraries = try (0..<2).map { _ in try test.open() }
        let frames = try libraries[0].openBurst(greyHeader()).append([1])
        let photo = try libraries[0].addDeferred(newPhoto(), proxy: [1], frames: frames)
        do {
            guard let claim = try libraries[0].claimUnfinished() else { throw NothingToFinish() }
            #expect(claim.photo.id == photo.id)
            for library in libraries {
                #expect(try !library.isToBeFinished())
                #expect(throws: LibraryError.beingFinished(photo.id)) { try library.isToBeFinished(photo.id) }
            }
        }
        #expect(try libraries[1].isToBeFinished())
    }

    @Test func aClaimEndsWithItsProcess() throws {
        let library = try test.open()
        let frames = try library.openBurst(greyHeader()).append([1])
        let photo = try library.addDeferred(newPhoto(), proxy: [1], frames: frames)
        // A process claims the photo as this program does, and is then killed.
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [
            "-c",
            """
            import fcntl, os, struct, sys, time
            lock = os.open(sys.argv[1], os.O_RDWR)
            fcntl.fcntl(lock, 37, struct.pack('hhqqi', fcntl.F_WRLCK, os.SEEK_SET, int(sys.argv[2]), 1, 0))
            print('claimed', flush=True)
            time.sleep(60)
            """, "\(test.path)/lock", "\(photo.id)",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // The line may arrive in pieces; the first one is enough.
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).hasPrefix("claimed"))
        #expect(try !library.isToBeFinished())
        kill(process.processIdentifier, SIGKILL)
        process.awaitEnd()
        #expect(try library.isToBeFinished())
    }

    @Test func anotherProgramsTransactionIsWaitedForButNotForEver() throws {
        var options = LibraryOptions()
        options.patience = .milliseconds(50)
        let library = try test.open(options)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/sqlite3")
        process.arguments = ["\(test.path)/catalogue.sqlite"]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        // It waits for its turn, and says so only if it has it.
        try input.fileHandleForWriting.write(
            contentsOf: Data(".bail on\n.timeout 60000\nBEGIN IMMEDIATE;\nSELECT 'locked';\n".utf8))
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).hasPrefix("locked"))
        #expect(throws: LibraryError.busy("\(test.path)/catalogue.sqlite")) {
            try library.addFinished(newPhoto(), [1])
        }
        // Reading still works, and nothing was left behind.
        #expect(try library.photos().isEmpty && library.verify().unlisted.isEmpty)
        try input.fileHandleForWriting.write(contentsOf: Data("ROLLBACK;\n".utf8))
        try input.fileHandleForWriting.close()
        process.awaitEnd()
        #expect(try library.addFinished(newPhoto(), [1]).finalPath.hasSuffix("-1.jpg"))
    }

    @Test func filesAreOnlyAccessibleToTheUser() throws {
        // A mask of 0 withholds no permission, so the other tests in this process are not affected.
        let mask = umask(0)
        defer { umask(mask) }
        let library = try test.open()
        let frames = try library.openBurst(greyHeader()).append([1])
        _ = try library.addDeferred(newPhoto(), proxy: [1], frames: frames)
        guard let claim = try library.claimUnfinished() else { throw NothingToFinish() }
        try library.finish(claim, [2], provenance: "{}")
        _ = try library.addDeferred(newPhoto(), proxy: [1], frames: frames)
        var found = 0
        for place in [""] + (FileManager.default.enumerator(atPath: test.path)?.compactMap { $0 as? String } ?? []) {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(test.path)/\(place)")
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(place)")
            found += 1
        }
        #expect(found >= 9)
    }
}
