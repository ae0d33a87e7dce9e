// SPDX-License-Identifier: MIT
// Records all frames of a run, while pictures are taken of them.

import FrameRing
import Glibc
import LiveCapture
import LivecapCommandTable
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapMovies
import LivecapStreams
import LivecapThreads

/// A recording of a run that has ended.
struct RunRecord: Sendable {
    let report: FileReport
    let failure: Failure?
}

/// Records each stream of a run into a file of its own: another camera or format goes into the next file.
final class RunRecording: FrameSink {
    /// Of the first stream.
    let path: String
    private let inbox: RunInbox
    private let tasks: TaskThread
    private let interruption: Interruption
    private let settings: RecordingSettings
    /// What was done to frames, such as "fused"; nil for the camera's own.
    private let treatment: String?
    private let state = Guarded(State())

    private struct State: Sendable {
        /// That of the stream whose recording was begun before the stream.
        var first: Ring?
        /// How many streams were recorded or are.
        var count = 0
        var running: [Int: any FrameRecording] = [:]
        /// How many are being opened, or have not been reported yet.
        var pending = 0
        /// Whether a stage may still begin its first stream.
        var isExpecting = false
        var isOver = false

        /// Counts a stream that will be recorded. Returns its number.
        mutating func begin() -> Int {
            isExpecting = false
            count += 1
            pending += 1
            return count
        }
    }

    /// The beginning of a stream, and what keeps its frames coming until it is recorded.
    private final class Beginning: Sendable {
        let stream: SinkStream
        let number: Int
        /// Joined at once, so that nothing is missed while the file is opened.
        let frames: Guarded<FrameSubscription?>
        let use: any AnyObject & Sendable

        init(_ stream: SinkStream, number: Int) {
            self.stream = stream
            self.number = number
            frames = Guarded(FrameSubscription(to: stream.ring, gate: stream.gate))
            use = stream.keepOn()
        }
    }

    /// Nil unless `--record` asks for it. Records from the first frame on, once the session begins: what `stage` makes,
    /// or else the session's own.
    init?(_ arguments: Arguments, _ host: Host, _ inbox: RunInbox, by staged: StagedFrames?) throws(Failure) {
        guard let name = arguments[RunOptions.record] else { return nil }
        path = try OutputName.path(name, mayReplace: arguments[ShootOptions.overwrite])
        self.inbox = inbox
        tasks = host.tasks
        interruption = host.interruption
        settings = RecordingSettings(overwrite: arguments[ShootOptions.overwrite])
        let stage = staged?.stage(of: .record)
        treatment = staged?.treatment(of: .record)
        state.withLock { $0.isExpecting = stage != nil }
        if stage == nil {
            // Opened at once, so that errors are reported before the session begins.
            let (source, ring) = (host.session.source, host.session.ring)
            let recording = try record(source, from: ring, to: path, settings, gate: host.gate, unless: interruption)
            let number = state.withLock { state in
                state.first = ring
                return state.begin()
            }
            follow(recording, number, of: source, from: ring, at: path)
        }
        _ = (stage?.sinks ?? host.session.sinks).attach(self)
        guard stage != nil, let staged else { return }
        Task.detached(executorPreference: tasks) {
            await onThread(named: "open") {
                guard !staged.waitForStream(of: .record) else { return }
                // None will begin.
                self.state.withLock { $0.isExpecting = false }
                inbox.poke()
            }
        }
    }

    /// Refuses names of files that are not recordings, before a camera is opened.
    static func check(_ arguments: Arguments) throws(Failure) {
        guard let name = arguments[RunOptions.record] else { return }
        if OutputTarget.descriptor(namedBy: name) == STDOUT_FILENO {
            throw .pictures("--record \(name): standard output is for reports", hint: "name a file")
        }
        try attempt { () throws(FrameFileError) in try MovieKind.checkName(name) }
        if StagedFrames.areAsked(for: .record, arguments), MovieKind(path: name) == .mjpg {
            throw .notJPEG(name, hint: "name it .lcap, .y4m or .mkv")
        }
    }

    func streamBegins(_ stream: SinkStream) {
        let number = state.withLock { state -> Int? in
            guard state.first !== stream.ring, !state.isOver else {
                for recording in state.running.values where state.first === stream.ring {
                    recording.follow(stream.planes)
                }
                return nil
            }
            state.first = nil
            return state.begin()
        }
        guard let number else { return }
        let beginning = Beginning(stream, number: number)
        // The disk may keep it waiting.
        Task.detached(executorPreference: tasks) {
            await onThread(named: "open") { self.goOn(with: beginning) }
        }
    }

    func hostEnds() {}

    /// Records another stream into the next file.
    private func goOn(with beginning: Beginning) {
        let stream = beginning.stream
        let next = beginning.number == 1 ? path : nextPath()
        do throws(Failure) {
            let recording = try record(
                stream.source.treated(treatment), from: stream.ring, to: next, settings, gate: stream.gate,
                from: beginning.frames.withLock { $0.take() }, unless: interruption,
                orOnce: { self.state.withLock { $0.isOver } })
            recording.follow(stream.planes)
            follow(recording, beginning.number, of: stream.source, from: stream.ring, at: next, keeping: beginning.use)
        } catch {
            beginning.frames.withLock { $0 = nil }
            let report = FileReport(of: stream.source, from: stream.ring, at: next, RecordingSummary())
            end(RunRecord(report: report, failure: error))
        }
    }

    /// Such as `walk-001.lcap` after `walk.lcap`.
    private func nextPath() -> String {
        let isFolder = path.last == "/"
        var names = NumberedNames(partsOf: isFolder ? String(path.dropLast()) : path)
        return names.next().path + (isFolder ? "/" : "")
    }

    /// Reports a recording when it has ended. Until then, `use` keeps its frames coming.
    private func follow(
        _ recording: any FrameRecording, _ number: Int, of source: SourceDescription, from ring: Ring,
        at path: String, keeping use: (any AnyObject & Sendable)? = nil
    ) {
        let isOver = state.withLock { state in
            state.running[number] = recording
            return state.isOver
        }
        if isOver { recording.stop() }
        Task.detached(executorPreference: tasks) {
            await onThread(named: "record end") {
                _ = recording.waitForEnd(until: .distantFuture)
                withExtendedLifetime(use) {}
                let result = recording.finish()
                self.state.withLock { $0.running[number] = nil }
                self.end(
                    RunRecord(
                        report: FileReport(of: source, from: ring, at: path, result.summary),
                        failure: result.failure?.failure))
            }
        }
    }

    private func end(_ record: RunRecord) { inbox.put(.recording(record)) }

    /// Ends the recordings, because the run ends.
    func stop() {
        let running = state.withLock { state in
            state.isOver = true
            return state.running.values
        }
        for recording in running { recording.stop() }
    }

    /// Notes that a recording was reported.
    func noteReported() { state.withLock { $0.pending -= 1 } }

    /// Whether all are complete and reported.
    var isIdle: Bool { state.withLock { $0.pending == 0 && (!$0.isExpecting || $0.isOver) } }
}
