// SPDX-License-Identifier: MIT
// Reports when a program closes a camera: V4L2 does not say when a camera in use becomes free.

import LivecapFiles
import LivecapFrames
import LivecapThreads

/// Watches who closes a camera's node, for one who waits until it is free.
package final class ReleaseWatch {
    let path: String
    private var watch = FolderWatch()
    private let isWatching: Bool
    /// When to try next. Attempts close the node, too, and wake others that wait: without a pause they would keep each
    /// other awake.
    private var next = Timestamp.now + ReleaseWatch.pause

    private static let pause = Duration.milliseconds(250)
    /// When to try although nobody has closed it: a program may give a camera back and keep it open.
    private static let patience = Duration.seconds(1)

    /// Watches the node at `path`.
    package init(of path: String) {
        self.path = path
        isWatching = watch.addClosings(of: path)
    }

    /// Sleeps until the next attempt is worth it, until `event` is raised, or until `deadline`.
    package func wait(orFor event: WakeEvent, until deadline: Timestamp = .distantFuture) {
        // What was closed until now was closed by the last attempt, or before it.
        _ = watch.changes()
        let latest = min(deadline, .now + (isWatching ? Self.patience : Self.pause))
        let isRaised = event.wait(orFor: isWatching ? watch.descriptor : -1, until: latest.nanoseconds)
        if !isRaised, !watch.changes().isEmpty { event.wait(until: min(deadline, next).nanoseconds) }
        next = .now + Self.pause
    }
}
