// SPDX-License-Identifier: MIT
// `livecap devices --watch`: prints cameras as they come and go, until a signal or until its reader has left.

import Camera
import Glibc
import LivecapIntents

enum CameraFollowing {
    static func run(_ filter: CameraFilter, _ console: inout Console) throws(Failure) -> Int32 {
        let interruption = try Interruption()
        let discovery = try attempt { () throws(CameraError) in try CameraDiscovery(CameraDirectory(), filter) }
        var changes = try attempt { () throws(CameraError) in try PolledCameraChanges(discovery) }
        let event = changes.event
        interruption.onSignal { event.raise() }
        var hasNoted = false
        while true {
            // Before anything is looked at, so that nothing is missed.
            event.clear()
            if interruption.signal != nil { return interruption.exitStatus }
            while let change = changes.next() { try print(change, &console) }
            try console.flush()
            if !hasNoted, let notice = changes.notice {
                Console.note("note: \(notice)")
                hasNoted = true
            }
            // Errors of the output are reported without being asked for: a pipe's reader that leaves is noticed at
            // once.
            var polled = [
                pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
            ]
            if poll(&polled, 2, -1) > 0, Int32(polled[1].revents) & (POLLERR | POLLHUP) != 0 { throw .readerLeft }
        }
    }

    private static func print(_ change: CameraChange, _ console: inout Console) throws(Failure) {
        let (word, camera) = (change.word, change.camera)
        if console.writesJSON {
            try console.print(.object([("event", .string(word))] + camera.members))
        } else {
            let padded = word + String(repeating: " ", count: 8 - word.count)
            let trouble = camera.trouble.map { ": \($0.message)" } ?? ""
            try console.print("\(padded) \(camera.path)  \(camera.name)  (\(camera.identity))\(trouble)")
        }
    }
}

extension CameraChange {
    /// The name for programs, and for people, too. At most 7 letters.
    fileprivate var word: String {
        switch self {
        case .present: "present"
        case .added: "added"
        case .removed: "removed"
        case .changed: "changed"
        }
    }
}
