// SPDX-License-Identifier: MIT
// Which frames belong to a moment.

import FrameRing
import Frames

/// What a moment asks of the ring.
struct FrameWish {
    /// The moment, on the source's clock.
    let moment: Timestamp
    /// Frames in all.
    let frames: Int
    /// How many of them may be later than the reference.
    let after: Int
    /// Whether the past counts. Without zero shutter lag the reference is the first frame at or behind the moment.
    let hasPast: Bool
    /// Frames to hold in all, so that other pictures can be developed from them: those beyond `frames` are whatever the ring
    /// has, but for the later ones that are awaited.
    var keeping = 0
    /// Frames after the reference to wait for, so that they can be kept.
    var keepingAfter = 0
    /// Two frames are this far apart.
    let interval: TimeSpan
    /// Whether they never come sooner than that: a camera's rate is known, a file's is a mean.
    let isPaced: Bool
}

/// The frames of a moment, held.
struct FrameChoice {
    /// Those to be used, oldest first: all of one epoch.
    let frames: [HeldFrame]
    /// Which of them is nearest the moment.
    let nearest: Int
    /// Neighbours, the nearest first, for when none of the others can be decoded.
    let spares: [HeldFrame]
    /// Those that lie among them and are damaged, or would be the nearest.
    let damaged: [FrameMetadata]
    /// How many of the frames that were asked for it lacks, and why.
    let shortage: FrameShortage?
    /// Frames around them that are only to be kept, oldest first.
    var around: [HeldFrame] = []
}

/// What the ring has for a moment.
enum FrameFinding {
    case found(FrameChoice)
    /// More must come first.
    case notYet
    /// Nothing near, and nothing that could still come.
    case nothing(PhotoError)
}

extension FrameRing {
    /// The frames of a wish. While `mayWait` is set, frames that could still come are a reason to wait; otherwise those
    /// that are there must do.
    func find(_ wish: FrameWish, mayWait: Bool) -> FrameFinding {
        // As many earlier ones as there are frames, should no later ones come. A neighbour more on each side is the spare one,
        // and tells whether frames are missing in between.
        // Without the past, the reference may be the one behind the nearest.
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
        let later = window.count - 1 - index
        if mayWait && later < max(wish.after, wish.keepingAfter) && window.isNewestEpoch(index) { return .notYet }

        let chosen = window.chosen(wish, nearest: index)
        var damaged = damagedFrames(within: window, chosen)
        if let nearest = lease(nearest: wish.moment)?.metadata, !nearest.isUsable, wish.hasPast,
            !damaged.contains(where: { $0.id == nearest.id })
        {
            damaged.append(nearest)
        }
        // Without the past, no earlier one will do in the reference's stead.
        let spares = [chosen.lowerBound - 1, chosen.upperBound]
            .filter { window.isOfEpoch($0, of: index) && (wish.hasPast || $0 > index) }
            .sorted { window.distance($0, wish.moment) < window.distance($1, wish.moment) }
        let shortage = shortage(of: wish, window, chosen, nearest: index)
        let frames = hold(window, Array(chosen)), others = hold(window, spares)
        let around = hold(window, window.around(chosen, wish, nearest: index))
        index -= chosen.lowerBound
        return .found(
            FrameChoice(
                frames: frames, nearest: index, spares: others, damaged: damaged.sorted { $0.id < $1.id },
                shortage: shortage, around: around))
    }

