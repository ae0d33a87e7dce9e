// SPDX-License-Identifier: MIT
// Notifies waiting tasks when a photo changes.

import LivecapThreads
import Synchronization

/// Wakes the tasks that wait for a photo to change. Changes by other processes are found by polling.
final class LibraryChanges: Sendable {
    private let announced = Atomic<Int>(0)
    private let bell = AsyncBell()

    /// The number of changes made by this process.
    var count: Int { announced.load(ordering: .acquiring) }

    /// Counts a change, and wakes all waiting tasks.
    func announce() {
        // Pairs with the acquiring load in `count`: a task that is woken sees the change.
        announced.wrappingAdd(1, ordering: .releasing)
        bell.ring()
    }

    /// Waits until there is reason to look again: `count` is no longer `seen`, or some time has passed. Returns false
    /// if the task is cancelled.
    func wait(after seen: Int) async -> Bool {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await self.bell.wait { self.count != seen } }
            group.addTask { try? await Task.sleep(for: .milliseconds(200)) }
            await group.next()
            group.cancelAll()
        }
        return !Task.isCancelled
    }
}
