// SPDX-License-Identifier: MIT
// Forecasts when there will be room for the next tap, by simulating the shots in progress until they free enough.

import Developing
import Frames

/// The shortest pause of the simulation: never so short that it vanishes in floating point.
private let shortest = TimeSpan.microseconds(1)

extension Desk {
    /// How long until a tap like the last one finds room, after those already waiting; nil if unknown.
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

    /// The workers' pending work and the room taken by it; nil if some of that work has never been timed.
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

    /// How long until `count` frames can be leased in addition to those still to be read; nil if they can be now.
    private func waitToPin(_ count: Int, _ ahead: WorkAhead) -> TimeSpan? {
        ahead.timeUntilUnread(atMost: max(ring.historyLimit / 2 - count, 0)).map { max($0, shortest) }
    }

    /// Whether these frames, which no shot holds, will have left the history by then.
    private func hasLeft(_ frames: Range<UInt64>, in time: TimeSpan) -> Bool {
        newestFrames(ring.historyLimit, in: time).lowerBound >= frames.upperBound
    }

    /// The frames a waiting shot is to have, estimated from the pace of the stream.
    func frames(of shot: Shot) -> Range<UInt64>? {
        guard let moment = shot.moment, let newest = ring.newestTime else { return nil }
        let demand = shot.settings.demand(given: shot.resolved?.quality ?? shot.settings.quality, hasPast: shot.hasPast)
        let away = ((moment - newest).seconds / interval.seconds).rounded()
        let end = Double(ring.nextCounter) + away + Double(demand.after)
        guard end >= 0, end < 0x1p62 else { return nil }
        let last = UInt64(end)
        return last - min(last, UInt64(demand.count))..<last
    }

    /// The frames a tap would have if made after `time`.
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
    /// Adds the progress fusions have made since the last call. Called before every change of what workers do.
    mutating func noteProgress(_ now: Timestamp = .now) {
        let pace = pace, since = max(now - progressNoted, .zero).seconds
        for shot in inWork.values where shot.isFusing { shot.effort += since * pace }
        progressNoted = now
    }

    /// The current pace of each fusion.
    private var pace: Double {
        WorkAhead.pace(
            workers: workers, busy: inWork.values.count { $0.developed == nil },
            fusing: inWork.values.count(where: \.isFusing), reading: min(workers, unread.count + framesInReading))
    }

    /// The remaining work of a shot; nil if no similar shot has been timed.
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
    /// For a shot taken by a worker: whether its frames are being fused.
    var isFusing: Bool { fused == nil && developed == nil }
    /// The quality of what is being made of it now, or will be.
    var quality: PhotoQuality { isDeferred ? .speed : resolved?.quality ?? settings.quality }
    /// The encoding its picture gets.
    var encoding: StageTimes.Encoding {
        StageTimes.Encoding(
            format: isDeferred ? .jpeg : settings.format, isCompared: settings.isCompared,
            isExplained: settings.isExplained,
            isFused: form == .prepared)
    }
}
