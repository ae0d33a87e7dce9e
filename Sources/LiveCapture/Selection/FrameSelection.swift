// SPDX-License-Identifier: MIT
// Selects the frames that belong to a moment.

import FrameRing
import LivecapDeveloping
import LivecapFrames

/// The frames a shot wants from the ring.
struct FrameWish {
    /// The moment, on the source's clock.
    let moment: Timestamp
    /// The total number of frames.
    let frames: Int
    /// How many of them may be later than the reference.
    let after: Int
    /// Whether earlier frames count. Without zero shutter lag the reference is the first frame at or after the moment.
    let hasPast: Bool
    /// The total number of frames to hold so that other pictures can be developed from them. Those beyond `frames` are
    /// whatever the ring has, except the later ones counted by `keepingAfter`.
    var keeping = 0
    /// The number of frames after the reference to wait for, so that they can be kept.
    var keepingAfter = 0
    /// The interval between frames.
    let interval: Duration
    /// Whether frames never come sooner than that: a camera's rate is known, a file's is a mean.
    let isPaced: Bool
}

/// The frames selected for a moment, held.
struct FrameChoice {
    /// The frames to use, oldest first, all of one epoch.
    let frames: [HeldFrame]
    /// The index of the frame nearest the moment.
    let nearest: Int
    /// Neighbours, nearest first, to be used if no other frame can be decoded.
    let spares: [HeldFrame]
    /// The damaged frames among them, and a damaged one that would be the nearest.
    let damaged: [FrameMetadata]
    /// How many frames are missing from the number asked for, and why.
    let shortage: FrameShortage?
    /// Frames around them that are only to be kept, oldest first.
    var around: [HeldFrame] = []
}

/// The result of looking for the frames of a moment.
enum FrameFinding {
    case found(FrameChoice)
    /// More frames must come first.
    case notYet
    /// There is no frame near the moment, and none can come any more.
    case nothing(PhotoError)
}

extension Ring {
    /// Finds the frames of a wish. With `mayWait`, frames that could still come are a reason to wait; otherwise the
    /// frames that are there are used.
    func find(_ wish: FrameWish, mayWait: Bool) -> FrameFinding {
        // The window has as many earlier frames as wanted in all, in case no later ones come. One neighbour more on
        // each side serves as the spare, and shows whether frames are missing in between. Without the past, the
        // reference may be the frame after the nearest.
        let window = window(
            around: wish.moment, before: wish.hasPast ? max(wish.frames, wish.keeping) : 1,
            after: wish.hasPast ? max(wish.after, 1, wish.keeping / 2) : wish.after + 2)
        guard let window else {
            return mayWait ? .notYet : .nothing(.noFrame(at: wish.moment, distance: nil))
        }
        guard var index = window.reference(of: wish) else {
            return mayWait ? .notYet : .nothing(.noFrame(at: wish.moment, distance: nil))
        }
        if mayWait && !window.isNearestKnown(index, of: wish) { return .notYet }
        guard isNear(window, index, wish), !isNearerOneGone(window, index, wish) else {
            return .nothing(tooFar(window, index, wish))
        }
        let neighbours = neighbours(of: index, in: window), later = neighbours.upperBound - 1 - index
        // Frames that follow a gap say that no others will come.
        let mayCome = neighbours.upperBound == window.count
        if mayWait && mayCome && later < max(wish.after, wish.keepingAfter) { return .notYet }

        let chosen = neighbours.chosen(wish, nearest: index)
        var damaged = damagedFrames(within: window, chosen)
        if let nearest = lease(nearest: wish.moment)?.metadata, !nearest.isUsable, wish.hasPast,
            !damaged.contains(where: { $0.id == nearest.id })
        {
            damaged.append(nearest)
        }
        // Without the past, no earlier frame may replace the reference.
        let spares = [chosen.lowerBound - 1, chosen.upperBound]
            .filter { neighbours.contains($0) && (wish.hasPast || $0 > index) }
            .sorted { window.distance($0, wish.moment) < window.distance($1, wish.moment) }
        let shortage = shortage(of: wish, window, chosen, nearest: index)
        let frames = hold(window, Array(chosen)), others = hold(window, spares)
        let around = hold(window, neighbours.around(chosen, wish, nearest: index))
        index -= chosen.lowerBound
        return .found(
            FrameChoice(
                frames: frames, nearest: index, spares: others, damaged: damaged.sorted { $0.id < $1.id },
                shortage: shortage, around: around))
    }

    /// Holds frames of a window by leases of their own, so that each can be released when it has been read.
    private func hold(_ window: borrowing FrameWindow, _ indices: [Int]) -> [HeldFrame] {
        var frames: [HeldFrame] = []
        for index in indices {
            // The window has it pinned, so it is there.
            guard let lease = lease(id: window.metadata(index).id) else { preconditionFailure("a pinned frame left") }
            frames.append(HeldFrame(lease))
        }
        return frames
    }

    private func tooFar(_ window: borrowing FrameWindow, _ index: Int, _ wish: FrameWish) -> PhotoError {
        let distance = window.metadata(index).time - wish.moment
        // The moment is older than all frames there are, and there were older ones once.
        if let oldest, wish.moment < oldest.time, oldest.id.counter > firstCounter {
            return .tooOld(by: oldest.time - wish.moment)
        }
        // Or the frames of its time have left, and only older ones, held by leases, remain.
        let later = distance > .zero ? index : index + 1
        if later < window.count, let age = age(of: wish.moment, behind: window.metadata(later)) {
            return .tooOld(by: age)
        }
        return .noFrame(at: wish.moment, distance: distance.magnitude)
    }

