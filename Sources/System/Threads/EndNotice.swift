// SPDX-License-Identifier: MIT
// The end of a thread's work, for those who wait for it.

import Synchronization

/// Says that some work has ended: to those who wait, and to those who want to be called.
package final class EndNotice: Sendable {
    private let hasCome = Atomic<Bool>(false)
    private let bell = Doorbell(spinNanoseconds: 0)
    private let listeners = Guarded<[@Sendable () -> Void]>([])

    /// The work goes on.
    package init() {}

    /// Notes the end. What was done before is seen by everybody who learns of it.
    package func note() {
        hasCome.store(true, ordering: .releasing)
        bell.ring()
        for listener in takeListeners() { listener() }
    }

    /// Waits for the end, until `deadline` (nanoseconds on CLOCK_MONOTONIC) at the latest. Returns whether it has come.
    package func wait(until deadline: Int64) -> Bool {
        bell.wait(until: deadline) { hasCome.load(ordering: .acquiring) }
        return hasCome.load(ordering: .acquiring)
    }

    /// Calls `body` at the end, or at once if it has come.
    package func call(_ body: @escaping @Sendable () -> Void) {
        listeners.withLock { $0.append(body) }
        guard hasCome.load(ordering: .acquiring) else { return }
        for listener in takeListeners() { listener() }
    }

    private func takeListeners() -> [@Sendable () -> Void] {
        listeners.withLock { listeners in
            defer { listeners = [] }
            return listeners
        }
    }
}
