// SPDX-License-Identifier: MIT
// Blocking work for asynchronous code: done on a thread of its own, while the caller's task is suspended.

/// Does `work`, which may block, on a thread of its own.
package func onThread<Result: Sendable>(
    named name: String, isolation: isolated (any Actor)? = #isolation, _ work: @escaping @Sendable () -> Result
) async -> Result {
    await withCheckedContinuation { continuation in
        do throws(SystemShortage) {
            try SystemThread(name: name) { continuation.resume(returning: work()) }.detach()
        } catch {
            // Without threads, the caller waits; anything else would lose the work.
            continuation.resume(returning: work())
        }
    }
}
