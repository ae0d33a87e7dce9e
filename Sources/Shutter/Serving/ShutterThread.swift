// SPDX-License-Identifier: MIT
// A shutter's thread, which any thread can stop and join.

import Glibc
import LivecapThreads
import Synchronization

/// A request to stop, which a shutter's thread polls. It outlives the thread, so that raising it late does no harm.
package final class StopRequest: Sendable {
    /// Readable when the thread should check its state.
    package let wake: WakeEvent
    private let isRaised = Atomic<Bool>(false)

    init() throws(SystemShortage) { wake = try WakeEvent() }

    /// Whether the thread should end.
    package var isStopping: Bool { isRaised.load(ordering: .acquiring) }

    /// Asks the thread to end.
    func raise() {
        // Pairs with the acquiring load in `isStopping`.
        isRaised.store(true, ordering: .releasing)
        wake.raise()
    }
}

/// A thread that runs until it is stopped or has nothing more to do. It can be stopped from any thread, including its
/// own: a handler may close the shutter that called it.
package final class ShutterThread: Sendable {
    /// The state shared by the thread and those that stop it.
    private final class Life: Sendable {
        let stop: StopRequest
        /// The running thread's `pthread_self`. No other thread can match it, so no ordering is needed.
        let identity = Atomic<UInt>(0)
        let hasEnded = Atomic<Bool>(false)
        let ending = Doorbell(spinNanoseconds: 0)

        init() throws(SystemShortage) { stop = try StopRequest() }

        var isCurrent: Bool { identity.load(ordering: .relaxed) == UInt(pthread_self()) }
    }

    private let life: Life
    /// Taken by the first thread that joins.
    private let thread: Guarded<SystemThread?>

    /// Starts `body`, which must return soon after the request is raised.
    package init(name: String, _ body: @escaping @Sendable (StopRequest) -> Void) throws(ShutterError) {
        do throws(SystemShortage) {
            let life = try Life()
            let started = try SystemThread(name: name) {
                life.identity.store(UInt(pthread_self()), ordering: .relaxed)
                body(life.stop)
                life.identity.store(0, ordering: .relaxed)
                // Pairs with the acquiring load in `close`.
                life.hasEnded.store(true, ordering: .releasing)
                life.ending.ring()
            }
            self.life = life
            thread = Guarded(started)
        } catch { throw .failed("the thread '\(name)'", call: error.call, errno: error.errno) }
    }

    /// The request that ends the thread.
    package var stop: StopRequest { life.stop }

    /// Stops the thread and waits until it has ended. On the thread itself it returns at once, and the thread ends when
    /// the handler returns. May be called repeatedly and by several threads.
    package func close() {
        life.stop.raise()
        guard !life.isCurrent else { return }
        if let thread = thread.withLock({ $0.take() }) {
            thread.join()
        } else {
            let life = life
            life.ending.wait { life.hasEnded.load(ordering: .acquiring) }
        }
    }

    deinit {
        life.stop.raise()
        guard let thread = thread.withLock({ $0.take() }) else { return }
        if life.isCurrent { thread.detach() } else { thread.join() }
    }
}
