// SPDX-License-Identifier: MIT
// Wakes a thread when the session goes on with another stream.

import FrameRing
import LivecapFrames
import LivecapStreams

/// A sink that takes no frames: it only learns that a stream begins.
final class StreamCall: FrameSink {
    private let signal = OwnedSignal()

    func streamBegins(_ stream: SinkStream) { signal.notify() }

    func hostEnds() { signal.notify() }

    /// Makes those who wait check their conditions again.
    func notify() { signal.notify() }

    /// Sleeps until `condition` holds, or until `deadline`.
    func wait(until deadline: Timestamp, for condition: () -> Bool) {
        _ = signal.wait(until: deadline, for: condition)
    }
}
