// SPDX-License-Identifier: MIT
// Suspends tasks until another thread has changed something: the doorbell of asynchronous code.

/// A bell that any number of tasks wait for. Ringing it wakes all of them; each then looks whether its wait is over.
package final class AsyncBell: Sendable {
    private struct Content {
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var count: UInt64 = 0
    }

    private let content = Guarded(Content())

    package init() {}

    /// Wakes all waiting tasks. Ring after each change they wait for. Never blocks.
    package func ring() {
        let woken = content.withLock { content in
            defer { content.waiting = [:] }
            return content.waiting.isEmpty ? [] : Array(content.waiting.values)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Suspends until `look` finds something, and returns it; nil if the task was cancelled first. `look` is not called
    /// again once it has found something, and must not ring the bell.
    package func first<Found>(
        isolation: isolated (any Actor)? = #isolation, _ look: () -> Found?
    ) async -> Found? {
        var found = look()
        while found == nil, !Task.isCancelled {
            await nextRing(isolation: isolation) {
                if found == nil { found = look() }
                return found != nil
            }
        }
        return found
    }

    /// Suspends until `isOver` is true. Returns false if the task was cancelled first. `isOver` must not ring the bell.
    package func wait(
        isolation: isolated (any Actor)? = #isolation, until isOver: () -> Bool
    ) async -> Bool {
        await first(isolation: isolation) { isOver() ? true : nil } ?? false
    }

    private func nextRing(isolation: isolated (any Actor)?, unless isOver: () -> Bool) async {
        let number = content.withLock { content in
            content.count += 1
            return content.count
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                content.withLock { $0.waiting[number] = continuation }
                // After the entry, so that a change is either seen here or rings the bell for it.
                if isOver() || Task.isCancelled { wake(number) }
            }
        } onCancel: {
            wake(number)
        }
    }

    private func wake(_ number: UInt64) {
        content.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
}
