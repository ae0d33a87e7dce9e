// SPDX-License-Identifier: MIT
// The outputs of a session, and the thread that serves them.

import FrameRing
import LivecapFrames
import LivecapPictures
import LivecapThreads
import Synchronization

/// The outputs that are part of a session. They outlive its runs; each run with outputs has a thread that serves them.
final class SessionOutputs: Sendable {
    private let state = Guarded(State())
    /// What the thread takes of a processor, as bits of a `Double`; negative if it is not known.
    private let measuredShare = Atomic<UInt64>(Double(-1).bitPattern)

    private struct State: Sendable {
        var outputs: [FrameOutput] = []
        /// Outputs that other modules make.
        var followers: [any StreamFollower] = []
        /// Changes with `outputs`.
        var version = 0
        var stream: OutputStream?
        /// The thread of `stream`, once there are outputs.
        var thread: SystemThread?
    }

    // MARK: Outputs

    /// The present outputs, and a number that changes with them.
    var members: (outputs: [FrameOutput], version: Int) { state.withLock { ($0.outputs, $0.version) } }

    /// Why an output would be refused.
    func refusal(of output: FrameOutput, _ source: SourceDescription, memory: Int) -> OutputError? {
        guard !output.isConnected else { return .connected }
        do throws(PictureError) { _ = try PictureConverter(source.format, [output.settings.pictures]) } catch {
            return .pictures(error)
        }
        let present = members.outputs.map(\.settings)
        let used = present.map { OutputEstimate.memory($0, of: source.format, at: source.rate) }.reduce(0, +)
        let needed = OutputEstimate.memory(output.settings, of: source.format, at: source.rate)
        guard needed <= memory - used else { return .memory(needed: needed, left: max(0, memory - used)) }
        let share = OutputEstimate.processor(present + [output.settings], of: source.format, at: source.rate)
        // What is estimated for a slow machine may still run on a fast one.
        guard share <= Self.maxEstimate else { return .processor(share: share) }
        return nil
    }

    /// Twice what the slow machine of the estimate has.
    private static let maxEstimate = 2.0

    /// Adds an output, and serves it if a stream flows.
    func add(_ output: FrameOutput) throws(OutputError) {
        guard output.connect() else { throw .connected }
        state.withLock { state in
            state.outputs.append(output)
            state.version += 1
            startThread(&state)
        }
        measuredShare.store(Double(-1).bitPattern, ordering: .relaxed)
    }

    /// Removes an output. Has no effect on one that is not part of the session.
    func remove(_ output: FrameOutput) {
        let isOwn = state.withLock { state in
            guard let place = state.outputs.firstIndex(where: { $0 === output }) else { return false }
            state.outputs.remove(at: place)
            state.version += 1
            return true
        }
        if isOwn { output.disconnect() }
        measuredShare.store(Double(-1).bitPattern, ordering: .relaxed)
    }

    /// Removes all outputs, because their session is gone.
    func removeAll() {
        for output in members.outputs { remove(output) }
        let followers = state.withLock { state in
            defer { state.followers = [] }
            return state.followers
        }
        for follower in followers { follower.sessionEnds() }
    }

    /// Adds a follower. It gets the present stream, if there is one, and all that follow.
    func add(_ follower: any StreamFollower) {
        state.withLock { state in
            state.followers.append(follower)
            // With the lock, so that no stream overtakes another.
            if let stream = state.stream { follower.streamBegins(stream.followed) }
        }
    }

    /// Removes a follower: no other stream is announced to it.
    func remove(_ follower: any StreamFollower) {
        state.withLock { $0.followers.removeAll { $0 === follower } }
    }

    /// What the outputs cost with frames of a source.
    func cost(_ source: SourceDescription, _ mount: CameraMount) -> OutputCost {
        let followers = state.withLock { $0.followers }
        let settings = members.outputs.map(\.settings)
        let measured = Double(bitPattern: measuredShare.load(ordering: .relaxed))
        return OutputCost(
            processor: measured >= 0
                ? measured : OutputEstimate.processor(settings, of: source.format, at: source.rate),
            memory: settings.map { OutputEstimate.memory($0, of: source.format, at: source.rate) }.reduce(0, +),
            bandwidth: source.format.byteCount * Int((source.rate?.framesPerSecond ?? 30).rounded(.up)),
            isMeasured: measured >= 0,
            movies: followers.map { $0.cost(of: source, mount) }.reduce(MovieCost(), +))
    }

    /// Notes what the thread takes of a processor.
    func note(share: Double) { measuredShare.store(share.bitPattern, ordering: .relaxed) }

    // MARK: Streams

    /// Serves the frames of a stream that is about to begin.
    func begin(_ stream: OutputStream) {
        measuredShare.store(Double(-1).bitPattern, ordering: .relaxed)
        state.withLock { state in
            state.stream = stream
            for output in state.outputs { output.setFlowing(true) }
            for follower in state.followers { follower.streamBegins(stream.followed) }
            startThread(&state)
        }
    }

    /// Notes that all frames of a stream are served, and none will follow.
    func streamEnded(_ stream: OutputStream) {
        state.withLock { state in
            guard state.stream === stream else { return }
            for output in state.outputs { output.setFlowing(false) }
        }
    }

    /// Waits until the frames of a stream that has ended are served. With `isLast`, no other stream follows for now.
    func end(_ stream: OutputStream, isLast: Bool) {
        let thread = state.withLock { state -> SystemThread? in
            guard state.stream === stream else { return nil }
            state.stream = nil
            return state.thread.take()
        }
        thread?.join()
        guard isLast else { return }
        state.withLock { state in
            guard state.stream == nil else { return }
            for output in state.outputs { output.setFlowing(false) }
        }
    }

    private func startThread(_ state: inout State) {
        guard let stream = state.stream, state.thread == nil, !state.outputs.isEmpty else { return }
        stream.join(waiting: state.outputs.contains { $0.settings.delivery == .every })
        // Without a thread, the outputs deliver nothing; the next one that is added tries again.
        state.thread = try? SystemThread(name: "outputs") { stream.serve(self) }
    }
}
