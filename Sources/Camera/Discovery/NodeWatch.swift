// SPDX-License-Identifier: MIT
// Reports when device nodes come, go or change, to a source that waits for its camera.

import LivecapFiles
import LivecapFrames
import LivecapThreads

/// Watches the names in the folder of device nodes. It asks no camera anything.
final class NodeWatch {
    private var watch = FolderWatch()
    /// Until when waits are short: a node's place in sysfs, and permission to open it, may come after the node. They
    /// are short at first, too, for what changed just before the watch began.
    private var shortUntil = Timestamp.now + NodeWatch.unsettled

    private static let shortWait = Duration.milliseconds(50)
    private static let unsettled = Duration.seconds(2)

    /// Watches `folder`; nil if that is impossible.
    init?(_ folder: String) { if !watch.add(folder) { return nil } }

    /// Sleeps until there is a change, until `event` is raised, or until `deadline`; for two seconds after a change, no
    /// longer than a short wait.
    func wait(orFor event: WakeEvent, until deadline: Timestamp) {
        let latest = shortUntil > .now ? min(deadline, .now + Self.shortWait) : deadline
        event.wait(orFor: watch.descriptor, until: latest.nanoseconds)
        let hasChanged = watch.changes().contains { $0.name.isEmpty || $0.name.hasPrefix("video") }
        if hasChanged { shortUntil = .now + Self.unsettled }
    }
}
