// SPDX-License-Identifier: MIT
// How long a shot waits for frames.

import Frames

/// How long a shot that is due waits for its frames before those that are there must do, or it fails.
struct Patience: Hashable, Sendable {
    /// Frame intervals for each frame that is waited for: cameras take a few times as long in the dark.
    var intervals: Int64 = 4
    /// Beyond that.
    var more = TimeSpan.milliseconds(500)
    /// For a stream's first frame, from the tap on. Cameras need seconds, and are started anew when that was in vain.
    var firstFrame = TimeSpan.seconds(15)

    /// For so many frames, so far apart.
    func time(for frames: Int, apart interval: TimeSpan) -> TimeSpan { interval * (intervals * Int64(frames)) + more }
}
