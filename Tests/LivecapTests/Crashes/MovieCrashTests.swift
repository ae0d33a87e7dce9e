// SPDX-License-Identifier: MIT
// A movie in the making, and what remains of it after a power cut, a kill or a full disk at any moment.

import Foundation
import LivecapProcesses
import LivecapSeededRandom
import Testing

/// Not under a sanitizer, whose runtime must be loaded before all other libraries.
@Suite(.timeLimit(.usual), .enabled(if: getenv("LIVECAP_SANITIZER") == nil)) struct MovieCrashTests {
    private let files = try! Scratch()
    private var root: String { files.path("movies") }

    init() throws { try emptyRoot() }

    private func emptyRoot() throws {
        try? FileManager.default.removeItem(atPath: root)
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    /// Records three seconds at their own pace, so that the disk is written to meanwhile.
    private func record(
        _ name: String, _ options: [String] = [], killAt: Int? = nil, fullAt: Int? = nil
    ) throws -> Outcome {
        try RunningLivecap(
            ["movie", "--synthetic", "tripod:seed=3,prerender=5", "--size", "160x96", "-t", "3s", "--json", "-o"]
                + ["\(root)/\(name)"] + options,
            shell: RunningLivecap.journaled(files.path("journal"), root: root, killAt: killAt, fullAt: fullAt)
                + "exec \"$@\""
        ).finish()
    }

    private var journal: FileJournal { get throws { try FileJournal(files.path("journal"), root: root) } }

    /// The number of pictures that can be decoded of a file; nil if it is none.
    private func pictures(in bytes: [UInt8], _ name: String) throws -> Int? {
        let path = files.path("left-\(name)")
        try Data(bytes).write(to: URL(filePath: path))
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "ffprobe", "-v", "quiet", "-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames",
            "-of", "csv=p=0", path,
        ]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.awaitEnd()
        return Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test(arguments: ["a.mp4", "a.mkv"]) func aPowerCutLeavesWhatWasOnTheDisk(name: String) throws {
        let outcome = try record(name)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let operations = try journal.operations
        var disk = DiskModel()
        var generator: (any RandomNumberGenerator)? = SeededRandom(seed: 7)
        var none: (any RandomNumberGenerator)?
        var (durable, syncs) = (0, 0)
        for (count, operation) in operations.enumerated() {
            disk.apply(operation)
            guard operation.kind == .sync else { continue }
            syncs += 1
            guard let kept = disk.afterPowerCut(&none)[name].flatMap({ $0 }) else {
                #expect(durable == 0, "the movie is gone after \(count)")
                continue
            }
            let now = try #require(try pictures(in: kept, name) ?? (durable == 0 ? 0 : nil), "after \(count)")
            #expect(now >= durable, "pictures are lost after \(count)")
            durable = now
            // What is behind may be damaged in any way: what was synced is still there.
            let damaged = try #require(disk.afterPowerCut(&generator)[name].flatMap { $0 })
            #expect(try pictures(in: damaged, name) ?? 0 >= durable, "after \(count)")
        }
        // Each half of a second is brought to the disk; slow disks take some of them together.
        #expect(syncs >= 6, "\(syncs) syncs")
        #expect(durable == (try outcome.object["frames"] as? Int) && durable > 60)
        let isComplete = disk.afterExit == contents(of: root)
        #expect(isComplete, "the journal does not tell all that was done")
    }

    @Test(arguments: ["a.mp4", "a.webm"]) func aKillAtAnyMomentLeavesAMovieThatPlaysOrNone(name: String) throws {
        _ = try record(name)
        let count = try journal.operations.count
        var generator = SeededRandom(seed: 11)
        for _ in 0..<6 {
            let moment = Int.random(in: 1...count, using: &generator)
            try emptyRoot()
            let outcome = try record(name, killAt: moment)
            // Another run may have fewer operations.
            guard outcome.status == -9 else { continue }
            guard let left = contents(of: root)[name].flatMap({ $0 }) else { continue }
            #expect(try pictures(in: left, name) ?? 0 > 0, "after a kill at \(moment)")
        }
    }

    /// Each part is whole before the next one has a name.
    @Test(arguments: ["a.mp4", "a.mkv"], [false, true])
    func partsBeforeTheLastAreWhole(name: String, isKilled: Bool) throws {
        // Every frame is in the movie then, however slow the machine is.
        let options = ["--split", "700ms", "--pace", "fast"]
        let whole = try record(name, options)
        let parts = try #require(try whole.object["parts"] as? [[String: Any]])
        let pictures = try #require(parts.first?["pictures"] as? Int)
        #expect(parts.count == 5 && pictures > 15)
        let count = try journal.operations.count
        var generator = SeededRandom(seed: isKilled ? 13 : 17)
        for _ in 0..<4 {
            let moment = Int.random(in: count / 4...count, using: &generator)
            try emptyRoot()
            let outcome = try record(
                name, options, killAt: isKilled ? moment : nil, fullAt: isKilled ? nil : moment)
            let left = contents(of: root).compactMapValues { $0 }
            // A file that was about to get its name has a hidden one.
            let names = left.keys.filter { !$0.hasPrefix(".") }.sorted()
            for part in names.dropLast() {
                let found = try self.pictures(in: left[part]!, part)
                #expect(found == pictures, "\(part) of \(names) after \(moment)")
            }
            guard outcome.status == 74, let report = try outcome.objects.first?["parts"] as? [[String: Any]] else {
                continue
            }
            #expect(report.compactMap { $0["file"] as? String } == names.map { "\(root)/\($0)" })
            if let last = names.last, let found = try self.pictures(in: left[last]!, last) {
                #expect(report.last?["pictures"] as? Int == found)
            }
        }
    }
}
