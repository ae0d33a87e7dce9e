// SPDX-License-Identifier: MIT
// Does now and then what has to be done while nobody asks for anything.

import LivecapFrames
import LivecapThreads

/// A thread that beats once in a few seconds.
final class Pulse: Sendable {
    private let isStopping = Guarded(false)
    private let signal = Doorbell(spinNanoseconds: 0)

    private static let interval = Duration.seconds(5)

    /// Calls `beat` until `stop`.
    init(_ beat: @escaping @Sendable () -> Void) throws(SystemShortage) {
        try SystemThread(name: "pulse") { [weak self] in
            while let self, !self.waitForStop() { beat() }
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
