// SPDX-License-Identifier: MIT
// Tells when device nodes come, go or change, for one who waits for a camera to be back.

import LivecapFiles
import LivecapFrames
import LivecapThreads

/// Watches the names in the folder of device nodes. It asks no camera anything.
final class NodeWatch {
    private var watch = FolderWatch()
    /// Until when to try often: a node's place in sysfs, and permission to open it, may come after it.
    private var isNewsUntil = Timestamp.zero

    private static let often = Duration.milliseconds(50)
    private static let newsLast = Duration.seconds(2)

    /// Watches `folder`; nil if that is impossible.
    init?(_ folder: String) { if !watch.add(folder) { return nil } }

    /// Sleeps until there is a change, or was one a moment ago, until `event` is raised, or until `deadline`.
    func wait(orFor event: WakeEvent, until deadline: Timestamp) {
        let latest = isNewsUntil > .now ? min(deadline, .now + Self.often) : deadline
        event.wait(orFor: watch.descriptor, until: latest.nanoseconds)
        let isNews = watch.changes().contains { $0.name.isEmpty || $0.name.hasPrefix("video") }
        if isNews { isNewsUntil = .now + Self.newsLast }
    }
}