    /// Frames of a window by leases of their own, so that each can go when it has been read.
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
        // Older than all there is, and there was more once.
        if let oldest, wish.moment < oldest.time, statistics.published > nextCounter - oldest.id.counter {
            return .tooOld(by: oldest.time - wish.moment)
        }
        // Or the frames of its time have left, and only older ones that somebody holds are still there.
        let later = distance > .zero ? index : index + 1
        if later < window.count, let age = age(of: wish.moment, behind: window.metadata(later)) {
            return .tooOld(by: age)
        }
        return .noFrame(at: wish.moment, distance: distance.magnitude)
    }

    /// How much older a moment is than what is left of the frames up to `later`; nil where none between them has left.
    private func age(of moment: Timestamp, behind later: FrameMetadata) -> TimeSpan? {
        var first = later
        while first.time > moment, !first.flags.contains(.firstOfEpoch) {
            let before = FrameID(epoch: first.id.epoch, counter: first.id.counter - 1)
            guard let frame = lease(id: before)?.metadata else { return first.time - moment }
            first = frame
        }
        return nil
    }

    /// Whether a frame of the window is the moment's: within a frame's time of it, or with next to nothing lost in between.
    private func isNear(_ window: borrowing FrameWindow, _ index: Int, _ wish: FrameWish) -> Bool {
        // Times and intervals are rounded to the nanosecond each.
        window.distance(index, wish.moment) <= wish.interval + window.metadata(index).uncertainty + .nanoseconds(2)
            || isUnbroken(window, at: wish.moment, nearest: index)
    }

    /// Whether the next frame towards the moment has left history, while somebody held this one, and may have been nearer:
    /// frames are half an interval or more apart, however their times tremble.
    private func isNearerOneGone(_ window: borrowing FrameWindow, _ index: Int, _ wish: FrameWish) -> Bool {
        let frame = window.metadata(index)
        let isEarlier = wish.moment < frame.time
        guard wish.hasPast, window.distance(index, wish.moment) > wish.interval / 4 else { return false }
        // The first of all has none before it, and between epochs is another matter.
        if isEarlier && (frame.id.counter == 0 || frame.flags.contains(.firstOfEpoch)) { return false }
        let other = isEarlier ? index - 1 : index + 1
        let hasOther = other >= 0 && other < window.count
        guard hasOther ? window.isOfEpoch(other, of: index) : isEarlier else { return false }
        let counter = isEarlier ? frame.id.counter - 1 : frame.id.counter + 1
        return lease(id: FrameID(epoch: frame.id.epoch, counter: counter)) == nil
    }

    /// Whether `time` lies between two frames with none lost in between, however far they are apart: in the dark, cameras
    /// expose for longer than a frame is to last. One that is damaged is no loss worth a photo.
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

    /// The oldest frame there is.
    var oldest: FrameMetadata? {
        var frames = FrameSubscription(to: self, fromOldest: true)
        guard case .frame(let lease) = frames.next(until: .now) else { return nil }
        return lease.metadata
    }

    /// What is known of the damaged frames between those of a window.
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
    /// The frame nearest the moment, of two equally near the earlier; or the first one at or behind it.
    fileprivate func reference(of wish: FrameWish) -> Int? {
        if !wish.hasPast { return (0..<count).first { metadata($0).time >= wish.moment } }
        return (0..<count).min { distance($0, wish.moment) < distance($1, wish.moment) }
    }

    fileprivate func distance(_ index: Int, _ time: Timestamp) -> TimeSpan { (metadata(index).time - time).magnitude }

    /// Whether no frame that is still to come can be nearer: one at or behind the moment is there, or the next one, which
    /// does not come sooner than an interval after the last, will be farther.
    fileprivate func isNearestKnown(_ index: Int, of wish: FrameWish) -> Bool {
        let newest = metadata(count - 1)
        if newest.time >= wish.moment { return true }
        guard wish.isPaced else { return false }
        // Cameras' times tremble: an eighth of an interval is left for that.
        let soonest = newest.time + wish.interval * 7 / 8 - newest.uncertainty
        return soonest - wish.moment > wish.moment - newest.time
    }

    /// The frames to use: as many later ones as wanted and there, the rest earlier ones; none of another epoch.
    fileprivate func chosen(_ wish: FrameWish, nearest index: Int) -> Range<Int> {
        var (first, end) = (index, index + 1)
        while end - index <= wish.after, isOfEpoch(end, of: index) { end += 1 }
        while wish.hasPast, end - first < wish.frames, isOfEpoch(first - 1, of: index) { first -= 1 }
        return first..<end
    }

    /// Frames around those to use that are to be kept as well: later ones up to half of what is kept, and earlier ones.
    fileprivate func around(_ chosen: Range<Int>, _ wish: FrameWish, nearest index: Int) -> [Int] {
        var (first, end) = (chosen.lowerBound, chosen.upperBound)
        while end - index <= wish.keeping / 2, isOfEpoch(end, of: index) { end += 1 }
        while wish.hasPast, chosen.upperBound - first < wish.keeping, isOfEpoch(first - 1, of: index) { first -= 1 }
        return Array(first..<chosen.lowerBound) + Array(chosen.upperBound..<end)
    }

    fileprivate func isOfEpoch(_ other: Int, of index: Int) -> Bool {
        other >= 0 && other < count && metadata(other).id.epoch == metadata(index).id.epoch
    }

    /// Whether later frames of this one's epoch may still come.
    fileprivate func isNewestEpoch(_ index: Int) -> Bool { isOfEpoch(count - 1, of: index) }
}
