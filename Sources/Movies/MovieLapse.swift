// SPDX-License-Identifier: MIT
// Which frames a timelapse takes: one of each interval, the one nearest to its time.

import LivecapFrames

/// How the time of a timelapse passes.
struct MovieLapse: Hashable {
    /// The time from one picture to the next, when they are taken.
    let interval: Duration
    /// The rate at which they are shown.
    let rate: FrameRate

    /// How many times as fast it is shown.
    var factor: Double { interval.seconds * rate.framesPerSecond }

    /// For people: `a picture every 2 s, 60 times as fast`.
    var words: String {
        let factor = (factor * 10).rounded() / 10
        let number = factor == factor.rounded() ? "\(Int(factor))" : "\(factor)"
        return "a picture every \(interval.inSeconds), \(number) times as fast"
    }
}

/// Chooses the frames of a timelapse. Picture k is the one nearest to k intervals after the first, so that no error
/// adds up. Times are those since the first frame, without pauses.
struct LapseChoice {
    private let interval: Duration
    /// The last picture that was chosen.
    private var last = -1
    /// The frame that waits, because a nearer one may come.
    private var waiting: (picture: Int, distance: Duration)?

    init(_ interval: Duration) { self.interval = interval }

    /// What becomes of a frame.
    enum Verdict: Hashable {
        /// It is not needed.
        case pass
        /// It is the nearest until now: it waits for the next one.
        case wait
        /// It is the picture of this number.
        case take(Int)
        /// The one that waits is the picture of this number. This one is to be asked for again.
        case takeWaiting(Int)
    }

    /// Judges the frame at `time`. Times never go back.
    mutating func verdict(_ time: Duration) -> Verdict {
        let picture = Int(((time + interval / 2) / interval).rounded(.down))
        let distance = (time - interval * picture).magnitude
        if let waiting, waiting.picture < picture || waiting.distance <= distance {
            self.waiting = nil
            last = waiting.picture
            return .takeWaiting(waiting.picture)
        }
        guard picture > last else { return .pass }
        guard time >= interval * picture else {
            waiting = (picture, distance)
            return .wait
        }
        (last, waiting) = (picture, nil)
        return .take(picture)
    }

    /// Forgets the frame that waits.
    mutating func forget() { waiting = nil }
}
