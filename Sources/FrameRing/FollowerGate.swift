// SPDX-License-Identifier: MIT
// Back-pressure for sources that could run faster than their readers: replays and synthetic scenes at the fast pace.

import Frames
import Synchronization

/// Lets a source at the fast pace wait for those who follow it, so that nobody misses a frame and results are the same
/// on every run. Cameras never use it: a camera waits for nobody.
///
/// At most `mostFollowers` at a time. No locks: each follower writes a word of its own, the source reads them all.
public final class FollowerGate: Sendable {
    /// How many can follow at the same time.
    public static let mostFollowers = 64

    // Only atomics lie behind it, and it never changes.
    nonisolated(unsafe) private let places: UnsafeMutablePointer<Place>
    private let signal = Signal()
    private let isOpen = Atomic<Bool>(false)

    /// The counter a follower still wants; `nobody` in a place that is free.
    private struct Place: ~Copyable {
        let wants = Atomic<UInt64>(FollowerGate.nobody)
    }

    private static let nobody = UInt64.max

    /// A gate nobody has joined; it holds nobody up.
    public init() {
        places = allocateLines(Self.mostFollowers)
        for index in 0..<Self.mostFollowers { (places + index).initialize(to: Place()) }
    }

    deinit {
        places.deinitialize(count: Self.mostFollowers).deallocate()
        signal.deallocate()
    }

    /// A follower's place at a gate.
    struct Ticket: Sendable {
        fileprivate let gate: FollowerGate
        fileprivate let index: Int

        /// The follower has finished with every frame below `counter`.
        func advance(to counter: UInt64) { gate.set(index, min(counter, FollowerGate.nobody - 1)) }
        /// The follower waits for no more frames.
        func leave() { gate.set(index, FollowerGate.nobody) }
    }

    /// A new follower that still wants every frame from `counter` on.
    func join(at counter: UInt64) -> Ticket {
        for index in 0..<Self.mostFollowers {
            let (exchanged, _) = places[index].wants.compareExchange(
                expected: Self.nobody, desired: counter, ordering: .acquiringAndReleasing)
            if exchanged { return Ticket(gate: self, index: index) }
        }
        preconditionFailure("a gate has room for \(Self.mostFollowers) followers")
    }

    /// Releasing: pairs with the acquiring load in `nobodyWantsFrames`; the follower's reads are over before the source goes on.
    private func set(_ index: Int, _ counter: UInt64) {
        places[index].wants.store(counter, ordering: .releasing)
        signal.notify()
    }

    /// Sleeps until every follower has finished with the frames below `counter`, or the gate is opened for good.
    public func wait(untilFinishedBelow counter: UInt64) {
        _ = signal.wait(until: .distantFuture) {
            isOpen.load(ordering: .acquiring) || nobodyWantsFrames(below: counter)
        }
    }

    /// A loop, because a closure for each follower is allocated where code is not optimised.
    private func nobodyWantsFrames(below counter: UInt64) -> Bool {
        for index in 0..<Self.mostFollowers where places[index].wants.load(ordering: .acquiring) < counter {
            return false
        }
        return true
    }

    /// Sleeps until the next frame can be published into `ring` without any follower missing one.
    public func wait(forRoomIn ring: FrameRing) {
        let kept = UInt64(ring.sureHistory)
        wait(untilFinishedBelow: ring.nextCounter + 1 > kept ? ring.nextCounter + 1 - kept : 0)
    }

    /// Holds nobody up from now on: the source is being stopped.
    public func open() {
        isOpen.store(true, ordering: .releasing)
        signal.notify()
    }
}
