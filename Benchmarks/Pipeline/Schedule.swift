// SPDX-License-Identifier: MIT
// The source's own record of which frames were published, and when: the truth by which photos are judged.

import LivecapFrames
import Synchronization

/// A source's own record of its run. The capture thread writes it, without allocating memory. It is independent of
/// what the ring reports about the same frames.
final class Schedule: @unchecked Sendable {  // atomics at fixed addresses, and the rest never changes
    /// The maximum number of frames recorded.
    private let capacity: Int
    /// The time from one frame to the next.
    let interval: Duration
    private let rate: FrameRate
    /// One in this many frames is damaged; 0 if none is.
    private let damageEvery: Int
    /// When each frame became visible, in nanoseconds, by its counter.
    private let moments: UnsafeMutablePointer<Atomic<Int64>>
    /// Each frame's number in the scene, which is also drawn into its pixels, by its counter.
    private let numbers: UnsafeMutablePointer<Atomic<Int>>
    private let published = Atomic<Int>(0)
    private let firstBefore = Atomic<Int64>(0)
    private let firstAfter = Atomic<Int64>(0)

    /// A published frame.
    struct Frame: Sendable {
        let counter: Int
        let number: Int
        let time: Timestamp
        let visible: Timestamp
    }

    init(rate: FrameRate, damageEvery: Int, capacity: Int = 1 << 16) {
        (self.rate, interval, self.damageEvery, self.capacity) = (rate, rate.interval, damageEvery, capacity)
        moments = .allocate(capacity: capacity)
        numbers = .allocate(capacity: capacity)
        for index in 0..<capacity {
            (moments + index).initialize(to: Atomic(0))
            (numbers + index).initialize(to: Atomic(0))
        }
    }

    deinit {
        moments.deinitialize(count: capacity).deallocate()
        numbers.deinitialize(count: capacity).deallocate()
    }

    /// Records that the source took the time of its first frame between `before` and `after`.
    func started(after before: Timestamp, before after: Timestamp) {
        firstBefore.store(before.nanoseconds, ordering: .relaxed)
        // Pairs with the acquiring load in `start`.
        firstAfter.store(after.nanoseconds, ordering: .releasing)
    }

    /// Records that a frame is visible.
    func note(_ counter: Int, number: Int, visible: Timestamp) {
        guard counter < capacity else { return }
        moments[counter].store(visible.nanoseconds, ordering: .relaxed)
        numbers[counter].store(number, ordering: .relaxed)
        // Pairs with the acquiring load in `frames`.
        published.store(counter + 1, ordering: .releasing)
    }

    /// The time of frame 0 and its uncertainty; nil before the start.
    var start: (time: Timestamp, uncertainty: Duration)? {
        let after = firstAfter.load(ordering: .acquiring), before = firstBefore.load(ordering: .relaxed)
        return after == 0 ? nil : (Timestamp(nanoseconds: before), Duration.nanoseconds(after - before))
    }

    /// When a frame of the scene is due.
    func time(of number: Int) -> Timestamp {
        let whole = Int64(number) * 1_000_000_000 * Int64(rate.denominator) / Int64(rate.numerator)
        return (start?.time ?? .zero) + .nanoseconds(whole)
    }

    /// The number of the newest frame that is due at `time`.
    func number(at time: Timestamp) -> Int {
        Int((time - (start?.time ?? time)).nanoseconds / interval.nanoseconds)
    }

    /// Whether the source leaves a frame undamaged.
    func isUsable(_ number: Int) -> Bool { damageEvery == 0 || number % damageEvery != damageEvery - 1 }

    /// All frames published so far.
    var frames: [Frame] {
        (0..<published.load(ordering: .acquiring)).map { counter in
            let number = numbers[counter].load(ordering: .relaxed)
            return Frame(
                counter: counter, number: number, time: time(of: number),
                visible: Timestamp(nanoseconds: moments[counter].load(ordering: .relaxed)))
        }
    }
}

/// The frames of a finished run, to find the one that a photo should show.
struct ScheduleTruth: Sendable {
    let frames: [Schedule.Frame]
    let interval: Duration
    private let uncertainty: Duration

    init(_ schedule: Schedule) {
        frames = schedule.frames.filter { schedule.isUsable($0.number) }
        interval = schedule.interval
        uncertainty = schedule.start?.uncertainty ?? .zero
    }

    /// The usable frame nearest to `moment`; nil if there are none.
    func nearest(to moment: Timestamp) -> Schedule.Frame? {
        let later = firstIndex(atOrAfter: moment)
        let candidates = frames[max(0, later - 1)..<min(frames.count, later + 1)]
        return candidates.min { ($0.time - moment).magnitude < ($1.time - moment).magnitude }
    }

    /// Whether no frame is nearer to `moment` than frame `number`, within the uncertainty of the start.
    func isNearest(_ number: Int, to moment: Timestamp) -> Bool {
        guard let frame = frame(number), let best = nearest(to: moment) else { return false }
        return (frame.time - moment).magnitude - (best.time - moment).magnitude <= uncertainty * 2 + .nanoseconds(2)
    }

    /// Finds a frame by its number.
    func frame(_ number: Int) -> Schedule.Frame? {
        var (low, high) = (0, frames.count)
        while low < high {
            let middle = (low + high) / 2
            if frames[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < frames.count && frames[low].number == number ? frames[low] : nil
    }

    /// When it was known which frame is nearest to `moment`, and `after` later ones were available. That is when the
    /// first frame at or after it came, or the last one before it, if that is so close that the next one must be
    /// farther away. Nil if those frames never came.
    func known(_ moment: Timestamp, after: Int = 0) -> Timestamp? {
        guard let nearest = nearest(to: moment), let place = frames.firstIndex(where: { $0.number == nearest.number })
        else { return nil }
        var last = firstIndex(atOrAfter: moment)
        // The next frame comes an interval later. Like the engine, this allows an eighth of that for the jitter of
        // cameras.
        if last > 0, frames[last - 1].time + interval * 7 / 8 - moment > moment - frames[last - 1].time { last -= 1 }
        last = max(last, place + after)
        return last < frames.count ? frames[last].visible : nil
    }

    private func firstIndex(atOrAfter moment: Timestamp) -> Int {
        var (low, high) = (0, frames.count)
        while low < high {
            let middle = (low + high) / 2
            if frames[middle].time < moment { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
