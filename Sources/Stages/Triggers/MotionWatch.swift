// SPDX-License-Identifier: MIT
// Watches the frames of a host for motion, for as long as somebody follows.

import Camera
import FrameRing
import LivecapFrames
import LivecapStreams
import LivecapThreads

/// Looks at the frames of a host, on a thread of its own, while somebody follows: at every one, unless it falls far
/// behind a camera. Then it goes on with the newest, so that what it notices is still in the history. Pressure on the
/// machine does not slow it down: it makes no frames, and what it misses is lost.
package final class MotionWatch: FrameSink {
    private let state = Guarded(State())
    private let signal = OwnedSignal()

    private struct State: Sendable {
        var followers: [UInt64: Follower] = [:]
        var followerCount: UInt64 = 0
        /// The stream that the thread has not taken yet, and the one it works on.
        var waiting: StageInput?
        var present: StageInput?
        var thread: SystemThread?
        var isOver = false
    }

    private struct Follower: Sendable {
        let trigger: MotionTrigger
        let take: @Sendable (TriggerEvent) -> Void
        let end: @Sendable (CameraError?) -> Void
    }

    /// Nobody follows yet.
    package init() {}

    /// Has what `trigger` notices given to `take`, by the watch's thread, until the result is called. `end` is called
    /// if the host ends before that, or, with the reason, if its frames cannot be looked at. The camera stays on
    /// meanwhile.
    package func follow(
        _ trigger: MotionTrigger, end: @escaping @Sendable (CameraError?) -> Void = { _ in },
        _ take: @escaping @Sendable (TriggerEvent) -> Void
    ) throws(SystemShortage) -> @Sendable () -> Void {
        let number = try state.withLock { state throws(SystemShortage) -> UInt64? in
            guard !state.isOver else { return nil }
            // The new thread waits for this lock.
            if state.thread == nil { state.thread = try SystemThread(name: "motion") { self.run() } }
            state.followerCount += 1
            state.followers[state.followerCount] = Follower(trigger: trigger, take: take, end: end)
            return state.followerCount
        }
        guard let number else {
            end(nil)
            return {}
        }
        wake()
        return { [weak self] in self?.leave(number) }
    }

    private func leave(_ number: UInt64) {
        state.withLock { _ = $0.followers.removeValue(forKey: number) }
        wake()
    }

    private var followers: [UInt64: Follower] { state.withLock { $0.followers } }

    private func wake() {
        signal.notify()
        state.withLock { $0.present }?.ring.wakeWaiters()
    }

    /// Why motion cannot be noticed in frames of a format.
    package static func refusal(of format: FrameFormat) -> CameraError? {
        guard !GridReader.reads(format) else { return nil }
        return .badSettings(
            "motion cannot be noticed in \(format.pixelFormat) \(format.size) frames",
            hint: "choose another format of the camera, such as MJPG or YUYV")
    }

    // MARK: The host

    package func streamBegins(_ stream: SinkStream) {
        let input = StageInput(
            stream.ring, stream.source, planes: stream.planes, gate: stream.gate, keepOn: stream.keepOn,
            attend: stream.attend)
        let earlier = state.withLock { state -> [StageInput] in
            guard !state.isOver else { return [input] }
            // Nobody waits for those who come later.
            if state.followers.isEmpty { _ = input.takeBeginning() }
            defer { state.waiting = input }
            return [state.waiting, state.present].compactMap { $0 }
        }
        for input in earlier where input.gate != nil { _ = input.takeBeginning() }
        for input in earlier { input.end() }
        signal.notify()
    }

    package func hostEnds() {
        let (inputs, followers) = state.withLock { state in
            state.isOver = true
            let followers = Array(state.followers.values)
            state.followers = [:]
            return ([state.waiting.take(), state.present].compactMap { $0 }, followers)
        }
        for input in inputs { input.end() }
        signal.notify()
        for follower in followers { follower.end(nil) }
    }

    /// Ends the watch and waits for its thread.
    package func close() {
        hostEnds()
        state.withLock { $0.thread.take() }?.join()
    }

    // MARK: The thread

    /// A small part of the shortest usual history.
    private static let mostBehind = Duration.milliseconds(500)

    private func run() {
        while let input = next() {
            if let refusal = Self.refusal(of: input.source.format) {
                refuse(refusal)
            } else {
                watch(input)
            }
            let done = state.withLock { state in
                // What has not ended is taken again, once somebody follows.
                if state.waiting == nil, !input.isOver, !input.ring.isEnded { state.waiting = input }
                return state.present.take()
            }
            _ = done
        }
    }

    /// Those who follow later may have more luck.
    private func refuse(_ error: CameraError) {
        let refused = state.withLock { state in
            defer { state.followers = [:] }
            return Array(state.followers.values)
        }
        for follower in refused { follower.end(error) }
    }

    /// Waits for a stream that somebody wants to be watched; nil if there will be none.
    private func next() -> StageInput? {
        var input: StageInput?
        _ = signal.wait(until: .distantFuture) {
            state.withLock { state in
                guard !state.isOver else { return true }
                guard !state.followers.isEmpty, let next = state.waiting.take() else { return false }
                input = next
                state.present = next
                return true
            }
        }
        return input
    }

    /// Watches a stream's frames for as long as somebody follows.
    private func watch(_ input: StageInput) {
        guard let reader = GridReader(input.source.format) else { return }
        let use = input.use()
        defer { withExtendedLifetime(use) {} }
        var frames = input.takeBeginning() ?? FrameSubscription(to: input.ring, gate: input.gate)
        var delivery = FrameDelivery.every
        var detectors: [UInt64: MotionDetector] = [:]
        var epoch: UInt32?
        // What moved in a stream that has ended moves no more.
        defer { end(&detectors) }
        while true {
            let followers = followers
            guard !followers.isEmpty, !input.isOver else { return }
            // Those of followers that have left.
            if !detectors.keys.allSatisfy({ followers[$0] != nil }) {
                detectors = detectors.filter { followers[$0.key] != nil }
            }
            switch frames.poll(delivery) {
            case .ended: return input.end()
            case .timedOut:
                input.wait(forCounter: frames.nextCounter) { self.followers.keys != followers.keys }
            case .frame(let lease):
                let frame = lease.metadata
                let behind = (input.ring.newestTime ?? frame.time) - frame.time
                delivery = input.gate == nil && behind > Self.mostBehind ? .newest : .every
                guard frame.isUsable else { continue }
                guard lease.withBytes({ reader.read($0) }) else { continue }
                // Another camera, or the same one after it was away.
                if epoch != frame.id.epoch { end(&detectors) }
                epoch = frame.id.epoch
                for (number, follower) in followers {
                    let event = detectors[number, default: MotionDetector(follower.trigger, reader.shape)]
                        .take(reader.map, at: frame.time)
                    if let event { follower.take(event) }
                }
            }
        }
    }

    /// Forgets all detectors, and reports that what moved has ended.
    private func end(_ detectors: inout [UInt64: MotionDetector]) {
        let followers = followers
        for number in detectors.keys {
            if let event = detectors[number]?.forget() { followers[number]?.take(event) }
        }
        detectors = [:]
    }
}
