// SPDX-License-Identifier: MIT
// Back-pressure for sources that could outrun their readers: replays and synthetic scenes at the fast pace.

import LivecapFrames
import Synchronization

/// Makes a source at the fast pace wait for its followers, so that no follower misses a frame and every run has the
/// same results. Cameras never use a gate: a camera waits for nobody.
///
/// At most `maxFollowers` can join. There are no locks: each follower writes a word of its own, and the source reads
/// them all.
public final class FollowerGate: Sendable {
    /// The maximum number of followers at a time.
    public static let maxFollowers = 64

    // Safe: the pointer never changes and points to atomics only.
    nonisolated(unsafe) private let places: UnsafeMutablePointer<Place>
    private let signal = Signal()
    private let isOpen = Atomic<Bool>(false)

    /// The counter of the next frame a follower wants; `nobody` if the place is free.
    private struct Place: ~Copyable {
        let wants = Atomic<UInt64>(FollowerGate.nobody)
    }

    private static let nobody = UInt64.max

    /// Creates a gate without followers, which delays nobody.
    public init() {
        places = allocateLines(Self.maxFollowers)
        for index in 0..<Self.maxFollowers { (places + index).initialize(to: Place()) }
    }

    deinit {
        places.deinitialize(count: Self.maxFollowers).deallocate()
        signal.deallocate()
    }

    /// A follower's place at a gate.
    struct Ticket: Sendable {
        fileprivate let gate: FollowerGate
        fileprivate let index: Int

        /// The follower has finished with every frame below `counter`.
        func advance(to counter: UInt64) { gate.set(index, min(counter, FollowerGate.nobody - 1)) }
        /// The follower needs no more frames.
        func leave() { gate.set(index, FollowerGate.nobody) }
    }

    /// Adds a follower that wants every frame from `counter` on.
    func join(at counter: UInt64) -> Ticket {
        for index in 0..<Self.maxFollowers {
            let (exchanged, _) = places[index].wants.compareExchange(
                expected: Self.nobody, desired: counter, ordering: .acquiringAndReleasing)
            if exchanged { return Ticket(gate: self, index: index) }
        }
        preconditionFailure("a gate has room for \(Self.maxFollowers) followers")
    }

    /// Releasing: pairs with the acquiring load in `nobodyWantsFrames`. The follower's reads finish before the source
    /// continues.
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

    /// A loop, because unoptimised builds would allocate a closure for each follower.
    private func nobodyWantsFrames(below counter: UInt64) -> Bool {
        for index in 0..<Self.maxFollowers where places[index].wants.load(ordering: .acquiring) < counter {
            return false
        }
        return true
    }

    /// Sleeps until the next frame can be published into `ring` without any follower missing a frame.
    public func wait(forRoomIn ring: Ring) {
        let kept = UInt64(ring.guaranteedHistory)
        wait(untilFinishedBelow: ring.nextCounter + 1 > kept ? ring.nextCounter + 1 - kept : 0)
    }

    /// Opens the gate for good, because the source is being stopped. Nobody is delayed from now on.
    public func open() {
        isOpen.store(true, ordering: .releasing)
        signal.notify()
    }
}
