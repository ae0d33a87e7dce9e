// SPDX-License-Identifier: MIT
// How long a shot waits for frames.

import LivecapFrames

/// How long a shot that is due waits for its frames. After that it uses the frames that are there, or fails.
struct Patience: Hashable, Sendable {
    /// Frame intervals per frame waited for. In the dark, cameras take a few times as long as their rate implies.
    var intervals: Int64 = 4
    /// Additional time.
    var more = Duration.milliseconds(500)
    /// For a stream's first frame, from the tap on. Cameras need seconds, and are restarted if no frame comes.
    var firstFrame = Duration.seconds(15)

    /// The time to wait for `frames` frames that are `interval` apart.
    func time(for frames: Int, apart interval: Duration) -> Duration { interval * (intervals * Int64(frames)) + more }
}
