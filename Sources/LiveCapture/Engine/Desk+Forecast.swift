// SPDX-License-Identifier: MIT
// When there will be room for the next tap: the shots on their way played forward until what they free suffices.

import Frames

/// Never so short that it is no time at all in floating point.
private let shortest = TimeSpan.microseconds(1)

extension Desk {
    /// How long until a tap like the last one finds room, behind those that wait for it; nil where that is not known.
    func waitForRoom(_ state: borrowing State, _ now: Timestamp) -> TimeSpan? {
        var room = RoomAhead(frames: plan.frames, shots: state.isResponsive ? plan.shots : 1)
        guard var ahead = workAhead(state, now, &room) else { return nil }
        var waiting = state.waiting.prefix(state.dueCount)
        while true {
            var pause: TimeSpan?
            // First come, first served.
            while let shot = waiting.first, let frames = frames(of: shot) {
                if hasLeft(frames, in: ahead.time) {
                    waiting = waiting.dropFirst()
                    continue
                }
                let due = wait(for: frames.upperBound, now)
                if due > ahead.time {
                    pause = max(due - ahead.time, shortest)
                    break
                }
                guard room.takes(frames) else { break }
                if let wait = waitToPin(frames.count, ahead) {
                    pause = wait
                    break
                }
                guard let left = state.left(of: shot, now) else { return nil }
                ahead.add(left)
                ahead.read(frames.count, each: state.times.reading ?? .zero)
                room.take(left.number, frames)
                waiting = waiting.dropFirst()
            }
            if waiting.isEmpty, room.takes(newestFrames(state.lastFrames, in: ahead.time)) {
                guard let wait = waitToPin(state.lastFrames, ahead) else { return ahead.time }
                pause = wait
            }
            switch ahead.next(within: pause) {
            case .fused(let shot): room.release(shot)
            case .done(let shot): room.end(shot)
            case nil: if pause == nil { return ahead.time }
            }
        }
    }

    /// What workers have before them, and what of the room is taken; nil where some of it was never done before.
    private func workAhead(_ state: borrowing State, _ now: Timestamp, _ room: inout RoomAhead) -> WorkAhead? {
        var ahead = WorkAhead(workers: workers)
        for shot in state.inWork.values.sorted(by: { $0.taken < $1.taken }) {
            guard let left = state.left(of: shot, now) else { return nil }
            if shot.developed != nil {
                ahead.store(left.number, left: left.storing ?? .zero)
            } else {
                ahead.add(left, isTaken: true)
            }
            room.take(left.number, shot.frames.map(\.metadata.id.counter))
        }
        for shot in state.ready + state.reading {
            guard let left = state.left(of: shot, now) else { return nil }
            ahead.add(left)
            room.take(left.number, shot.frames.map(\.metadata.id.counter))
        }
        ahead.read(state.unread.count, each: state.times.reading ?? .zero)
        return ahead
    }

    /// How long until so many frames can be leased beside those that are to be read; nil where they can be at once.
    private func waitToPin(_ count: Int, _ ahead: WorkAhead) -> TimeSpan? {
        ahead.timeUntilUnread(atMost: max(ring.historyLimit / 2 - count, 0)).map { max($0, shortest) }
    }

    /// Whether these frames, which nobody holds, will have left by then.
    private func hasLeft(_ frames: Range<UInt64>, in time: TimeSpan) -> Bool {
        newestFrames(ring.historyLimit, in: time).lowerBound >= frames.upperBound
    }

    /// The frames a waiting shot is to have, as far as can be told from the pace of the stream.
    func frames(of shot: Shot) -> Range<UInt64>? {
        guard let moment = shot.moment, let newest = ring.newestTime else { return nil }
        let settings = shot.settings, quality = shot.resolved?.quality ?? settings.quality
        let isAlone = quality.needsOneFrame && settings.reference == .tap
        let count = isAlone ? 1 : shot.resolved?.frames ?? settings.frames ?? quality.usualFrames
        let after = isAlone ? 0 : shot.resolved?.after ?? settings.after
        let away = ((moment - newest).seconds / interval.seconds).rounded()
        let end = Double(ring.nextCounter) + away + Double(after)
        guard end >= 0, end < 0x1p62 else { return nil }
        let last = UInt64(end)
        return last - min(last, UInt64(count))..<last
    }

    /// The frames a tap would have that is made in so long.
    private func newestFrames(_ count: Int, in time: TimeSpan) -> Range<UInt64> {
        // At the fast pace the source waits for the shots.
        let more = isFast ? 0 : UInt64(max(time.nanoseconds / max(interval.nanoseconds, 1), 0))
        let end = ring.nextCounter + more
        return end - min(end, UInt64(count))..<end
    }

    /// How long until the frame before number `end` is there.
    func wait(for end: UInt64, _ now: Timestamp) -> TimeSpan {
        let next = ring.nextCounter
        guard end > next, let newest = ring.newestTime, !isFast else { return .zero }
        // A clock of the source's own stands still between frames.
        let since = description.clock == .monotonic ? now - newest : .zero
        return max(interval * Int64(clamping: end - next) - since, .zero)
    }
}

extension Desk.State {
    /// Adds what fusions have got done since this was called last: before every change of who works at what.
    mutating func noteProgress(_ now: Timestamp = .now) {
        let pace = pace, since = max(now - progressNoted, .zero).seconds
        for shot in inWork.values where shot.isFusing { shot.effort += since * pace }
        progressNoted = now
    }

    /// The pace of each fusion at this moment.
    private var pace: Double {
        WorkAhead.pace(
            workers: workers, busy: inWork.values.count { $0.developed == nil },
            fusing: inWork.values.count(where: \.isFusing), reading: min(workers, unread.count + framesInReading))
    }

    /// What is left to do of a shot; nil where nothing like it was done before.
    func left(of shot: Shot, _ now: Timestamp) -> WorkAhead.Shot? {
        guard let fuse = shot.form == .prepared ? times.fusing[shot.quality] : .zero,
            let encode = times.encoding[shot.encoding]
        else { return nil }
        var left = WorkAhead.Shot(
            Int(clamping: shot.id.number), fusing: fuse, encoding: encode,
            storing: shot.isStored ? times.storing ?? .zero : nil)
        guard inWork[shot.id] != nil else { return left }
        let done = shot.effort + (shot.isFusing ? max(now - progressNoted, .zero).seconds * pace : 0)
        left.fusing = shot.isFusing ? fuse - .seconds(done) : .zero
        if let fused = shot.fused { left.encoding = encode - (now - fused) }
        if let developed = shot.developed {
            (left.encoding, left.storing) = (.zero, left.storing.map { $0 - (now - developed) })
        }
        return left
    }
}

extension Shot {
    /// Once a worker has it: whether its frames are being fused.
    var isFusing: Bool { fused == nil && developed == nil }
    /// What is made of it now, or is to be.
    var quality: PhotoQuality { isDeferred ? .speed : resolved?.quality ?? settings.quality }
    /// What it is encoded as.
    var encoding: StageTimes.Encoding {
        StageTimes.Encoding(
            format: isDeferred ? .jpeg : settings.format, isCompared: settings.isCompared,
            isExplained: settings.isExplained,
            isFused: form == .prepared)
    }
}
