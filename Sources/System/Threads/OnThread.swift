// SPDX-License-Identifier: MIT
// Blocking work for asynchronous code: done on a thread of its own, while the caller's task is suspended.

/// Does `work`, which may block, on a thread of its own.
/// - Throws: what `work` throws.
package func onThread<Value: Sendable, Failure: Error>(
    named name: String, isolation: isolated (any Actor)? = #isolation,
    _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let done: Result<Value, Failure> = await withCheckedContinuation { continuation in
        do throws(SystemShortage) {
            try SystemThread(name: name) { continuation.resume(returning: Result(catching: work)) }.detach()
        } catch {
            // Without threads, the caller waits; anything else would lose the work.
            continuation.resume(returning: Result(catching: work))
        }
    }
    return try done.get()
}
