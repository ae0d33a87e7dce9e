// SPDX-License-Identifier: MIT
// Photos as files, and what remains of them after a kill, a power cut or a full disk at any moment.

import Foundation
import LivecapSeededRandom
import Testing

/// Not under a sanitizer, whose runtime must be loaded before all other libraries.
@Suite(.timeLimit(.usual), .enabled(if: getenv("LIVECAP_SANITIZER") == nil)) struct PhotoFileCrashTests {
    private let files = try! Scratch()
    private var root: String { files.path("photos") }

    init() throws { try emptyRoot() }

    private func emptyRoot() throws {
        try? FileManager.default.removeItem(atPath: root)
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    /// Takes three photos that may replace existing ones.
    private func shoot(killAt: Int? = nil, fullAt: Int? = nil) throws -> Outcome {
        try livecap(
            "shoot", "--synthetic", "tripod:frames=20,seed=3", "--pace", "fast", "--size", "64x48", "--quality",
            "speed",
            "--at", "100ms", "--at", "200ms", "--at", "300ms", "--overwrite", "--json", "-o", "\(root)/a.jpg",
            shell: RunningLivecap.journaled(files.path("journal"), root: root, killAt: killAt, fullAt: fullAt)
                + "exec \"$@\"")
    }

    private var journal: FileJournal { get throws { try FileJournal(files.path("journal"), root: root) } }

    @Test func aPhotoThatWasAnnouncedSurvivesAPowerCut() throws {
        let outcome = try shoot()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let journal = try journal
        var disk = DiskModel()
        var generator: (any RandomNumberGenerator)? = SeededRandom(seed: 5)
        var none: (any RandomNumberGenerator)?
        var announced = 0
        for count in 0...journal.operations.count {
            if count > 0 { disk.apply(journal.operations[count - 1]) }
            for photo in try journal.said(after: count) {
                let name = try #require(photo["file"] as? String).split(separator: "/").last.map(String.init)!
                let bytes = try #require(photo["bytes"] as? Int)
                for left in [disk.afterPowerCut(&none), disk.afterPowerCut(&generator)] {
                    let kept = left[name].flatMap { $0 }
                    #expect(kept?.count == bytes && kept?.starts(with: [0xFF, 0xD8]) == true, "\(name), \(count)")
                }
                announced += 1
            }
        }
        #expect(announced >= 3)
        #expect(disk.afterExit == contents(of: root), "the journal does not tell all that was done")
    }

    /// Killed before each operation in turn: every file with a photo's name is a complete photo.
    @Test func aKillLeavesNothingHalfWrittenUnderAPhotosName() throws {
        _ = try shoot()
        let count = try journal.operations.count
        for moment in 1...count {
            try emptyRoot()
            let outcome = try shoot(killAt: moment)
            #expect(outcome.status == -9)
            let left = contents(of: root)
            for (name, bytes) in left where !name.hasPrefix(".livecap-photo.") {
                #expect(bytes?.suffix(2) == [0xFF, 0xD9], "\(name) after a kill at \(moment)")
            }
            let announced = try journal.said(after: .max).count
            #expect(left.keys.count { !$0.hasPrefix(".") } >= announced)
        }
    }

    /// Full from each operation on in turn: what was announced is there, and the rest fails with an error.
    @Test func aFullDiskFailsByNameAndKeepsWhatIsThere() throws {
        _ = try shoot()
        let count = try journal.operations.count
        for moment in 1...count {
            try emptyRoot()
            let outcome = try shoot(fullAt: moment)
            let (said, left) = (try outcome.objects, contents(of: root))
            let announced = said.compactMap { $0["file"] as? String }
            #expect(left.count == announced.count, "\(left.keys) after a full disk at \(moment)")
            // A folder without room for another name is reported once, before any photo is taken.
            let failures = said.count { $0["code"] as? String == "file-error" }
            #expect(failures == 3 - announced.count || (failures == 1 && announced.isEmpty))
            #expect(outcome.status == (announced.count == 3 ? 0 : 74))
        }
    }
}
