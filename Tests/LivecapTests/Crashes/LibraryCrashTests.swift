// SPDX-License-Identifier: MIT
// The library after crashes: everything announced is in it, however the program ended. `make crash` tries more moments.

import Foundation
import LivecapSeededRandom
import Testing

/// Not under a sanitizer, whose runtime must be loaded before all other libraries.
@Suite(.timeLimit(.minutes(90)), .enabled(if: getenv("LIVECAP_SANITIZER") == nil)) struct LibraryCrashTests {
    private let files = try! Scratch()
    private var library: String { files.path("library") }
    private var journal: String { files.path("journal") }

    /// How many crashes of each kind are tried (`LIVECAP_CRASHES` sets another number), and the seed that selects them.
    private let crashes = getenv("LIVECAP_CRASHES").flatMap { Int(String(cString: $0)) } ?? 8
    private let seed: UInt64 = getenv("LIVECAP_SEED").flatMap { UInt64(String(cString: $0)) } ?? 11

    // MARK: Killed

    @Test func aKillWhileShotsAreTakenLosesNothingThatWasAnnounced() throws {
        _ = try shoot()
        let count = try FileJournal(journal, root: library).operations.count
        for moment in moments(among: 1...count) {
            try FileManager.default.removeItem(atPath: library)
            let outcome = try shoot(killAt: moment)
            #expect(outcome.status == -9 && !outcome.errors.contains("livecap:"), "\(outcome.errors)")
            let journal = try FileJournal(journal, root: library)
            try expectWhole(library, announced: try announced(journal.said(after: .max)), "killed at \(moment)")
        }
    }

    @Test func aKillWhileFinalsAreMadeLosesNothing() throws {
        let ids = try announced(shoot().objects)
        let before = files.path("before")
        try FileManager.default.copyItem(atPath: library, toPath: before)
        try expectDone(finish(), "finish")
        let count = try FileJournal(journal, root: library).operations.count
        for moment in moments(among: 1...count) {
            try FileManager.default.removeItem(atPath: library)
            try FileManager.default.copyItem(atPath: before, toPath: library)
            #expect(try finish(killAt: moment).status == -9)
            try expectWhole(library, announced: ids, "killed at \(moment)")
        }
    }

    // MARK: Without power

    @Test func aPowerCutWhileShotsAreTakenLosesNothingThatWasAnnounced() throws {
        _ = try shoot()
        let journal = try FileJournal(journal, root: library)
        try cutPower(during: journal, of: DiskModel()) { count in try announced(journal.said(after: count)) }
    }

    @Test func aPowerCutWhileFinalsAreMadeLosesNothing() throws {
        let ids = try announced(shoot().objects)
        let disk = DiskModel(holding: contents(of: library))
        try expectDone(finish(), "finish")
        try cutPower(during: FileJournal(journal, root: library), of: disk) { _ in ids }
    }

    // MARK: After a failed sync

    @Test func aFailedSyncWhileShotsAreTakenLosesNothingThatWasAnnounced() throws {
        _ = try shoot()
        for moment in try syncs() {
            try FileManager.default.removeItem(atPath: library)
            let outcome = try shoot(failSyncAt: moment)
            #expect([0, 74].contains(outcome.status), "\(outcome.status): \(outcome.errors)")
            let journal = try FileJournal(journal, root: library)
            try cutPower(
                behind: journal, of: DiskModel(), announced(journal.said(after: .max)), "sync \(moment) failed")
        }
    }

    @Test func aFailedSyncWhileFinalsAreMadeLosesNothing() throws {
        let ids = try announced(shoot().objects)
        let before = files.path("before")
        try FileManager.default.copyItem(atPath: library, toPath: before)
        try expectDone(finish(), "finish")
        for moment in try syncs() {
            try FileManager.default.removeItem(atPath: library)
            try FileManager.default.copyItem(atPath: before, toPath: library)
            let disk = DiskModel(holding: contents(of: library))
            let outcome = try finish(failSyncAt: moment)
            #expect([0, 74].contains(outcome.status), "\(outcome.status): \(outcome.errors)")
            try cutPower(behind: FileJournal(journal, root: library), of: disk, ids, "sync \(moment) failed")
        }
    }

    /// The numbers of some of the syncs in the last run.
    private func syncs() throws -> [Int] {
        let operations = try FileJournal(journal, root: library).operations
        let all = operations.indices.filter { operations[$0].kind == .sync }.map { $0 + 1 }
        var generator = SeededRandom(seed: seed)
        return Array(all.shuffled(using: &generator).prefix(crashes))
    }

    /// Cuts the power after the program has ended.
    private func cutPower(
        behind journal: FileJournal, of disk: DiskModel, _ announced: Set<Int>, _ when: String
    ) throws {
        var disk = disk
        var none: (any RandomNumberGenerator)?
        for operation in journal.operations { disk.apply(operation) }
        let root = files.path("restored")
        try? FileManager.default.removeItem(atPath: root)
        try restore(disk.afterPowerCut(&none), to: root)
        try expectWhole(root, announced: announced, when)
    }

    // MARK: On a full disk

    @Test func aFullDiskFailsShotsByNameAndTheLibraryGoesOn() throws {
        _ = try shoot()
        let count = try FileJournal(journal, root: library).operations.count
        for moment in moments(among: 1...count) {
            try FileManager.default.removeItem(atPath: library)
            let outcome = try shoot(fullAt: moment)
            let ids = try announced(outcome.objects)
            let failures = try outcome.objects.filter { $0["code"] != nil }
            #expect(
                ids.count == Self.shots ? outcome.status == 0 : outcome.status != 0 && !failures.isEmpty,
                "full at \(moment): \(outcome.status), \(outcome.errors)")
            try expectWhole(library, announced: ids, "full at \(moment)")
        }
    }

    // MARK: -

    private static let shots = 3

    /// Takes deferred shots of neighbouring moments, which share frames.
    private func shoot(killAt: Int? = nil, fullAt: Int? = nil, failSyncAt: Int? = nil) throws -> Outcome {
        try livecap(
            "shoot", "--synthetic", "tripod:frames=20,seed=3", "--pace", "fast", "--size", "64x48", "--quality",
            "merge", "--frames", "4", "--defer", "required", "--at", "200ms", "--at", "233ms", "--at", "400ms",
            "--library", library, "--json",
            shell: RunningLivecap.journaled(
                journal, root: library, killAt: killAt, fullAt: fullAt, failSyncAt: failSyncAt) + "exec \"$@\"")
    }

    private func finish(killAt: Int? = nil, failSyncAt: Int? = nil) throws -> Outcome {
        try livecap(
            "library", "finish", "--library", library, "--json",
            shell: RunningLivecap.journaled(journal, root: library, killAt: killAt, failSyncAt: failSyncAt)
                + "exec \"$@\"")
    }

    /// The ids of the photos announced as being in the library.
    private func announced(_ said: [[String: Any]]) throws -> Set<Int> {
        Set(try said.filter { $0["code"] == nil }.map { try #require($0["libraryId"] as? Int) })
    }

    /// A selection of the operations that depends on the seed. All of them if there are no more than `crashes`.
    private func moments(among all: ClosedRange<Int>) -> [Int] {
        var generator = SeededRandom(seed: seed)
        return Array(all.shuffled(using: &generator).prefix(crashes))
    }

    private func cutPower(
        during journal: FileJournal, of disk: DiskModel, announced: (Int) throws -> Set<Int>
    ) throws {
        var disk = disk
        var generator: (any RandomNumberGenerator)? = SeededRandom(seed: seed)
        var none: (any RandomNumberGenerator)?
        let moments = Set(moments(among: 1...journal.operations.count))
        for (index, operation) in journal.operations.enumerated() {
            disk.apply(operation)
            // Also right after each announcement, when the promised photo is the newest.
            guard moments.contains(index + 1) || operation.kind == .say else { continue }
            for (left, what) in [(disk.afterPowerCut(&none), "strict"), (disk.afterPowerCut(&generator), "by chance")] {
                let root = files.path("restored")
                try? FileManager.default.removeItem(atPath: root)
                try restore(left, to: root)
                try expectWhole(root, announced: announced(index + 1), "\(what), behind operation \(index + 1)")
            }
        }
        let (reported, found) = (disk.afterExit, contents(of: library))
        let others = Set(reported.keys).union(found.keys).filter { reported[$0] != found[$0] }
        #expect(others.isEmpty, "the journal does not tell all that was done")
    }

    /// What must hold after a crash: the library opens, everything announced is there, all finals can be made, and no
    /// stray file is left.
    private func expectWhole(_ root: String, announced: Set<Int>, _ when: String) throws {
        // An empty catalogue belongs to a library that was still being made.
        let catalogue = FileManager.default.contents(atPath: "\(root)/catalogue.sqlite")
        guard catalogue?.isEmpty == false || !announced.isEmpty else { return }
        try expectDone(livecap("library", "verify", "--library", root, "--json"), "verify, \(when)")
        try expectDone(livecap("library", "finish", "--library", root, "--json"), "finish, \(when)")
        try expectDone(livecap("library", "verify", "--library", root, "--json"), "verify again, \(when)")
        let listed = try livecap("library", "list", "--library", root, "--json").objects
        #expect(announced.isSubset(of: listed.compactMap { $0["id"] as? Int }), "\(when)")
        #expect(listed.allSatisfy { $0["state"] as? String == "finished" }, "\(when): \(listed)")
        let names = contents(of: root).keys.map { $0.split(separator: "/").last! }
        #expect(names.allSatisfy { !$0.hasPrefix(".") && !$0.contains(".proxy.") }, "\(when): \(names)")
    }

    private func expectDone(_ outcome: Outcome, _ what: String) {
        #expect(outcome.status == 0, "\(what): \(outcome.output)\(outcome.errors)")
    }
}
