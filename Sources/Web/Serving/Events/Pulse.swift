// SPDX-License-Identifier: MIT
// Shows listeners now and then that the connection lives.

import LivecapFrames
import LivecapThreads

/// A thread that beats once in a few seconds.
final class Pulse: Sendable {
    private let isStopping = Guarded(false)
    private let signal = Doorbell(spinNanoseconds: 0)

    private static let interval = Duration.seconds(5)

    init(_ hub: EventHub) throws(SystemShortage) {
        try SystemThread(name: "pulse") { [weak self] in
            while let self, !self.waitForStop() { hub.beat() }
        }.detach()
    }

    /// Waits for the next beat, or the stop.
    private func waitForStop() -> Bool {
        signal.wait(until: (Timestamp.now + Self.interval).nanoseconds) { isStopping.withLock { $0 } }
        return isStopping.withLock { $0 }
    }

    func stop() {
        isStopping.withLock { $0 = true }
        signal.ring()
    }
}
