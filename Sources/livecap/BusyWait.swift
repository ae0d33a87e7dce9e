// SPDX-License-Identifier: MIT
// Waits for a camera that another program uses.

import Camera
import Glibc
import LivecapFrames

/// What to do if another program uses the camera.
enum BusyPolicy: Hashable, Sendable {
    /// Wait until it is free: for ever, or for as long as `limit`.
    case wait(limit: Duration?)
    /// Fail.
    case end
}

/// The wait of one command for its camera.
struct BusyWait: ~Copyable {
    private let policy: BusyPolicy
    private let interruption: Interruption
    private let begin = Timestamp.now
    private var hasNoted = false

    init(_ policy: BusyPolicy, _ interruption: Interruption) {
        self.policy = policy
        self.interruption = interruption
    }

    /// Notes once that the camera is in use, and by whom, and sleeps a little. Returns whether to try again.
    mutating func mayTryAgain(_ error: CameraError) -> Bool {
        guard case .wait(let limit) = policy, interruption.signal == nil else { return false }
        if let limit, Timestamp.now - begin >= limit { return false }
        if !hasNoted, let words = CaptureLoop.Notice.busy(error).words { Console.note("note: \(words)") }
        hasNoted = true
        // A signal ends it.
        usleep(250_000)
        return interruption.signal == nil
    }
}
