// SPDX-License-Identifier: MIT
// Notifies waiting tasks when a photo changes.

import Threads

/// Wakes the tasks that wait for a photo to change. Changes by other processes are found by polling.
final class LibraryChanges: Sendable {
    private struct State {
        var count = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }
    private let state = Guarded(State())

    /// The number of changes made by this process.
    var count: Int { state.withLock { $0.count } }

    /// Counts a change, and wakes all waiting tasks.
    func announce() {
        let woken = state.withLock { state in
            state.count += 1
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Waits until there is reason to look again: `count` is no longer `seen`, or some time has passed. Returns false
    /// if the task is cancelled.
    func wait(after seen: Int) async -> Bool {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.nextChange(after: seen) }
            group.addTask { try? await Task.sleep(for: .milliseconds(200)) }
            await group.next()
            group.cancelAll()
        }
        return !Task.isCancelled
    }

    private func nextChange(after seen: Int) async {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayWait = state.withLock { state in
                    guard state.count == seen, !Task.isCancelled else { return false }
                    state.waiting[number] = continuation
                    return true
                }
                if !mayWait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}
