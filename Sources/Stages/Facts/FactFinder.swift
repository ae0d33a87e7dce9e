// SPDX-License-Identifier: MIT
// Finds facts in the frames of a host, for as long as somebody wants them.

import Camera
import FrameRing
import Fusion
import LivecapDetection
import LivecapFrames
import LivecapPictures
import LivecapStreams
import LivecapThreads

/// Looks into the newest frames of a host, on a thread of its own, while somebody follows. Of a source that waits for
/// its readers it looks into every frame; of a camera it passes over those that come faster than it looks.
package final class FactFinder: FrameSink {
    /// Makes what finds facts of some kinds in pictures.
    package typealias Maker = @Sendable (PictureKind, Set<FactKind>) throws(NetError) -> any FactReading

    private let make: Maker
    private let reactions: @Sendable () -> [Reaction]
    private let note: @Sendable (FrameFacts) -> Void
    private let state = Guarded(State())
    private let signal = OwnedSignal()

    private struct State: Sendable {
        var followers: [UInt64: Follower] = [:]
        var followerCount: UInt64 = 0
        /// The stream that the thread has not taken yet, and the one it works on.
        var waiting: StageInput?
        var present: StageInput?
        var maxRate: FrameRate?
        var thread: SystemThread?
        var isOver = false

        /// The maximum rate of frames to look at: the highest that a follower wants, within the host's own limit; nil
        /// for no limit.
        var rate: FrameRate? {
            let wanted = followers.values.map(\.maxRate)
            let limits = [wanted.contains(nil) ? nil : wanted.compactMap(\.self).max(by: isSlower), maxRate]
            return limits.compactMap(\.self).min(by: isSlower)
        }

        private func isSlower(_ a: FrameRate, _ b: FrameRate) -> Bool { a.framesPerSecond < b.framesPerSecond }

        mutating func takeFollowers() -> [Follower] {
            defer { followers = [:] }
            return Array(followers.values)
        }
    }

    private struct Follower: Sendable {
        let kinds: Set<FactKind>
        let keepsOn: Bool
        let maxRate: FrameRate?
        let take: @Sendable (FrameFacts) -> Void
        let end: @Sendable (CameraError?) -> Void
    }

    /// Finds facts with what `make` makes. `reactions`: those that are being drawn. `note` gets all facts, whoever
    /// follows.
    package init(
        reactions: @escaping @Sendable () -> [Reaction] = { [] },
        note: @escaping @Sendable (FrameFacts) -> Void = { _ in }, by make: @escaping Maker
    ) {
        self.make = make
        self.reactions = reactions
        self.note = note
    }

    /// Has facts of some kinds given to `take`, by the finder's thread, until the result is called. `end` is called if
    /// the host ends before that, or, with the reason, if nobody can be looked for in its frames.
    /// With `keepsOn`, the camera stays on for it. `maxRate`: how many frames of a camera suffice.
    package func follow(
        _ kinds: Set<FactKind>, keepsOn: Bool = true, maxRate: FrameRate? = nil,
        end: @escaping @Sendable (CameraError?) -> Void = { _ in }, _ take: @escaping @Sendable (FrameFacts) -> Void
    ) throws(SystemShortage) -> @Sendable () -> Void {
        let number = try state.withLock { state throws(SystemShortage) -> UInt64? in
            guard !state.isOver else { return nil }
            // The new thread waits for this lock.
            if state.thread == nil { state.thread = try SystemThread(name: "facts") { self.run() } }
            state.followerCount += 1
            state.followers[state.followerCount] = Follower(
                kinds: kinds, keepsOn: keepsOn, maxRate: maxRate, take: take, end: end)
            Self.limitStreams(state)
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
        state.withLock { state in
            state.followers[number] = nil
            Self.limitStreams(state)
        }
        wake()
    }

    /// What the followers want, all together.
    private struct Wish: Hashable {
        var kinds: Set<FactKind> = []
        var keepsOn = false
    }

    private var wish: Wish {
        state.withLock { state in
            state.followers.values.reduce(into: Wish()) { wish, follower in
                wish.kinds.formUnion(follower.kinds)
                wish.keepsOn = wish.keepsOn || follower.keepsOn
            }
        }
    }

    private func wake() {
        signal.notify()
        state.withLock { $0.present }?.ring.wakeWaiters()
    }

    // MARK: The host

    package func streamBegins(_ stream: SinkStream) {
        let input = StageInput(
            stream.ring, stream.source, planes: stream.planes, gate: stream.gate, keepOn: stream.keepOn,
            attend: stream.attend)
        let earlier = state.withLock { state -> [StageInput] in
            guard !state.isOver else { return [input] }
            input.limit(to: state.rate)
            // Nobody waits for those who come later.
            if state.followers.isEmpty { _ = input.takeBeginning() }
            defer { state.waiting = input }
            return [state.waiting, state.present].compactMap { $0 }
        }
        for input in earlier where input.gate != nil { _ = input.takeBeginning() }
        for input in earlier { input.end() }
        signal.notify()
    }

    package func limit(to rate: FrameRate?) {
        state.withLock { state in
            state.maxRate = rate
            Self.limitStreams(state)
        }
    }

    private static func limitStreams(_ state: State) {
        for input in [state.waiting, state.present] { input?.limit(to: state.rate) }
    }

    package func hostEnds() {
        let (inputs, followers) = state.withLock { state in
            state.isOver = true
            return ([state.waiting.take(), state.present].compactMap { $0 }, state.takeFollowers())
        }
        for input in inputs { input.end() }
        signal.notify()
        for follower in followers { follower.end(nil) }
    }

    /// Ends the finder and waits for its thread.
    package func close() {
        hostEnds()
        state.withLock { $0.thread.take() }?.join()
    }

    // MARK: The thread

    private func run() {
        while let input = next() {
            do throws(CameraError) { try look(into: input) } catch {
                // Those who follow later may have more luck.
                for follower in state.withLock({ $0.takeFollowers() }) { follower.end(error) }
            }
            let done = state.withLock { state in
                // What has not ended is taken again, once somebody follows.
                if state.waiting == nil, !input.isOver, !input.ring.isEnded { state.waiting = input }
                return state.present.take()
            }
            _ = done
        }
    }

    /// Waits for a stream that somebody wants facts of; nil if there will be none.
    private func next() -> StageInput? {
        var input: StageInput?
        _ = signal.wait(until: .distantFuture) {
            state.withLock { state in
                guard !state.isOver else { return true }
                guard !state.followers.isEmpty else { return false }
                guard let next = state.waiting.take() else { return false }
                input = next
                state.present = next
                return true
            }
        }
        return input
    }

    /// Looks into a stream's frames for as long as somebody follows.
    private func look(into input: StageInput) throws(CameraError) {
        if let refusal = Self.refusal(of: input.source.format) { throw refusal }
        var use: (token: any AnyObject & Sendable, keepsOn: Bool)?
        var frames = input.takeBeginning() ?? FrameSubscription(to: input.ring, gate: input.gate)
        let delivery: FrameDelivery = input.gate == nil ? .newest : .every
        var reading: FrameReading?
        while true {
            let wish = wish
            guard !wish.kinds.isEmpty, !input.isOver else { return }
            if use?.keepsOn != wish.keepsOn { use = (wish.keepsOn ? input.use() : input.attend(), wish.keepsOn) }
            if reading?.kinds != wish.kinds { reading = try makeReading(wish.kinds, input) }
            switch frames.poll(delivery) {
            case .ended: return input.end()
            case .timedOut:
                input.wait(forCounter: frames.nextCounter) { self.wish != wish }
            case .frame(let lease):
                guard lease.metadata.isUsable, input.admits(lease.metadata.time) else { continue }
                if var facts = lease.withBytes({ reading?.facts(lease.metadata, $0) }) {
                    facts.reactions = reactions()
                    note(facts)
                    give(facts, of: wish.kinds)
                }
            }
        }
    }

    private func makeReading(_ kinds: Set<FactKind>, _ input: StageInput) throws(CameraError) -> FrameReading {
        let level: KernelLevel
        do throws(FusionError) { level = try KernelLevel.chosen() } catch {
            throw .badSettings(error.message, hint: error.hint)
        }
        do throws(NetError) {
            return try FrameReading(input.source.format, kinds, decodedIn: input.planes, by: make, level)
        } catch { throw .badSettings(error.message, hint: error.hint) }
    }

    /// Gives facts of some kinds to those who want them, each only what it asked for. Whoever came after the frame was
    /// looked at, and wants more than was looked for, waits for the next one.
    private func give(_ facts: FrameFacts, of kinds: Set<FactKind>) {
        for follower in state.withLock({ Array($0.followers.values) }) where follower.kinds.isSubset(of: kinds) {
            var part = facts
            if !follower.kinds.contains(.faces) { part.faces = nil }
            if !follower.kinds.contains(.hands) { part.hands = nil }
            follower.take(part)
        }
    }

    /// Why facts cannot be found in frames of a format, as far as is known before one is there.
    package static func refusal(of format: FrameFormat) -> CameraError? {
        guard format.pixelFormat == .h264 || !Fuser.takes(PlaneFolding.pictures(of: format)) else { return nil }
        let sides = Fuser.sides
        return .badSettings(
            "people cannot be looked for in \(format.pixelFormat) \(format.size) frames",
            hint: "choose another format of the camera, such as YUYV or MJPG, with sides of \(sides.lowerBound) to "
                + "\(sides.upperBound)")
    }
}
