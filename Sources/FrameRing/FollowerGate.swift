// SPDX-License-Identifier: MIT
// Back-pressure for sources that could run faster than their readers: replays and synthetic scenes at the fast pace.

import Frames
import Synchronization

/// Lets a source at the fast pace wait for those who follow it, so that nobody misses a frame and results are the same
/// on every run. Cameras never use it: a camera waits for nobody.
public final class FollowerGate: Sendable {
    private let followers = Mutex<[UInt64: UInt64]>([:])
    private let nextTicket = Atomic<UInt64>(0)
    private let signal = Signal()
    private let isOpen = Atomic<Bool>(false)

    /// A gate nobody has joined; it holds nobody up.
    public init() {}

    deinit { signal.deallocate() }

    /// A follower's place at a gate.
    struct Ticket: Sendable {
        fileprivate let gate: FollowerGate
        fileprivate let number: UInt64

        /// The follower has finished with every frame below `counter`.
        func advance(to counter: UInt64) {
            gate.followers.withLock { $0[number] = counter }
            gate.signal.notify()
        }

        /// The follower waits for no more frames.
        func leave() {
            gate.followers.withLock { _ = $0.removeValue(forKey: number) }
            gate.signal.notify()
        }
    }

    /// A new follower that still wants every frame from `counter` on.
    func join(at counter: UInt64) -> Ticket {
        let ticket = Ticket(gate: self, number: nextTicket.wrappingAdd(1, ordering: .relaxed).newValue)
        followers.withLock { $0[ticket.number] = counter }
        return ticket
    }

    /// Sleeps until every follower has finished with the frames below `counter`, or the gate is opened for good.
    public func wait(untilFinishedBelow counter: UInt64) {
        _ = signal.wait(until: .distantFuture) {
            isOpen.load(ordering: .acquiring) || followers.withLock { $0.values.allSatisfy { $0 >= counter } }
        }
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
