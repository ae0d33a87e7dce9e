// SPDX-License-Identifier: MIT
// Forecasts when there will be room for the next tap, by simulating the shots in progress until they free enough.

import LivecapDeveloping
import LivecapFrames

/// The shortest pause of the simulation: never so short that it vanishes in floating point.
private let shortest = Duration.microseconds(1)

extension Desk {
    /// How long until a tap like the last one finds room, after those already waiting; nil if unknown.
    func waitForRoom(_ state: borrowing State, _ now: Timestamp) -> Duration? {
        var room = RoomAhead(frames: plan.frames, shots: state.switches.isResponsive ? plan.shots : 1)
        guard var ahead = workAhead(state, now, &room) else { return nil }
        var waiting = state.shots.waiting.prefix(state.shots.dueCount)
        while true {
            var pause: Duration?
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
                guard let left = left(of: shot, state, now) else { return nil }
                ahead.add(left)
                ahead.read(frames.count, each: state.estimates.times.reading ?? .zero)
                room.take(left.number, frames)
                waiting = waiting.dropFirst()
            }
            if waiting.isEmpty, room.takes(newestFrames(state.estimates.lastFrames, in: ahead.time)) {
                guard let wait = waitToPin(state.estimates.lastFrames, ahead) else { return ahead.time }
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
        for shot in state.shots.inWork.values.sorted(by: { $0.work.taken < $1.work.taken }) {
            guard let left = left(of: shot, state, now) else { return nil }
            if shot.work.developed != nil {
                ahead.store(left.number, left: left.storing ?? .zero)
            } else {
                ahead.add(left, isTaken: true)
            }
            room.take(left.number, shot.captured.frames.map(\.metadata.id.counter))
        }
        for shot in state.shots.ready + state.shots.reading {
            guard let left = left(of: shot, state, now) else { return nil }
            ahead.add(left)
            room.take(left.number, shot.captured.frames.map(\.metadata.id.counter))
        }
        ahead.read(state.frames.unread.count, each: state.estimates.times.reading ?? .zero)
        return ahead
    }

    /// How long until `count` frames can be leased in addition to those still to be read; nil if they can be now.
    private func waitToPin(_ count: Int, _ ahead: WorkAhead) -> Duration? {
        ahead.timeUntilUnread(atMost: max(ring.historyLimit / 2 - count, 0)).map { max($0, shortest) }
    }

    /// Whether these frames, which no shot holds, will have left the history by then.
    private func hasLeft(_ frames: Range<UInt64>, in time: Duration) -> Bool {
        newestFrames(ring.historyLimit, in: time).lowerBound >= frames.upperBound
    }

    /// The frames a waiting shot is to have, estimated from the pace of the stream.
    func frames(of shot: Shot) -> Range<UInt64>? {
        guard let moment = shot.waiting.moment, let newest = ring.newestTime else { return nil }
        let demand = shot.settings.demand(given: shot.resolved?.quality ?? shot.settings.quality, hasPast: shot.hasPast)
        let away = ((moment - newest).seconds / interval.seconds).rounded()
        let end = Double(ring.nextCounter) + away + Double(demand.after)
        guard end >= 0, end < 0x1p62 else { return nil }
        let last = UInt64(end)
        return last - min(last, UInt64(demand.count))..<last
    }

    /// The frames a tap would have if made after `time`.
    private func newestFrames(_ count: Int, in time: Duration) -> Range<UInt64> {
        // At the fast pace the source waits for the shots.
        let more = isFast ? 0 : UInt64(max(time.nanoseconds / max(interval.nanoseconds, 1), 0))
        let end = ring.nextCounter + more
        return end - min(end, UInt64(count))..<end
    }

    /// How long until the frame before number `end` is there.
    func wait(for end: UInt64, _ now: Timestamp) -> Duration {
        let next = ring.nextCounter
        guard end > next, let newest = ring.newestTime, !isFast else { return .zero }
        // A clock of the source's own stands still between frames.
        let since = description.clock == .monotonic ? now - newest : .zero
        return max(interval * UInt32(clamping: end - next) - since, .zero)
    }
}

extension Desk {
    /// Adds the progress fusions have made since the last call. Called before every change of what workers do.
    func noteProgress(_ state: inout State) {
        let now = Timestamp.now, pace = pace(state)
        let since = max(now - state.estimates.progressNoted, .zero).seconds
        for shot in state.shots.inWork.values where shot.work.isFusing { shot.work.effort += since * pace }
        state.estimates.progressNoted = now
    }

    /// The current pace of each fusion.
    private func pace(_ state: borrowing State) -> Double {
        let works = state.shots.inWork.values.map(\.work)
        return WorkAhead.pace(
            workers: workers, busy: works.count { $0.developed == nil }, fusing: works.count(where: \.isFusing),
            reading: min(workers, state.frames.unread.count + state.frames.inReading))
    }

    /// The remaining work of a shot; nil if no similar shot has been timed.
    func left(of shot: Shot, _ state: borrowing State, _ now: Timestamp) -> WorkAhead.Shot? {
        let times = state.estimates.times
        guard let fuse = shot.form == .prepared ? times.fusing[shot.quality] : .zero,
            let encode = times.encoding[shot.encoding]
        else { return nil }
        var left = WorkAhead.Shot(
            Int(clamping: shot.id.number), fusing: fuse, encoding: encode,
            storing: shot.isStored ? times.storing ?? .zero : nil)
        guard case .inWork(_, let work) = shot.phase else { return left }
        let since = max(now - state.estimates.progressNoted, .zero).seconds
        left.fusing = work.isFusing ? fuse - .saturating(seconds: work.effort + since * pace(state)) : .zero
        if let fused = work.fused { left.encoding = encode - (now - fused) }
        if let developed = work.developed {
            (left.encoding, left.storing) = (.zero, left.storing.map { $0 - (now - developed) })
        }
        return left
    }
}

extension Shot {
    /// The quality of what is being made of it now, or will be.
    var quality: PhotoQuality { isDeferred ? .speed : resolved?.quality ?? settings.quality }
    /// The encoding its picture gets.
    var encoding: StageTimes.Encoding {
        StageTimes.Encoding(
            format: isDeferred ? .jpeg : settings.format, includesComparison: settings.includesComparison,
            includesExplanation: settings.includesExplanation, isFused: form == .prepared)
    }
}
