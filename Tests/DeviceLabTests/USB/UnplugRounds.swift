// SPDX-License-Identifier: MIT
// Rounds of unplugging at random instants: what goes on meanwhile, how it is judged, and what is measured.

import Foundation
import FrameRing
import LiveCapture
import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import LivecapFrameFiles

/// What goes on while the camera is unplugged.
enum UnplugPhase: CaseIterable, Sendable {
    /// Only the transfer of a frame.
    case transfer
    /// Shots of moments before and after, alone and fused.
    case shots
    /// A recording.
    case recording
}

/// The chance, the figures and the checks of all rounds of a test.
struct UnplugRounds: ~Copyable {
    /// `LIVECAP_UNPLUGS` asks for more.
    static func count(default count: Int) -> Int {
        ProcessInfo.processInfo.environment["LIVECAP_UNPLUGS"].flatMap { Int($0) } ?? count
    }

    /// Memory may grow by this much after the first half of the rounds: for fragments of the heap, never for a frame
    /// (150 kB) per round.
    static let memoryAllowance = 8 << 20

    let name: String
    let count: Int
    var random: SeededRandom
    private let folder = try! TemporaryFolder()
    private var noticed: [Duration] = []
    /// By whether nothing else was under way.
    private var firstFrames: [Bool: [Duration]] = [:]
    private var (photos, failures, recordings) = (0, 0, 0)
    private var (open, memory) = (0, 0)

    init(_ name: String, _ count: Int) {
        let seed = ProcessInfo.processInfo.environment["LIVECAP_SEED"].flatMap { UInt64($0) } ?? 1
        print("device lab: \(name): \(count) unplugs of seed \(seed)")
        (self.name, self.count, random) = (name, count, SeededRandom(seed: seed))
    }

    /// What is under way when the camera is unplugged.
    struct UnderWay: ~Copyable {
        let words: String
        /// Whether nothing but the transfer is under way.
        let isAlone: Bool
        var shots: [WatchedSession.Shot] = []
        var recorder: Recorder?
        var first: UInt64 = 0
    }

    /// Begins something, and lets the camera unplug itself within the next frames.
    mutating func begin(_ round: Int, _ watched: borrowing WatchedSession, _ camera: LabCamera) throws -> UnderWay {
        let phase = UnplugPhase.allCases.randomElement(using: &random)!
        let percent = Int.random(in: 0..<100, using: &random)
        let number = try #require(camera.state()["number"]) + Int.random(in: 1...5, using: &random)
        var underWay = UnderWay(
            words: "round \(round), \(phase), \(percent) % of \(number)", isAlone: phase == .transfer)
        if phase == .recording {
            // A recording without frames leaves no file, nor may it leave that of an earlier round.
            try? FileManager.default.removeItem(atPath: folder.path("frames.lcap"))
            underWay.recorder = try Recorder(
                watched.session.source, ring: watched.session.ring, to: folder.path("frames.lcap"),
                RecordingSettings(queueBytes: 4 << 20, overwrite: true))
            underWay.first = watched.session.ring.nextCounter
        }
        try camera.unplug(at: number, percent: percent)
        guard phase == .shots else { return underWay }
        // In the past, now, and in the future, before and after the unplugging.
        for _ in 0..<3 {
            let moment = Timestamp.now + .milliseconds(Int64.random(in: -200...400, using: &random))
            let isFused = Bool.random(using: &random)
            underWay.shots.append(
                watched.shoot(
                    PhotoSettings(
                        quality: isFused ? .balanced : .single, frames: isFused ? 4 : nil,
                        laterFrames: isFused ? Int.random(in: 0...3, using: &random) : 0, format: .png),
                    at: moment))
        }
        return underWay
    }

    /// Waits until the camera is gone, and notes how long the session took to say so.
    mutating func noteLoss(_ count: Int, _ watched: borrowing WatchedSession, _ camera: LabCamera) throws {
        let loss = try watched.loss(count)
        try camera.waitUntilGone()
        try noticed.append(loss - camera.unplugged())
    }

    /// Notes the time of the first frame after the node could be used.
    mutating func noteFirstFrame(_ found: Timestamp, nodeThereAt usable: Timestamp, _ underWay: borrowing UnderWay) {
        firstFrames[underWay.isAlone, default: []].append(found - usable)
    }

