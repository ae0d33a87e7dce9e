// SPDX-License-Identifier: MIT
// Waiting for moments, and leasing the frame of each.

import Camera
import FrameRing
import Frames

/// A moment with its frame.
struct Shot: ~Copyable {
    /// Counts the moments in the order they were asked for, from 1.
    let number: Int
    /// The moment, on the source's clock.
    let tap: Timestamp
    /// The usable frame nearest it, held with its neighbours.
    let window: FrameWindow
    /// Which of them it is.
    let index: Int
    /// The frame nearer still, where it was passed over because it is damaged.
    let rejected: FrameMetadata?

    /// What is known of the frame.
    var frame: FrameMetadata { window.metadata(index) }
}

/// Gives the shots in the order of their moments, each as soon as its frame is known.
///
/// A moment's nearest frame is known once a frame at or behind the moment has come. Moments count from the first
/// frame's time on a source with a clock of its own; on a camera from the present, which is when there is as much
/// history as the earliest moment needs.
struct TapWatch: ~Copyable {
    private let capture: Capture
    private var frames: FrameSubscription
    private var waiting: ArraySlice<(number: Int, at: TimeSpan)>
    private var start: Timestamp?
    private var origin: Timestamp?
    /// The time of the newest frame seen.
    private var reached: Timestamp?

    init(_ moments: [TimeSpan], _ capture: Capture) throws(Failure) {
        self.capture = capture
        frames = capture.follow()
        waiting = moments.enumerated().map { ($0.offset + 1, $0.element) }.sorted { $0.at < $1.at }[...]
        let (earliest, granted) = (waiting.first?.at ?? .zero, capture.loop.granted.duration)
        if capture.loop.description.clock == .own && earliest < .zero {
            throw .camera(.badSettings("nothing comes before the first frame", hint: "count --at from it: 0s and up"))
        }
        if capture.loop.description.clock == .monotonic && granted < .zero - earliest {
            let given = fixed(granted.seconds, 2)
            throw .camera(
                .badSettings(
                    "\(earliest.magnitude.milliseconds) ms back is more than the history of \(given) s",
                    hint: "ask for more with --ring, allow more with --memory, or take a smaller --size"))
        }
    }

    /// The next shot; nil when there was one for every moment.
    mutating func next() throws(Failure) -> Shot? {
        guard let moment = waiting.first else { return nil }
        while true {
            if let origin, let reached, reached >= origin + moment.at {
                waiting.removeFirst()
                return try shoot(moment.number, origin + moment.at)
            }
            switch frames.next(until: .now + .milliseconds(200)) {
            case .frame(let lease): note(lease.metadata.time)
            case .timedOut: break
            case .ended:
                if let failure = capture.failure { throw .camera(failure) }
                if let signal = capture.interruption.signal { throw .interrupted(signal: signal) }
                // No later frame will come, so the last one is the nearest.
                waiting.removeFirst()
                origin = origin ?? start
                guard let origin else { throw .camera(noFrameAtAll) }
                return try shoot(moment.number, origin + moment.at)
            }
            if let signal = capture.interruption.signal { throw .interrupted(signal: signal) }
        }
    }

    private mutating func note(_ time: Timestamp) {
        reached = time
        let start = self.start ?? time
        self.start = start
        guard origin == nil else { return }
        if capture.loop.description.clock == .own {
            origin = start
        } else if let earliest = waiting.first?.at, time - start >= .zero - earliest {
            origin = .now
        }
    }

    private func shoot(_ number: Int, _ tap: Timestamp) throws(Failure) -> Shot {
        let ring = capture.loop.ring
        let nearest = ring.lease(nearest: tap)?.metadata
        guard let window = ring.window(around: tap, before: 1, after: 1) else { throw .camera(noFrameAtAll) }
        let index = window.indexOfNearest(tap)
        let frame = window.metadata(index)
        let distance = (frame.time - tap).magnitude
        // Times and intervals are rounded to the nanosecond each.
        guard
            distance <= capture.interval + frame.uncertainty + .nanoseconds(2)
                || window.isUnbroken(at: tap, nearest: index)
        else {
            throw .noFrame(at: (tap - (origin ?? tap)).seconds, distance: distance.seconds)
        }
        let rejected = nearest.flatMap { $0.isUsable || $0.id == frame.id ? nil : $0 }
        return Shot(number: number, tap: tap, window: window, index: index, rejected: rejected)
    }

    private var noFrameAtAll: CameraError {
        .badFile(capture.loop.description.name, detail: "it gave no frame", hint: "'livecap info FILE' may tell why")
    }
}

extension FrameWindow {
    /// The frame nearest `time`; of two equally near the earlier.
    fileprivate func indexOfNearest(_ time: Timestamp) -> Int {
        var nearest = 0
        for index in 1..<max(1, count)
        where (metadata(index).time - time).magnitude < (metadata(nearest).time - time).magnitude { nearest = index }
        return nearest
    }

    /// Whether `time` lies between two frames with none lost in between, however far they are apart: in the dark,
    /// cameras expose for longer than a frame is to last.
    fileprivate func isUnbroken(at time: Timestamp, nearest index: Int) -> Bool {
        let later = metadata(index).time < time ? index + 1 : index
        return later > 0 && later < count && !metadata(later).flags.contains(.gapBefore)
            && !metadata(later).flags.contains(.firstOfEpoch)
    }
}
