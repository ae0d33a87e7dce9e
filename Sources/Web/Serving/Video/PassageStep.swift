// SPDX-License-Identifier: MIT
// When viewers get a camera's own H.264, and when it is encoded anew for them.

import LivecapFrames

/// Decides for each of a camera's frames whether viewers get it as it is. A pure step: frames and viewers in, a
/// decision out.
///
/// A viewer that comes, or was too slow, has to wait for the next key frame of the camera, which nobody can ask for. So
/// frames are passed on only if those come often, and no longer once a viewer was too slow: encoded frames adapt to it.
struct PassageStep {
    /// What counts of a frame.
    struct Frame: Hashable, Sendable {
        var time: Timestamp
        /// Whether decoding can begin with it.
        var isKey = false
        /// Whether viewers can have it as it is, as far as the parameters say that it is decoded with.
        var isSuitable = true
        /// Whether all that it builds on is there, and its picture as well.
        var isWhole = true
    }

    /// Whether the last frame was passed on.
    private(set) var isPassing = false
    private var lastKey: Timestamp?
    private var resumesAt: Timestamp?
    private var began = Timestamp.zero
    private var pause = Duration.zero

    /// Key frames must come as often as this before frames are passed on: every two seconds, and a little late.
    static let longestInterval = Duration.milliseconds(2100)
    /// One that comes later than this is overdue.
    static let patience = Duration.seconds(3)
    /// How long frames are encoded after they could not be passed on any more; longer each time that it happens soon.
    static let shortestPause = Duration.seconds(30)
    static let longestPause = Duration.seconds(480)

    /// Takes the next frame. Returns whether it is passed on; the first of those is a key frame.
    mutating func passes(_ frame: Frame) -> Bool {
        // A clock that went back says nothing.
        if let lastKey, frame.time < lastKey {
            self.lastKey = nil
            resumesAt = nil
        }
        let sinceKey = lastKey.map { frame.time - $0 }
        if frame.isKey { lastKey = frame.time }
        if isPassing {
            let isOverdue = sinceKey.map { $0 > Self.patience } ?? true
            if !frame.isWhole || frame.isKey && !frame.isSuitable || isOverdue { stop(at: frame.time) }
        } else if frame.isKey, frame.isWhole, frame.isSuitable, let sinceKey, sinceKey <= Self.longestInterval,
            resumesAt.map({ frame.time >= $0 }) ?? true
        {
            isPassing = true
            began = frame.time
        }
        return isPassing
    }

    /// A viewer was too slow for the frame of a time, whether that was passed on or encoded.
    mutating func noteSlowViewer(at time: Timestamp) {
        if isPassing { return stop(at: time) }
        resumesAt = max(resumesAt ?? time, time + Self.shortestPause)
    }

    /// Frames are encoded for a while.
    mutating func stop(at time: Timestamp) {
        guard isPassing else { return }
        // What did not last is not tried again so soon.
        let isTooSoon = pause > .zero && time - began < pause
        pause = isTooSoon ? min(pause * 2, Self.longestPause) : Self.shortestPause
        resumesAt = time + pause
        isPassing = false
    }
}
