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
    private let state = Guarded(State())

    private struct State: Sendable {
        var first: Ring?
        var count = 0
        var running: [Int: any FrameRecording] = [:]
        /// How many are being opened, or have not been reported yet.
        var pending = 0
        var isOver = false
    }

    /// Nil unless `--record` asks for it. Records from the first frame on, once the session begins.
    init?(_ arguments: Arguments, _ host: Host, _ inbox: RunInbox) throws(Failure) {
        guard let name = arguments[RunOptions.record] else { return nil }
        path = try OutputName.path(name, mayReplace: arguments[ShootOptions.overwrite])
        self.inbox = inbox
        tasks = host.tasks
        interruption = host.interruption
        settings = RecordingSettings(overwrite: arguments[ShootOptions.overwrite])
        let (source, ring) = (host.session.source, host.session.ring)
        let recording = try record(source, from: ring, to: path, settings, gate: host.gate, unless: interruption)
        state.withLock { state in
            state.first = ring
            state.pending = 1
        }
        follow(recording, of: source, from: ring, at: path)
        _ = host.session.sinks.attach(self)
    }

    /// Refuses names of files that are not recordings, before a camera is opened.
    static func check(_ arguments: Arguments) throws(Failure) {
        guard let name = arguments[RunOptions.record] else { return }
        if OutputTarget.descriptor(namedBy: name) == STDOUT_FILENO {
            throw .pictures("--record \(name): standard output is for reports", hint: "name a file")
        }
        try attempt { () throws(FrameFileError) in try MovieKind.checkName(name) }
    }

    func streamBegins(_ stream: SinkStream) {
        let isNew = state.withLock { state in
            guard state.first !== stream.ring, !state.isOver else { return false }
            state.first = nil
            state.pending += 1
            return true
        }
        guard isNew else { return }
        // The disk may keep it waiting.
        Task.detached(executorPreference: tasks) {
            await onThread(named: "open") { self.goOn(with: stream) }
        }
    }

    func hostEnds() {}

    /// Records another stream into the next file.
    private func goOn(with stream: SinkStream) {
        do throws(Failure) {
            let next = nextPath()
            follow(
                try record(
                    stream.source, from: stream.ring, to: next, settings, gate: stream.gate, unless: interruption),
                of: stream.source, from: stream.ring, at: next)
        } catch {
            let report = FileReport(of: stream.source, from: stream.ring, at: path, RecordingSummary())
            end(RunRecord(report: report, failure: error))
        }
    }

    /// Such as `walk-001.lcap` after `walk.lcap`.
    private func nextPath() -> String {
        let isFolder = path.last == "/"
        var names = NumberedNames(partsOf: isFolder ? String(path.dropLast()) : path)
        return names.next().path + (isFolder ? "/" : "")
    }

    private func follow(
        _ recording: any FrameRecording, of source: SourceDescription, from ring: Ring, at path: String
    ) {
        let (number, isOver) = state.withLock { state in
            state.count += 1
            state.running[state.count] = recording
            return (state.count, state.isOver)
        }
        if isOver { recording.stop() }
        Task.detached(executorPreference: tasks) {
            await onThread(named: "record end") {
                _ = recording.waitForEnd(until: .distantFuture)
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
    var isIdle: Bool { state.withLock { $0.pending == 0 } }
}
