// SPDX-License-Identifier: MIT
// What a stage takes its frames from, and whether anybody wants what it makes of them.

import FrameRing
import LivecapFrames
import LivecapPictures
import LivecapThreads
import Synchronization

/// One stream that a stage takes. The stage works, and its camera stays on, while something holds a use of it.
package final class StageInput: Sendable {
    /// The stream's source.
    package let source: SourceDescription
    /// The ring of its frames.
    package let ring: Ring
    /// Its JPEG frames, decoded together with those who take the stream itself.
    package let planes: SharedPlanes
    /// For sources that wait for their readers.
    package let gate: FollowerGate?

    private let keepOn: @Sendable () -> (any AnyObject & Sendable)?
    private let beginning: Guarded<FrameSubscription?>
    private let demand = Guarded(Demand())
    private let users = Atomic<Int>(0)
    private let hasEnded = Atomic<Bool>(false)
    /// Which frames it takes, under pressure. Without, no frame looks there.
    private let limit = Guarded<RateLimit?>(nil)
    private let isLimited = Atomic<Bool>(false)
    private let isHeld = Atomic<Bool>(false)
    private let ending = Guarded<(@Sendable () -> Void)?>(nil)

    private struct Demand: Sendable {
        var users = 0
        /// What keeps the camera on meanwhile.
        var use: (any AnyObject & Sendable)?
    }

    /// The stream of `ring`, from its oldest frame on, or from its next one, whose JPEG frames are decoded in `planes`.
    /// `keepOn` keeps its camera on while the result exists.
    package init(
        _ ring: Ring, _ source: SourceDescription, planes: SharedPlanes = SharedPlanes(), gate: FollowerGate?,
        fromOldest: Bool = false,
        keepOn: @escaping @Sendable () -> (any AnyObject & Sendable)? = { nil }
    ) {
        self.ring = ring
        self.source = source
        self.planes = planes
        self.gate = gate
        self.keepOn = keepOn
        beginning = Guarded(FrameSubscription(to: ring, fromOldest: fromOldest, gate: gate))
    }

    /// The place in the ring where the stream begins for the stage. Only once.
    package func takeBeginning() -> FrameSubscription? { beginning.withLock { $0.take() } }

    /// Takes no more than this rate of a camera's frames.
    func limit(to rate: FrameRate?) {
        guard gate == nil else { return }
        let changed = rate.map { RateLimit($0, of: source.rate) }
        limit.withLock { $0 = changed }
        isLimited.store(changed != nil, ordering: .relaxed)
    }

    /// Whether the stage is to take the frame of `time`. Under pressure, not all are.
    package func admits(_ time: Timestamp) -> Bool {
        guard isLimited.load(ordering: .relaxed) else { return true }
        return limit.withLock { $0?.admits(time) } ?? true
    }

    /// Whether anybody wants what the stage makes.
    package var isWanted: Bool { users.load(ordering: .acquiring) > 0 }

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
        begin()
    }

    /// Leaves it to others whether the stage works.
    func letGo() {
        if isHeld.exchange(false, ordering: .relaxed) { release() }
    }

    /// Has the stage work for as long as the result exists.
    package func use() -> any AnyObject & Sendable { StageUse(self) }

    fileprivate func begin() {
        guard change(by: 1) == 1 else { return }
        let use = keepOn()
        let unneeded = demand.withLock { demand -> (any AnyObject & Sendable)? in
            guard demand.users > 0, demand.use == nil else { return use }
            demand.use = use
            return nil
        }
        // Released without the lock: that may switch a camera off.
        _ = unneeded
        ring.wakeWaiters()
    }

    fileprivate func release() {
        guard change(by: -1) == 0 else { return }
        let use = demand.withLock { demand in demand.users == 0 ? demand.use.take() : nil }
        _ = use
        ring.wakeWaiters()
    }

    private func change(by difference: Int) -> Int {
        demand.withLock { demand in
            demand.users += difference
            users.store(demand.users, ordering: .releasing)
            return demand.users
        }
    }
}

/// Somebody's wish for what a stage makes.
private final class StageUse: Sendable {
    private let input: StageInput

    init(_ input: StageInput) {
        self.input = input
        input.begin()
    }

    deinit { input.release() }
}
