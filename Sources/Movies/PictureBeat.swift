// SPDX-License-Identifier: MIT
// When a movie shows its last picture again, because no new one comes.

import LivecapFrames

/// Decides when a movie on a canvas shows its last picture again. Times are those since the movie's first picture.
///
/// Pictures are to be at most two intervals apart; of a rate of its own, exactly one. Whether one is missing is only
/// known once a later frame is there, or none can come any more: cameras deliver late, but about equally late.
struct PictureBeat {
    private let interval: Duration
    /// Whether pictures are to come at the times of a rate, and at no others.
    private let isExact: Bool
    /// The last picture, of whichever kind.
    private(set) var last: Duration?
    /// The last frame, and when it was taken out of the ring.
    private var frame: (time: Duration, taken: Timestamp) = (.zero, .zero)
    /// How far apart its source's frames usually are.
    private var usual = Duration.zero
    /// How long after a frame its repetitions are marked.
    private var patience: Duration { max(usual * 3, Self.shortest) }

    /// How much later than usual a frame may still be expected.
    static let slack = Duration.milliseconds(250)
    /// Pictures that stand still for less are not marked.
    static let shortest = Duration.milliseconds(250)
    /// Times are not exact.
    private static let tolerance = Duration.microseconds(500)

    init(_ interval: Duration, isExact: Bool = false) {
        self.interval = interval
        self.isExact = isExact
    }

    /// When a frame is seen. At an exact rate, that is the nearest of its times; but pictures of a camera of nearly
    /// that rate follow each other, although its clock drifts across the middle between two times.
    func place(of time: Duration) -> Duration {
        guard isExact else { return time }
        let nearest = Int((time / interval).rounded())
        guard let last else { return interval * nearest }
        let next = Int((last / interval).rounded()) + 1
        let distance = time - interval * next
        return interval * (max(distance, .zero - distance) < interval * 3 / 4 ? next : nearest)
    }

    /// Whether the last picture is that of a frame, and no repetition.
    var showsFrame: Bool { last == frame.time }

    /// Notes the picture of a frame, taken out of the ring at `now`. `usual` is the interval of its source's frames.
    mutating func frame(at time: Duration, usual: Duration?, now: Timestamp) {
        (last, frame) = (time, (time, now))
        self.usual = usual ?? interval
    }

    /// The repetition that is missing before a picture at `time`, if there is one. It must be noted by `repeated`
    /// before the next is asked for. If it is only missing because `leftOut` frames were, the camera was not away.
    func repetition(before time: Duration, leftOut: Int = 0) -> (time: Duration, isMarked: Bool)? {
        guard let last, time - last > interval * (isExact ? 1 : 2) + Self.tolerance else { return nil }
        let next = last + interval
        let wasAway = leftOut == 0 || usual * (leftOut + 2) < time - frame.time
        return (next, wasAway && next - frame.time >= patience)
    }

    /// Notes a repetition.
    mutating func repeated(at time: Duration) { last = time }

    /// The time before which no frame can come any more, if none had come by `now`.
    func settled(at now: Timestamp) -> Duration { frame.time + max(now - frame.taken - Self.slack, .zero) }

    /// Whether a frame comes too late: another picture has its place.
    func isTaken(_ time: Duration) -> Bool { last.map { time <= $0 } ?? false }
}
