// SPDX-License-Identifier: MIT
// Wakes the readers of other processes, which the producer must not be kept from its work by.

import FrameRing
import LivecapThreads
import Shutter
import Synchronization

/// A thread that sleeps as a reader of the ring, and passes each wake-up on to all other processes. To the producer,
/// any number of them are one reader.
final class ReaderWaker: Sendable {
    private let ring: Ring
    private let isCancelled = Atomic<Bool>(false)
    private let thread = Guarded<SystemThread?>(nil)

    init(of ring: Ring, _ file: RingFile) throws(ShutterError) {
        self.ring = ring
        do throws(SystemShortage) {
            // The thread holds this value until it ends.
            let started = try SystemThread(name: "share wake") { self.run(file) }
            thread.withLock { $0 = started }
        } catch { throw .failed("the thread 'share wake'", call: error.call, errno: error.errno) }
    }

    private func run(_ file: RingFile) {
        while true {
            let next = ring.nextCounter
            file.wakeReaders()
            ring.wait(forCounter: next, unless: { isCancelled.load(ordering: .acquiring) })
            // A frame that was published before the end is seen before it.
            if ring.isEnded || isCancelled.load(ordering: .acquiring) { break }
        }
        file.wakeReaders(hasEnded: true)
    }

    /// Reports the end of the ring to its readers, if that has not happened, and waits for the thread.
    func end() {
        // Pairs with the acquiring loads in `run`.
        isCancelled.store(true, ordering: .releasing)
        ring.wakeWaiters()
        thread.withLock { $0.take() }?.join()
    }
}
