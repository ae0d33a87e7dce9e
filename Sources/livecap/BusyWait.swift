// SPDX-License-Identifier: MIT
// Waits for a camera that another program uses.

import Camera
import LivecapFrames
import LivecapThreads

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
    /// What a signal raises, and what tells that a program has closed the camera, once it was found in use.
    private var news: (signal: WakeEvent, release: ReleaseWatch)?

    init(_ policy: BusyPolicy, _ interruption: Interruption) {
        self.policy = policy
        self.interruption = interruption
    }

    /// Notes once that the camera is in use, and by whom, and sleeps until it may be free. Returns whether to try
    /// again.
    mutating func mayTryAgain(_ error: CameraError) -> Bool {
        guard case .wait(let limit) = policy, case .busy(let path, _) = error, interruption.signal == nil else {
            return false
        }
        if let limit, Timestamp.now - begin >= limit { return false }
        if news == nil {
            if let words = CaptureLoop.Notice.busy(error).words { Console.note("note: \(words)") }
            guard let signal = try? WakeEvent() else { return false }
            interruption.onSignal { signal.raise() }
            news = (signal, ReleaseWatch(of: path))
        }
        news?.release.wait(orFor: news!.signal, until: limit.map { begin + $0 } ?? .distantFuture)
        return interruption.signal == nil
    }
}
