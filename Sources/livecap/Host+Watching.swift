// SPDX-License-Identifier: MIT
// How a command waits for the end of its work, and what it says meanwhile.

import Camera
import FrameRing
import LiveCapture
import LivecapFrames
import LivecapIntents

extension Host {
    /// Waits until `isOver`, or until a time. Meanwhile it prints what happens to the source, shows `line` on a
    /// terminal, and calls `look` whenever there was a call for attention.
    func watch(
        until end: Timestamp = .distantFuture, for isOver: () -> Bool, line: () -> String, look: () -> Void = {}
    ) {
        var progress = Progress()
        var mishaps = mishaps
        while true {
            // Before anything is looked at, so that no call is missed.
            let seen = attention.count
            let isLast = isOver() || Timestamp.now >= end
            report(&mishaps)
            look()
            if isLast { return }
            progress.show(line)
            attention.wait(after: seen, until: min(end, progress.nextChange))
        }
    }

    /// What has been reported of the source: nothing.
    var mishaps: MishapReport { MishapReport(onUnplug: arguments[SourceOptions.onUnplug] ?? .wait()) }

    /// Prints what has happened since the last call.
    func report(_ mishaps: inout MishapReport) {
        for line in mishaps.lines(of: loop) { Console.note("note: \(line)") }
    }

    /// The ring's capacity as a JSON object.
    var ringObject: JSON {
        let granted = session.granted
        return .object([
            ("seconds", .number(granted.usualDuration.seconds)),
            ("surelySeconds", .number(granted.duration.seconds)), ("slots", JSON(granted.slots)),
            ("bytes", JSON(granted.bytes)), ("locked", .bool(granted.isLocked)),
        ])
    }
}

extension CaptureLoop {
    /// Whether no frame will come any more.
    var hasEnded: Bool {
        switch state {
        case .ended, .failed: true
        case .idle, .running: false
        }
    }
}
