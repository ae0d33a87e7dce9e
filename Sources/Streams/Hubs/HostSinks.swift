// SPDX-License-Identifier: MIT
// What takes the frames of a host, and the thread that makes pictures for it.

import FrameRing
import LivecapFrames
import LivecapPictures
import LivecapThreads
import Synchronization

/// The outputs and other sinks of a host. They outlive its streams; each stream with outputs has a thread that serves
/// them.
package final class HostSinks: Sendable {
    private let state = Guarded(State())
    /// What the thread takes of a processor, as bits of a `Double`; negative if it is not known.
    private let measuredShare = Atomic<UInt64>(Double(-1).bitPattern)

    private struct State: Sendable {
        var outputs: [FrameOutput] = []
        var sinks: [any FrameSink] = []
        /// The highest rate of what is made, because the machine is under pressure; nil for no limit.
        var maxRate: FrameRate?
        /// Changes with `outputs`, and with what is wanted of them.
        var version = 0
        /// Those of `outputs` whose pictures were wanted after the last change.
        var wanted: [FrameOutput] = []
        /// Which frames were wanted after the last change; nil if none were.
        var delivery: FrameDelivery?
        var hub: FrameHub?
        /// Whether all frames of `hub` are served, and none will follow.
        var isOver = false
        /// The thread of `hub`, once there are outputs.
        var thread: SystemThread?
    }

    /// Nothing takes frames yet.
    package init() {}

    // MARK: Outputs

    /// The present outputs.
    package var outputs: [FrameOutput] { state.withLock { $0.outputs } }
    /// A number that changes with them, and with what is wanted of them.
    var version: Int { state.withLock { $0.version } }

    /// What a hub is to serve from here on.
    struct Change: ~Copyable {
        let version: Int
        /// The outputs whose pictures are wanted.
        let outputs: [FrameOutput]
        /// The highest rate of those that want the newest frame; nil for no limit.
        let maxRate: FrameRate?
        /// Where they begin to be; nil if some were wanted before.
        var beginning: FrameHub.Beginning?
    }

    /// What has changed for the hub since a version; nil if nothing has. Outputs and beginning belong together.
    func change(since version: Int?, for hub: FrameHub) -> Change? {
        state.withLock { state in
            guard state.version != version else { return nil }
            return Change(
                version: state.version, outputs: state.wanted, maxRate: state.maxRate, beginning: hub.takeBeginning())
        }
    }

    /// Why an output would be refused.
    package func refusal(of output: FrameOutput, _ source: SourceDescription, memory: Int) -> OutputError? {
        guard !output.isConnected else { return .connected }
        do throws(PictureError) { _ = try PictureConverter(source.format, [output.settings.pictures]) } catch {
            return .pictures(error)
        }
        let present = outputs.map(\.settings)
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
    package func add(_ output: FrameOutput) throws(OutputError) {
        let isFree = output.connect(whenWantedChanges: { [weak self] in self?.change { _ in } })
        guard isFree else { throw .connected }
        let isOver = change { state in
            state.outputs.append(output)
            return state.isOver
        }
        if isOver { output.setFlowing(false) }
    }

    /// Removes an output. Has no effect on one that is not part of the session.
    package func remove(_ output: FrameOutput) {
        let isOwn = change { state in
            guard let place = state.outputs.firstIndex(where: { $0 === output }) else { return false }
            state.outputs.remove(at: place)
            return true
        }
        if isOwn { output.disconnect() }
    }

    /// The highest rate of what is made; nil for no limit.
    package var maxRate: FrameRate? { state.withLock { $0.maxRate } }

    /// Makes pictures, and has stages make frames, at no more than a rate; nil for no limit. Outputs that want every
    /// frame get every one that is there. Called by one thread at a time.
    package func limit(to rate: FrameRate?) {
        guard maxRate != rate else { return }
        change { state in
            state.maxRate = rate
            for sink in state.sinks { sink.limit(to: rate) }
        }
    }

    /// Changes the outputs, or what is wanted of them, and has the hub look at them.
    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        defer { measuredShare.store(Double(-1).bitPattern, ordering: .relaxed) }
        return state.withLock { state in
            defer {
                state.version += 1
                noteWanted(&state)
                startThread(&state)
                state.hub?.wake()
            }
            return body(&state)
        }
    }

    /// Removes everything, because the host is gone.
    package func removeAll() {
        for output in outputs { remove(output) }
        let sinks = state.withLock { state in
            defer { state.sinks = [] }
            return state.sinks
        }
        for sink in sinks { sink.hostEnds() }
    }

    /// Adds a sink: of the present stream, if there is one, and of all that follow. The result removes it.
    package func attach(_ sink: any FrameSink) -> @Sendable () -> Void {
        state.withLock { state in
            state.sinks.append(sink)
            if let rate = state.maxRate { sink.limit(to: rate) }
            // With the lock, so that no stream overtakes another.
            if let hub = state.hub { sink.streamBegins(hub.stream) }
        }
        return { [weak self] in self?.state.withLock { $0.sinks.removeAll { $0 === sink } } }
    }

    /// What everything costs with frames of a source.
    package func cost(_ source: SourceDescription, _ mount: CameraMount) -> OutputCost {
        let sinks = state.withLock { $0.sinks }
        let settings = outputs.map(\.settings)
        let measured = Double(bitPattern: measuredShare.load(ordering: .relaxed))
        return OutputCost(
            processor: measured >= 0
                ? measured : OutputEstimate.processor(settings, of: source.format, at: source.rate),
            memory: settings.map { OutputEstimate.memory($0, of: source.format, at: source.rate) }.reduce(0, +),
            bandwidth: source.format.byteCount * Int((source.rate?.framesPerSecond ?? 30).rounded(.up)),
            isMeasured: measured >= 0,
            movies: sinks.map { $0.cost(of: source, mount) }.reduce(MovieCost(), +))
    }

    /// Notes what the thread takes of a processor.
    func note(share: Double) { measuredShare.store(share.bitPattern, ordering: .relaxed) }

    // MARK: Streams

    /// Serves the frames of a stream that is about to begin.
    package func begin(_ hub: FrameHub) {
        measuredShare.store(Double(-1).bitPattern, ordering: .relaxed)
        state.withLock { state in
            state.hub = hub
            state.isOver = false
            for output in state.outputs { output.setFlowing(true) }
            for sink in state.sinks { sink.streamBegins(hub.stream) }
            state.delivery = nil
            noteWanted(&state)
            startThread(&state)
        }
    }

    /// Notes that a stream is being stopped: nobody is waited for any more.
    package func stop(_ hub: FrameHub) {
        hub.stop()
        for output in outputs { output.wake() }
    }

    /// Notes that all frames of a stream are served, and none will follow.
    func streamEnded(_ hub: FrameHub) {
        state.withLock { state in
            guard state.hub === hub else { return }
            state.isOver = true
            for output in state.outputs { output.setFlowing(false) }
        }
    }

    /// Waits until the frames of a stream that has ended are served. With `isLast`, no other stream follows for now.
    package func end(_ hub: FrameHub, isLast: Bool) {
        let thread = state.withLock { state -> SystemThread? in
            guard state.hub === hub else { return nil }
            state.hub = nil
            return state.thread.take()
        }
        thread?.join()
        if isLast { streamIsMissing() }
    }

    /// Notes that no stream follows the last one for now.
    package func streamIsMissing() {
        state.withLock { state in
            guard state.hub == nil else { return }
            for output in state.outputs { output.setFlowing(false) }
        }
    }

    /// Has the hub join its ring when pictures begin to be wanted, or to be wanted of every frame.
    private func noteWanted(_ state: inout State) {
        let wanted = state.outputs.filter(\.isWanted)
        state.wanted = wanted
        let every = wanted.contains { $0.settings.delivery == .every }
        let delivery: FrameDelivery? = wanted.isEmpty ? nil : every ? .every : .newest
        if delivery == .every && state.delivery != .every || delivery != nil && state.delivery == nil {
            state.hub?.join(waiting: every)
        }
        state.delivery = delivery
    }

    private func startThread(_ state: inout State) {
        guard let hub = state.hub, state.thread == nil, state.delivery != nil else { return }
        do throws(SystemShortage) {
            state.thread = try SystemThread(name: "outputs") { hub.serve(self) }
        } catch {
            // The outputs deliver nothing, and nothing waits for them. The next change tries again.
            hub.leave()
            state.delivery = nil
        }
    }
}