    /// Judges what was under way.
    mutating func end(_ underWay: consuming UnderWay, _ watched: borrowing WatchedSession) throws {
        let words = underWay.words
        for shot in underWay.shots {
            if try watched.judge(shot, words, in: folder) { photos += 1 } else { failures += 1 }
        }
        if let recorder = underWay.recorder {
            // Where the stream has ended, so does the recording, with all of its frames.
            let result = watched.session.hasEnded ? recorder.wait() : recorder.finish()
            guard result.failure == nil, result.summary.dropped == 0 else {
                throw LabStream.Missing("\(words): \(result)")
            }
            try judgeRecording(words, from: underWay.first, watched)
            recordings += 1
        }
        try WatchedSession.require(watched.flaws.isEmpty, "\(words): \(watched.flaws)")
    }

    /// Every frame that the ring had since then must be in the file, in order and whole.
    private func judgeRecording(_ words: String, from first: UInt64, _ watched: borrowing WatchedSession) throws {
        guard FileManager.default.fileExists(atPath: folder.path("frames.lcap")) else { return }
        let file = try DumpReader(folder.path("frames.lcap"))
        let marks = try LabMarks.all(inRecording: folder.path("frames.lcap"))
        // The witness may be later than the recording.
        let known = try watched.wait("\(words): the recorded frames") { frames in
            let last = file.frameCount > 0 ? file.metadata(file.frameCount - 1).id.counter : 0
            return frames.last?.metadata.id.counter ?? 0 >= last ? frames : nil
        }
        for (index, marks) in marks.enumerated() {
            let id = file.metadata(index).id
            let seen = known.first { $0.metadata.id == id }?.marks
            guard seen == marks else {
                throw LabStream.Missing(
                    "\(words): recorded \(id) as \(marks), published as \(String(describing: seen))")
            }
        }
        let recorded = (0..<file.frameCount).map { file.metadata($0).id.counter }
        let expected = known.map(\.metadata.id.counter).filter {
            $0 >= (recorded.first ?? first) && $0 <= (recorded.last ?? 0)
        }
        guard recorded == expected, (recorded.first ?? first) <= first + 1 else {
            throw LabStream.Missing("\(words): recorded \(recorded), published \(expected)")
        }
    }

    /// Checks that no descriptor is left of the round, and notes the memory in use after half of the rounds.
    mutating func checkRemains(_ round: Int) throws {
        let now = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        if round == 1 { open = now }
        try WatchedSession.require(now <= open, "round \(round): \(now) descriptors, \(open) at first")
        if round == (count + 1) / 2 { memory = Self.residentMemory }
    }

    /// Reports the figures, and checks those that the guest's clock, which counts instructions, makes the same each
    /// time.
    consuming func conclude() throws {
        let grown = Self.residentMemory - memory
        func milliseconds(_ times: [Duration]) -> String {
            guard let max = times.max() else { return "none" }
            let median = times.sorted()[times.count / 2]
            return "median \(Int(median.milliseconds.rounded())) ms, max \(Int(max.milliseconds.rounded())) ms"
        }
        print("device lab: \(name): \(photos) photos, \(failures) shots without one, \(recordings) recordings judged")
        print("device lab: \(name): unplugging noticed: \(milliseconds(noticed))")
        for (isAlone, times) in firstFrames {
            let words = isAlone ? "nothing else under way" : "photos or a recording being made, by a debug build"
            print("device lab: \(name): first frame after the node, \(words): \(milliseconds(times))")
        }
        print("device lab: \(name): memory grew by \(grown / 1024) KiB in the second half of the rounds")
        try WatchedSession.require(noticed.count == count, "\(noticed.count) of \(count) noticed")
        try WatchedSession.require(noticed.max()! <= WatchedSession.interval * 2, "noticed \(noticed)")
        try WatchedSession.require(grown <= Self.memoryAllowance, "memory grew by \(grown) bytes")
    }

    /// The process's own memory in use, without the pages of files, in bytes.
    private static var residentMemory: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        return status.split(separator: "\n").filter { $0.hasPrefix("RssAnon:") || $0.hasPrefix("RssShmem:") }
            .reduce(0) { $0 + 1024 * (Int($1.split(whereSeparator: \.isWhitespace)[1]) ?? 0) }
    }
}
