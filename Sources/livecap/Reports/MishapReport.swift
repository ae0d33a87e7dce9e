// SPDX-License-Identifier: MIT
// What is said of a capture's interruptions and notices, each once.

import Camera

/// What was reported of a capture so far. Every interruption is reported, also one that is like an earlier one.
struct MishapReport {
    /// What the capture does without its camera.
    private let policy: UnplugPolicy
    private var notices = 0
    private var interruptions = 0
    /// The interruption that has not ended yet.
    private var interruption: CaptureLoop.Interruption?

    init(onUnplug policy: UnplugPolicy) { self.policy = policy }

    /// The lines about what has happened since the last call.
    mutating func lines(of loop: CaptureLoop) -> [String] {
        // In this order: a frame that is counted came after the interruption that is known.
        let interruption = loop.interruption
        let new = loop.notices(since: notices)
        return lines(interruption, new, frames: loop.ring.nextCounter)
    }

    /// The same, of the latest interruption, notices that are new, and the number of frames so far.
    mutating func lines(
        _ latest: CaptureLoop.Interruption?, _ new: [CaptureLoop.Notice], frames: UInt64
    ) -> [String] {
        var lines: [String] = []
        if let latest, latest.number > interruptions {
            if let interruption, latest.firstFrameAfter > interruption.firstFrameAfter { lines.append(Self.end) }
            (interruptions, interruption) = (latest.number, latest)
            if let words = latest.words(policy) { lines.append(words) }
        }
        notices += new.count
        for notice in new {
            switch notice {
            case .restarted, .unplugged, .busy, .recovered: break
            default: if let words = notice.words { lines.append(words) }
            }
        }
        if let interruption, frames > interruption.firstFrameAfter {
            self.interruption = nil
            lines.append(Self.end)
        }
        return lines
    }

    private static let end = CaptureLoop.Notice.recovered.words ?? ""
}
