// SPDX-License-Identifier: MIT
// What a stage takes its frames from, and whether anybody wants what it makes of them.

import FrameRing
import LivecapFrames
import LivecapPictures
import LivecapThreads
import Synchronization

/// One stream that a stage takes. The stage works while something holds a use of it, and its camera stays on for those
/// that keep it on.
package final class StageInput: Sendable {
    /// The stream's source.
    package let source: SourceDescription
    /// The ring of its frames.
    package let ring: Ring
    /// Its JPEG frames, decoded together with those who take the stream itself.
    package let planes: SharedPlanes
    /// For sources that wait for their readers.
    package let gate: FollowerGate?

    private let beginning: Guarded<FrameSubscription?>
    /// That the stage works, and whatever makes the stream.
    private let work: Demand
    /// That the camera is on.
    private let light: Demand
    private let hasEnded = Atomic<Bool>(false)
    /// Which frames it takes, under pressure. Without, no frame looks there.
    private let limit = Guarded<RateLimit?>(nil)
    private let isLimited = Atomic<Bool>(false)
    private let isHeld = Atomic<Bool>(false)
    private let ending = Guarded<(@Sendable () -> Void)?>(nil)

    /// The stream of `ring`, from its oldest frame on, or from its next one, whose JPEG frames are decoded in `planes`.
    /// `keepOn` keeps its camera on while the result exists; `attend` only has whatever makes the stream work.
    package init(
        _ ring: Ring, _ source: SourceDescription, planes: SharedPlanes = SharedPlanes(), gate: FollowerGate?,
        fromOldest: Bool = false,
        keepOn: @escaping @Sendable () -> (any AnyObject & Sendable)? = { nil },
        attend: @escaping @Sendable () -> (any AnyObject & Sendable)? = { nil }
    ) {
        self.ring = ring
        self.source = source
        self.planes = planes
        self.gate = gate
        work = Demand(attend)
        light = Demand(keepOn)
        beginning = Guarded(FrameSubscription(to: ring, fromOldest: fromOldest, gate: gate))
    }

    /// The place in the ring where the stream begins for the stage. Only once.
    package func takeBeginning() -> FrameSubscription? { beginning.withLock { $0.take() } }

    /// Takes no more than this rate of a camera's frames.
    package func limit(to rate: FrameRate?) {
        guard gate == nil else { return }
        let changed = rate.map { RateLimit($0, of: source.rate) }
        limit.withLock { $0 = changed }
        isLimited.store(changed != nil, ordering: .relaxed)
    }

    /// Whether the machine is under pressure, so that the rate is limited.
    package var isUnderPressure: Bool { isLimited.load(ordering: .relaxed) }

    /// Whether the stage is to take the frame of `time`. Under pressure, not all are.
    package func admits(_ time: Timestamp) -> Bool {
        guard isLimited.load(ordering: .relaxed) else { return true }
        return limit.withLock { $0?.admits(time) } ?? true
    }

    /// Whether anybody wants what the stage makes.
    package var isWanted: Bool { work.exists }

    /// Whether the stage is to end with this stream, wherever it is.
    package var isOver: Bool { hasEnded.load(ordering: .acquiring) }

    /// Ends the stage's work on this stream.
    package func end() {
        hasEnded.store(true, ordering: .releasing)
        ring.wakeWaiters()
        ending.withLock { $0.take() }?()
    }

    /// Has `end` call `body`, which ends the stage's waits for others than this stream.
    package func whenEnded(_ body: @escaping @Sendable () -> Void) {
        ending.withLock { $0 = body }
        if isOver { body() }
    }

    /// Sleeps until a frame with this `counter` or a later one is there, the stream has ended, or `isCancelled` holds
    /// after a change of what is wanted, or a call of the ring's `wakeWaiters`.
    package func wait(forCounter counter: UInt64, unless isCancelled: () -> Bool) {
        ring.wait(forCounter: counter) { isOver || isCancelled() }
    }

    /// Has the stage work until `letGo`, if the stream waits for its readers: it would go on without those that the
    /// stage will have.
    func hold() {
        guard gate != nil else { return }
        isHeld.store(true, ordering: .relaxed)
        begin(keepsOn: true)
    }

    /// Leaves it to others whether the stage works.
    func letGo() {
        if isHeld.exchange(false, ordering: .relaxed) { release(keptOn: true) }
    }

    /// Has the stage work for as long as the result exists, and keeps the camera on meanwhile.
    package func use() -> any AnyObject & Sendable { StageUse(self, keepsOn: true) }

    /// Has the stage work for as long as the result exists, if the camera is on for others.
    package func attend() -> any AnyObject & Sendable { StageUse(self, keepsOn: false) }

    fileprivate func begin(keepsOn: Bool) {
        if keepsOn { light.add() }
        if work.add() { ring.wakeWaiters() }
    }

    fileprivate func release(keptOn: Bool) {
        if work.remove() { ring.wakeWaiters() }
        if keptOn { light.remove() }
    }
}

/// Wishes for something that is there while a token of it is held.
private final class Demand: Sendable {
    private let take: @Sendable () -> (any AnyObject & Sendable)?
    private let state = Guarded(State())
    private let count = Atomic<Int>(0)

    private struct State: Sendable {
        var count = 0
        var token: (any AnyObject & Sendable)?
    }

    init(_ take: @escaping @Sendable () -> (any AnyObject & Sendable)?) { self.take = take }

    /// Whether there is a wish.
    var exists: Bool { count.load(ordering: .acquiring) > 0 }

    /// Notes a wish. Returns whether there was none.
    @discardableResult
    func add() -> Bool {
        guard change(by: 1) == 1 else { return false }
        let token = take()
        let unneeded = state.withLock { state -> (any AnyObject & Sendable)? in
            guard state.count > 0, state.token == nil else { return token }
            state.token = token
            return nil
        }
        // Released without the lock: that may switch a camera off.
        _ = unneeded
        return true
    }

    /// Forgets a wish. Returns whether none is left.
    @discardableResult
    func remove() -> Bool {
        guard change(by: -1) == 0 else { return false }
        let token = state.withLock { state in state.count == 0 ? state.token.take() : nil }
        _ = token
        return true
    }

    private func change(by difference: Int) -> Int {
        state.withLock { state in
            state.count += difference
            count.store(state.count, ordering: .releasing)
            return state.count
        }
    }
}

/// Somebody's wish for what a stage makes.
private final class StageUse: Sendable {
    private let input: StageInput
    private let keepsOn: Bool

    init(_ input: StageInput, keepsOn: Bool) {
        self.input = input
        self.keepsOn = keepsOn
        input.begin(keepsOn: keepsOn)
    }

    deinit { input.release(keptOn: keepsOn) }
}
