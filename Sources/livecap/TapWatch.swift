// SPDX-License-Identifier: MIT
// Waiting for moments, and leasing the frames around each.

import Camera
import FrameRing
import Frames

/// A moment with its frames.
struct Shot: ~Copyable {
    /// Counts the moments in the order they were asked for, from 1.
    let number: Int
    /// The moment, on the source's clock.
    let tap: Timestamp
    /// The usable frame nearest it, held with its neighbours.
    let window: FrameWindow
    /// Which of them it is.
    let index: Int
    /// Those to be used, among them the nearest: all of its epoch.
    let chosen: Range<Int>
    /// Those that lie among them and are damaged, or would be the nearest.
    let damaged: [FrameMetadata]
}

/// How many frames a shot is to have.
struct ShotExtent {
    /// In all.
    let frames: Int
    /// How many of them may be later than the one nearest the moment.
    let after: Int
}

/// Gives the shots in the order of their moments, each as soon as its frames are known.
///
/// A moment's nearest frame is known once a frame at or behind the moment has come; frames later than that are waited
/// for, but not for ever. Moments count from the first
/// frame's time on a source with a clock of its own; on a camera from the present, which is when there is as much
/// history as the earliest moment and the frames before it need.
struct TapWatch: ~Copyable {
    private let capture: Capture
    private let extent: ShotExtent
    private var frames: FrameSubscription
    private var waiting: ArraySlice<(number: Int, at: TimeSpan)>
    private var start: Timestamp?
    private var origin: Timestamp?
    /// How much of it the earliest moment and the frames before it need.
    private let history: TimeSpan
    /// The time of the newest frame seen.
    private var reached: Timestamp?

    init(_ moments: [TimeSpan], _ extent: ShotExtent, _ capture: Capture) throws(Failure) {
        (self.capture, self.extent) = (capture, extent)
        frames = capture.follow()
        waiting = moments.enumerated().map { ($0.offset + 1, $0.element) }.sorted { $0.at < $1.at }[...]
        let (earliest, granted) = (waiting.first?.at ?? .zero, capture.loop.granted.duration)
        let before = capture.interval * Int64(extent.frames - 1 - extent.after)
        history = max(.zero - earliest, min(before - earliest, granted))
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
        } else if time - start >= history {
            origin = .now
        }
    }

    private mutating func shoot(_ number: Int, _ tap: Timestamp) throws(Failure) -> Shot {
        let nearest = capture.loop.ring.lease(nearest: tap)?.metadata
        guard let window = try windowWithLaterFrames(around: tap) else { throw .camera(noFrameAtAll) }
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
        let chosen = window.chosen(extent, nearest: index)
        var damaged = capture.loop.ring.damagedFrames(within: window, chosen)
        if let nearest, !nearest.isUsable, !damaged.contains(where: { $0.id == nearest.id }) { damaged.append(nearest) }
        return Shot(
            number: number, tap: tap, window: window, index: index, chosen: chosen,
            damaged: damaged.sorted { $0.id < $1.id })
    }

    /// The frames around `tap`; when later ones are wanted that have not come, waits for them, until none will come or
    /// they are overdue.
    private mutating func windowWithLaterFrames(around tap: Timestamp) throws(Failure) -> FrameWindow? {
        // Cameras may take a few times as long in the dark. Sources at the fast pace come when they come.
        let patience = capture.interval * Int64(4 * (extent.after + 1)) + .milliseconds(500)
        let deadline = capture.gate == nil ? Timestamp.now + patience : .distantFuture
        while true {
            // A neighbour each side tells whether frames are missing in between.
            guard
                let window = capture.loop.ring.window(
                    around: tap, before: max(extent.frames - 1, 1), after: max(extent.after, 1))
            else { return nil }
            let later = window.count - 1 - window.indexOfNearest(tap)
            guard later < extent.after, Timestamp.now < deadline else { return window }
            switch frames.next(until: min(deadline, .now + .milliseconds(200))) {
            case .frame(let lease): reached = lease.metadata.time
            case .timedOut: break
            case .ended: return window
            }
            if let signal = capture.interruption.signal { throw .interrupted(signal: signal) }
        }
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

    /// The frames to use: as many later ones as wanted and there, the rest earlier ones; none of another epoch.
    fileprivate func chosen(_ extent: ShotExtent, nearest index: Int) -> Range<Int> {
        var (first, end) = (index, index + 1)
        func isOfEpoch(_ other: Int) -> Bool { metadata(other).id.epoch == metadata(index).id.epoch }
        while end < count, end - index <= extent.after, isOfEpoch(end) { end += 1 }
        while first > 0, end - first < extent.frames, isOfEpoch(first - 1) { first -= 1 }
        return first..<end
    }

    /// Whether `time` lies between two frames with none lost in between, however far they are apart: in the dark,
    /// cameras expose for longer than a frame is to last.
    fileprivate func isUnbroken(at time: Timestamp, nearest index: Int) -> Bool {
        let later = metadata(index).time < time ? index + 1 : index
        return later > 0 && later < count && !metadata(later).flags.contains(.gapBefore)
            && !metadata(later).flags.contains(.firstOfEpoch)
    }
}

extension FrameRing {
    /// What is known of the damaged frames between those of a window.
    fileprivate func damagedFrames(within window: borrowing FrameWindow, _ chosen: Range<Int>) -> [FrameMetadata] {
        var damaged: [FrameMetadata] = []
        for index in chosen.dropFirst() {
            let (before, id) = (window.metadata(index - 1).id, window.metadata(index).id)
            for counter in (before.counter + 1)..<id.counter {
                guard let frame = lease(id: FrameID(epoch: id.epoch, counter: counter))?.metadata else { continue }
                if !frame.isUsable { damaged.append(frame) }
            }
        }
        return damaged
    }
}
