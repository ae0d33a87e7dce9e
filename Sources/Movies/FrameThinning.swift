// SPDX-License-Identifier: MIT
// Which frames a movie of a lower rate than its camera's takes.

import LivecapFrames

/// Chooses the frames nearest to the pictures of a rate. A rate that is not below the frames' own takes all of them.
/// Times are those since the movie's first picture.
struct FrameThinning: Hashable, Sendable {
    private let interval: Duration
    /// When the next picture is due.
    private var due = Duration.zero

    init(_ interval: Duration) { self.interval = interval }

    /// Whether a frame becomes a picture: it is nearer to the time at which one is due than the next frame would be.
    /// `usual` is the interval of its source's frames.
    func takes(_ time: Duration, usual: Duration?) -> Bool {
        guard let usual, usual < interval else { return true }
        return time >= due - usual / 2
    }

    /// Notes that the frame of a time became a picture.
    mutating func taken(at time: Duration) {
        // After a gap, pictures do not come faster for a while.
        due = (time - due > interval / 2 ? time : due) + interval
    }
}
