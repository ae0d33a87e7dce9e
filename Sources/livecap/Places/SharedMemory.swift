// SPDX-License-Identifier: MIT
// The memory of a session's frames, which other programs read.

import LivecapCommandTable
import Shutter

/// The frames where they are, for programs that connect to a socket.
struct SharedMemory: SessionPlace {
    private let door: HostDoor
    private let leave: @Sendable () -> Void

    init?(_ arguments: Arguments, _ host: Host, _ staged: StagedFrames?) throws(Failure) {
        guard arguments[PlaceOptions.share] else { return nil }
        door = try attempt { () throws(ShutterError) in try HostDoor(at: nil) }
        leave = (staged?.stage(of: .share)?.sinks ?? host.session.sinks).attach(door)
    }

    var announcement: String? { door.path.map { "other programs read its frames at \($0)" } }

    func close() {
        leave()
        door.close()
    }
}