    /// How much older a moment is than the oldest of the consecutive frames up to `later`; nil if none between them has
    /// left.
    private func age(of moment: Timestamp, behind later: FrameMetadata) -> Duration? {
        var first = later
        while first.time > moment, !first.flags.contains(.firstOfEpoch) {
            let before = FrameID(epoch: first.id.epoch, counter: first.id.counter - 1)
            guard let frame = lease(id: before)?.metadata else { return first.time - moment }
            first = frame
        }
        return nil
    }

    /// Whether a frame of the window represents the moment: it is within one interval, or almost nothing was lost in
    /// between.
    private func isNear(_ window: borrowing FrameWindow, _ index: Int, _ wish: FrameWish) -> Bool {
        // Times and intervals are each rounded to the nanosecond.
        window.distance(index, wish.moment) <= wish.interval + window.metadata(index).uncertainty + .nanoseconds(2)
            || isUnbroken(window, at: wish.moment, nearest: index)
    }

    /// Whether a frame that may have been nearer has left the history, while this one remains because it is leased. The
    /// frame in question is the next one towards the moment: frames are at least half an interval apart, despite jitter
    /// in their times.
    private func isNearerOneGone(_ window: borrowing FrameWindow, _ index: Int, _ wish: FrameWish) -> Bool {
        let frame = window.metadata(index)
        let isEarlier = wish.moment < frame.time
        guard wish.hasPast, window.distance(index, wish.moment) > wish.interval / 4 else { return false }
        // The first frame of all has none before it, and neither has the first of an epoch.
        if isEarlier && (frame.id.counter == 0 || frame.flags.contains(.firstOfEpoch)) { return false }
        let other = isEarlier ? index - 1 : index + 1
        let hasOther = other >= 0 && other < window.count
        guard hasOther ? window.isOfEpoch(other, of: index) : isEarlier else { return false }
        let counter = isEarlier ? frame.id.counter - 1 : frame.id.counter + 1
        return lease(id: FrameID(epoch: frame.id.epoch, counter: counter)) == nil
    }

    /// Whether `time` lies between two frames with none lost in between, however far apart they are: in the dark,
    /// cameras expose for longer than a frame interval. One damaged frame in between does not count as a loss.
    private func isUnbroken(_ window: borrowing FrameWindow, at time: Timestamp, nearest index: Int) -> Bool {
        let later = window.metadata(index).time < time ? index + 1 : index
        guard later > 0 && later < window.count else { return false }
        let (before, behind) = (window.metadata(later - 1), window.metadata(later))
        guard before.id.epoch == behind.id.epoch, !behind.flags.contains(.gapBefore) else { return false }
        switch behind.id.counter - before.id.counter {
        case 1: return true
        case 2:
            let damaged = lease(id: FrameID(epoch: behind.id.epoch, counter: behind.id.counter - 1))?.metadata
            return damaged.map { !$0.flags.contains(.gapBefore) } ?? false
        default: return false
        }
    }

    /// The oldest frame in the ring.
    package var oldest: FrameMetadata? {
        var frames = FrameSubscription(to: self, fromOldest: true)
        guard case .frame(let lease) = frames.next(until: .now) else { return nil }
        return lease.metadata
    }

    /// The metadata of the damaged frames between those of a window.
    private func damagedFrames(within window: borrowing FrameWindow, _ chosen: Range<Int>) -> [FrameMetadata] {
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

extension FrameWindow {
    /// The frame nearest the moment, the earlier of two equally near; without the past, the first one at or after it.
    fileprivate func reference(of wish: FrameWish) -> Int? {
        if !wish.hasPast { return (0..<count).first { metadata($0).time >= wish.moment } }
        return (0..<count).min { distance($0, wish.moment) < distance($1, wish.moment) }
    }

    fileprivate func distance(_ index: Int, _ time: Timestamp) -> Duration { (metadata(index).time - time).magnitude }

    /// Whether no frame still to come can be nearer. This is so if there is a frame at or after the moment, or if the
    /// next one, which comes an interval after the last at the earliest, will be farther.
    fileprivate func isNearestKnown(_ index: Int, of wish: FrameWish) -> Bool {
        let newest = metadata(count - 1)
        if newest.time >= wish.moment { return true }
        guard wish.isPaced else { return false }
        // An eighth of an interval allows for jitter in the camera's times.
        let soonest = newest.time + wish.interval * 7 / 8 - newest.uncertainty
        return soonest - wish.moment > wish.moment - newest.time
    }

    fileprivate func isOfEpoch(_ other: Int, of index: Int) -> Bool {
        other >= 0 && other < count && metadata(other).id.epoch == metadata(index).id.epoch
    }
}

extension Range<Int> {
    /// Of a moment's neighbours, the frames to use: as many later ones as wanted and available, the rest earlier.
    fileprivate func chosen(_ wish: FrameWish, nearest index: Int) -> Range<Int> {
        let end = Swift.min(upperBound, index + 1 + wish.after)
        return (wish.hasPast ? Swift.min(index, Swift.max(lowerBound, end - wish.frames)) : index)..<end
    }

    /// Frames to keep around those to use: later ones up to half the number kept, and earlier ones.
    fileprivate func around(_ chosen: Range<Int>, _ wish: FrameWish, nearest index: Int) -> [Int] {
        let end = Swift.max(chosen.upperBound, Swift.min(upperBound, index + 1 + wish.keeping / 2))
        let first =
            wish.hasPast
            ? Swift.min(chosen.lowerBound, Swift.max(lowerBound, chosen.upperBound - wish.keeping)) : chosen.lowerBound
        return Array(first..<chosen.lowerBound) + Array(chosen.upperBound..<end)
    }
}
