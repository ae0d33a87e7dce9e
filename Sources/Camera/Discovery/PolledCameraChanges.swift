// SPDX-License-Identifier: MIT
// Changes among the cameras for a thread that polls.

import LivecapThreads

/// The same as `CameraChanges`, for code that is not asynchronous.
package struct PolledCameraChanges {
    private let watch: CameraWatch
    private var differences: CameraDifferences
    /// Raised after changes. Clear it before asking for them.
    package let event: WakeEvent

    /// Begins with the cameras that are present.
    package init(_ discovery: CameraDiscovery) throws(CameraError) {
        event = try CameraError.wrapping { () throws(SystemShortage) in try WakeEvent() }
        watch = discovery.watch
        differences = CameraDifferences(discovery.filter)
        watch.board.raise(event)
        // What happened before the line above raised nothing.
        event.raise()
    }

    /// Why changes may be noticed late, as soon as that is known.
    package var notice: String? { watch.board.now.notice }

    /// The next change; nil if there is none now.
    package mutating func next() -> CameraChange? { watch.board.now.cameras.flatMap { differences.next($0) } }
}
