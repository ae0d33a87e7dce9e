// SPDX-License-Identifier: MIT
// Notifies waiting tasks when a photo changes.

import Glibc
import LivecapFiles
import LivecapThreads
import Synchronization

/// Wakes the tasks that wait for a photo to change. Changes by other processes are noticed while there is a watch.
final class LibraryChanges: Sendable {
    private let folder: LibraryFolder
    private let announced = Atomic<Int>(0)
    private let bell = AsyncBell()
    private let shared = Guarded(Shared())

    private struct Shared: Sendable {
        weak var watch: CatalogueWatch?
    }

    /// Changes of the library in a folder.
    init(in folder: LibraryFolder) { self.folder = folder }

    /// The number of changes so far. What another process changes may be counted several times, or be no change of a
    /// photo at all.
    var count: Int { announced.load(ordering: .acquiring) }

    /// Counts a change, and wakes all waiting tasks.
    func announce() {
        // Pairs with the acquiring load in `count`: a task that is woken sees the change.
        announced.wrappingAdd(1, ordering: .releasing)
        bell.ring()
    }

    /// Counts changes by other processes, too, for as long as what it returns exists, and a first one once it does.
    func watch() throws(LibraryError) -> CatalogueWatch {
        do throws(SystemShortage) {
            return try shared.withLock { shared throws(SystemShortage) in
                if let watch = shared.watch { return watch }
                let watch = try CatalogueWatch(of: folder) { [weak self] in self?.announce() }
                shared.watch = watch
                return watch
            }
        } catch { throw .fileError(folder.path, call: error.call, errno: error.errno) }
    }

    /// Waits until `count` is no longer `seen`. Returns false if the task is cancelled.
    func wait(after seen: Int) async -> Bool { await bell.wait { count != seen } }
}

/// Notices what is written to a library's catalogue, by whatever process: `inotify(7)` on its folder.
final class CatalogueWatch: Sendable {
    private let end: WakeEvent
    /// In milliseconds: longer than a commit takes from its last write until it is seen.
    private static let settling: Int32 = 100

    /// Calls `notice` from a thread of its own, once it watches and after each change, until the value is gone.
    init(of folder: LibraryFolder, _ notice: @escaping @Sendable () -> Void) throws(SystemShortage) {
        let end = try WakeEvent()
        self.end = end
        try SystemThread(name: "library watch") {
            var folders = FolderWatch()
            let isWatching = folders.add(folder.pathOfDescriptor, andWrites: true)
            var events = [end.descriptor, folders.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            // The last write of a change comes before other connections see it, so the thread notices once more.
            var isSettling = true
            repeat {
                notice()
                // Where the kernel has no watch to give, the thread looks once a second.
                let count = poll(&events, 2, isSettling ? Self.settling : isWatching ? -1 : 1000)
                isSettling = count != 0
                _ = folders.changes()
            } while events[0].revents == 0
        }.detach()
    }

    deinit { end.raise() }
}
