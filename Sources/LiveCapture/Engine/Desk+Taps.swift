// SPDX-License-Identifier: MIT
// Turns taps into shots whose frames are held.

import Camera
import FrameRing
import LivecapDeveloping
import LivecapFrames
import LivecapStills
import Synchronization

extension Desk {
    /// The maximum number of waiting taps, due or not.
    static let maxScheduled = 100_000
    /// How many frames to keep, if available, of a photo that is to be developed again.
    static let keptFrames = 8
    /// How many of them are later than the photo's moment. The shot waits for them.
    static let keptAfter = 2

    /// Accepts a tap. If its frames are there already, they are held when this returns.
    func submit(
        _ settings: PhotoSettings, at tap: Tap, within tapError: Duration = .zero, into files: PhotoFiles?,
        number: Int?, _ tracked: TrackedRequest?, editing edit: MetadataEdit? = nil
    ) -> PhotoCapture {
        let requested = Timestamp.now
        // Not under the lock: the first call may load a library.
        let lack = settings.format.lack
        let settings = upright(settings)
        let events = EventLog<PhotoEvent>()
        let id = update(taking: tracked) { state in
            let id = ShotID(number: numbers.next())
            let shot = Shot(
                id, settings: settings, tap: tap, within: max(tapError, .zero), files: files, archive: archive,
                number: number ?? Int(clamping: id.number), requested: requested, switches: state.switches,
                expected: description.format.form(for: settings.quality, settings), edit: edit,
                events: events)
            traceTap(shot)
            if let error = lack ?? admit(shot, &state) { end(shot, error, &state) }
            return id
        }
        return PhotoCapture(id, events.sequence) { [self] in cancel(id) }
    }

    /// The settings, with the orientation that makes the photo upright unless they have one of their own.
    private func upright(_ settings: PhotoSettings) -> PhotoSettings {
        guard settings.followsRotation, let rotation else { return settings }
        var settings = settings
        settings.metadata.orientation = PhotoOrientation(rotation.capture)
        return settings
    }

    /// Cancels a shot.
    func cancel(_ id: ShotID) {
        update { state in
            if let shot = state.shots.inWork[id] {
                // Pairs with the acquiring loads in the worker or store thread that has the shot.
                shot.isCancelled.store(true, ordering: .releasing)
                return
            }
            guard let shot = state.shots.remove(id) else { return }
            end(shot, .cancelled, &state)
            serveWaiting(&state)
        }
    }

    /// Cancels all shots.
    func cancelAll() {
        let all = state.withLock { $0.shots.all.map(\.id) }
        for id in all { cancel(id) }
    }

    /// Cancels the shots that are not due yet.
    func cancelScheduled() {
        update { state in
            // Asked once each: the clock and the ring go on, and a shot must not fall between two answers.
            var due: [Shot] = [], later: [Shot] = []
            for shot in state.shots.waiting {
                if isDue(shot, state) { due.append(shot) } else { later.append(shot) }
            }
            state.shots.waiting = due
            for shot in later { end(shot, .cancelled, &state) }
        }
    }

    /// Ends a shot that has been taken off its list.
    func end(_ shot: Shot, _ error: PhotoError, _ state: inout State) {
        release(shot, &state)
        shot.archive?.numbering.forget(shot.id)
        shot.end(.failed(error))
        traceEnd(shot, .failed(error))
    }

    /// Releases everything a shot holds.
    func release(_ shot: Shot, _ state: inout State) {
        for frame in shot.releaseFrames() {
            frame.waiting.removeAll { $0 === shot }
            state.frames.shelf.release(frame)
        }
        state.frames.unread.removeAll { $0.users == 0 }
    }
}

extension Desk {
    private func admit(_ shot: Shot, _ state: inout State) -> PhotoError? {
        if let problem = shot.settings.problem ?? description.format.problem(for: shot.settings.format) {
            return problem
        }
        guard formats.contains(shot.settings.format) else {
            return .badSettings(
                "this session has no memory reserved for \(shot.settings.format.rawValue) pictures",
                hint:
                    "choose \(formats.map(\.rawValue).sorted().joined(separator: " or ")), or add it to SessionOptions.formats"
            )
        }
        if shot.settings.keepsFrames, shot.archive == nil {
            return .badSettings(
                "keeping frames needs a library",
                hint: "give the session a library, and the photo no separate file; or keep no frames")
        }
        if shot.settings.deferral == .required, let problem = problemOfDeferral(shot) { return problem }
        if let rank = shot.settings.quality.rank, let most = state.switches.maxQuality.rank, rank > most {
            return .badSettings(
                "\(shot.settings.quality.rawValue) exceeds this output's maxQuality",
                hint: "choose \(state.switches.maxQuality.rawValue), or raise maxQuality")
        }
        switch state.stream.phase {
        case _ where state.stream.isStopping: return .notRunning
        // The source is being changed.
        case _ where state.stream.isRetired && shot.tap == .now: return .notRunning
        case .idle where description.clock == .monotonic && shot.tap == .now: return .notRunning
        // Frames that were there when the stream ended are still available.
        case .ended(let failure?) where ring.newestTime == nil: return .streamEnded(failure)
        case .ended(nil) where ring.newestTime == nil: return .streamEnded(nil)
        default: break
        }
        guard state.shots.waiting.count < Self.maxScheduled else { return .overloaded }
        do throws(PhotoError) { shot.waiting.moment = try moment(of: shot, state) } catch { return error }
        let place = state.shots.waiting.lastIndex { !shot.precedes($0) }.map { $0 + 1 } ?? 0
        state.shots.waiting.insert(shot, at: place)
        serveWaiting(&state)
        return nil
    }

    /// The moment of a tap; nil if only the first frame will determine it.
    func moment(of shot: Shot, _ state: borrowing State) throws(PhotoError) -> Timestamp? {
        let isOwn = description.clock == .own
        switch shot.tap {
        case .now: return isOwn ? ring.newestTime ?? state.stream.firstTime : shot.requested
        case .at(let time): return time
        case .offset(let span): return isOwn ? state.stream.firstTime.map { $0 + span } : shot.requested + span
        case .frame(let id): return try ring.time(of: id, apart: interval)
        }
    }

    /// Serves every waiting shot that can be served, in the order of their moments.
    func serveWaiting(_ state: inout State) {
        (state.shots.dueCount, state.shots.shortOfRoom) = (0, 0)
        // Shots after the first that is not due are not due either. There may be very many, so they are not touched.
        let due = Array(state.shots.waiting.prefix { isDue($0, state) })
        guard !due.isEmpty else { return }
        var (rest, shortOfRoom): ([Shot], Int) = ([], 0)
        for shot in due {
            // First come, first served: a shot after one that lacks room does not look for frames.
            switch shortOfRoom > 0 ? .lacksRoom : serve(shot, isNext: rest.isEmpty, &state) {
            case .captured: break
            case .waits: rest.append(shot)
            case .lacksRoom:
                shortOfRoom += 1
                rest.append(shot)
            case .fails(let error): end(shot, error, &state)
            }
            if shortOfRoom > SessionOptions.maxWaiting, rest.last === shot {
                rest.removeLast()
                end(shot, .overloaded, &state)
            }
        }
        if rest.count < due.count { state.shots.waiting.replaceSubrange(..<due.count, with: rest) }
        (state.shots.dueCount, state.shots.shortOfRoom) = (rest.count, min(shortOfRoom, rest.count))
    }

    /// Whether the moment is past or at most about one frame away.
    private func isDue(_ shot: Shot, _ state: borrowing State) -> Bool {
        if state.stream.hasEnded { return true }
        guard let moment = shot.waiting.moment else { return false }
        if description.clock == .monotonic && moment <= Timestamp.now { return true }
        guard let newest = ring.newestTime else { return false }
        return moment <= newest + interval
    }

    /// What became of an attempt to serve a waiting shot.
    private enum Service {
        /// Its frames are held.
        case captured
        /// More frames must come first.
        case waits
        case lacksRoom
        case fails(PhotoError)
    }

    /// Holds a shot's frames if they are there and there is room.
    private func serve(_ shot: Shot, isNext: Bool, _ state: inout State) -> Service {
        let withoutRoom = overload == .refuse ? Service.fails(.overloaded) : .lacksRoom
        guard let moment = shot.waiting.moment else { return .fails(.streamEnded(state.stream.failure)) }
        guard shot.isResponsive || (isNext && state.shots.processing == 0) else {
            // A shot after one that waits for frames must not hold up the source that delivers them.
            return isNext || overload == .refuse ? withoutRoom : .waits
        }
        let resolved = shot.resolved ?? resolve(shot, moment, &state)
        // Earlier frames of a camera that was off show another moment.
        guard state.stream.absence == nil || !state.power.delays(moment, requested: shot.requested) else {
            return .fails(state.stream.absence ?? .cameraAway)
        }
        guard let aim = aim(of: shot, at: moment, state) else { return waits(shot) }
        let now = Timestamp.now
        // Sources at the fast pace deliver at any time, so no deadline applies to them.
        let keptAfter = shot.keepsAround && shot.hasPast ? Self.keptAfter : 0
        let deadline =
            shot.waiting.deadline ?? now + patience.time(for: max(resolved.laterFrames, keptAfter) + 1, apart: interval)
        shot.waiting.deadline = deadline
        let mayWait = isFast || now < deadline || ring.newestTime == nil && now < shot.requested + patience.firstFrame
        let wish = FrameWish(
            moment: aim, frames: resolved.frames, after: resolved.laterFrames, hasPast: shot.hasPast,
            keeping: shot.keepsAround ? Self.keptFrames : 0, keepingAfter: keptAfter, interval: interval,
            isPaced: description.clock == .monotonic && description.rate != nil)
        switch ring.find(wish, mayWait: !state.stream.hasEnded && state.stream.absence == nil && mayWait) {
        case .notYet: return waits(shot)
        case .nothing(.noFrame(_, nil)) where state.stream.hasEnded: return .fails(.streamEnded(state.stream.failure))
        case .nothing(.noFrame) where isCutShort(moment, state): return .fails(.streamEnded(state.stream.failure))
        case .nothing(.noFrame) where moment > ring.newestTime ?? .zero && state.stream.absence != nil:
            return .fails(state.stream.absence ?? .cameraAway)
        case .nothing(let error): return .fails(error)
        case .found(let choice):
            // A proxy is made of the nearest frame alone.
            let frames = resolved.isDeferred ? [choice.frames[choice.nearest]] : choice.frames
            let form = description.format.form(for: resolved.quality, resolved.settings)
            guard state.shots.processing < maxShots(state), state.frames.shelf.hasRoom(for: frames, form),
                canPin((shot.keepsFrames ? choice.frames : frames).count + choice.around.count, state)
            else { return withoutRoom }
            hold(choice, frames: frames, form: form, for: shot, at: moment, resolved: resolved, state: &state)
            return .captured
        }
    }

    /// The shot waits for frames, and has begun.
    private func waits(_ shot: Shot) -> Service {
        shot.announce()
        return .waits
    }

    /// Whether a moment has no frame because the stream was stopped or failed. A file or a scene simply ends.
    private func isCutShort(_ moment: Timestamp, _ state: borrowing State) -> Bool {
        guard state.stream.hasEnded, let newest = ring.newestTime, moment > newest else { return false }
        return description.clock == .monotonic || state.stream.failure != nil || state.stream.isStopping
    }

    private func hold(
        _ choice: FrameChoice, frames: [HeldFrame], form: FrameForm, for shot: Shot, at moment: Timestamp,
        resolved: ResolvedPhotoSettings, state: inout State
    ) {
        if state.frames.shape == nil, form == .prepared { judge(choice, &state) }
        let newest = ring.nextCounter
        state.frames.shelf.dropIdle(before: newest - min(newest, UInt64(ring.historyLimit)))
        state.frames.shelf.touch(frames, form)
        state.frames.lastUse = ring.newestTime
        let shown = promise(frames, form, &state)
        let kept = shot.keepsFrames ? promise(choice.frames, .kept, &state) : []
        let around = promise(choice.around, .kept, &state)
        let held = Timestamp.now
        let due = description.clock == .monotonic ? max(shot.requested, moment) : shot.requested
        let report = CapturedFrames(
            nearest: choice.frames[choice.nearest].metadata, count: frames.count, held: held,
            newest: ring.leaseNewest()?.metadata.id ?? choice.frames[choice.frames.count - 1].metadata.id,
            wait: held - due)
        shot.capture(
            Shot.Captured(
                moment: moment, resolved: resolved, form: form, report: report, frames: shown, kept: kept,
                around: around, spares: choice.spares, damaged: choice.damaged,
                shortage: shot.waiting.aim == nil ? choice.shortage : choice.shortage?.ofCameraThatWasOff,
                isExposureSettled: state.stream.isExposureSettled, wasCameraOff: shot.waiting.aim != nil))
        for frame in shot.captured.shelved where !frame.isReady {
            frame.waiting.append(shot)
            shot.captured.missing += 1
        }
        shot.dropNeedlessSpares()
        trace?.stage("wait for frames", of: shot.id.number, from: shot.requested, to: held)
        if shot.captured.missing == 0 { state.shots.ready.append(shot) } else { state.shots.reading.append(shot) }
    }

    /// Puts frames on the shelf, to be read if they are new there.
    private func promise(_ frames: [HeldFrame], _ form: FrameForm, _ state: inout State) -> [ShelvedFrame] {
        frames.map { frame in
            let (shelved, isNew) = state.frames.shelf.promise(frame, form)
            if isNew { state.frames.unread.append(shelved) }
            return shelved
        }
    }

    /// Determines the shape of JPEG frames, from the frame nearest to the moment first.
    private func judge(_ choice: FrameChoice, _ state: inout State) {
        let nearest = choice.nearest
        let order = choice.frames.indices.sorted { abs($0 - nearest) < abs($1 - nearest) }.map { choice.frames[$0] }
        for frame in order + choice.spares where state.frames.shape == nil {
            state.frames.shape = state.frames.judge.flatMap { judge in
                frame.lease.withBytes { judge.shape(of: $0, in: description.format) }
            }
        }
    }

    /// Resolves a shot's settings once its moment is due.
    private func resolve(_ shot: Shot, _ moment: Timestamp, _ state: inout State) -> ResolvedPhotoSettings {
        let settings = shot.settings
        let isDeferred = defers(shot, state)
        // A deferred photo keeps no tap waiting, so it is not stepped down.
        let priority =
            isDeferred
            ? ShotPriority(given: settings.quality, isSteppedDown: false)
            : prioritize(settings.quality, at: moment, &state)
        let demand = settings.demand(given: priority.given, hasPast: shot.hasPast)
        let resolved = ResolvedPhotoSettings(
            shot: shot.id, tap: moment, settings: settings, quality: priority.given,
            isPrioritized: priority.isSteppedDown, isRelieved: priority.isRelieved, frames: demand.count,
            laterFrames: demand.after, isDeferred: isDeferred)
        state.estimates.lastFrames = demand.count
        shot.archive?.numbering.expect(shot.id, at: moment)
        shot.waiting.resolved = resolved
        return resolved
    }
}

extension Shot {
    /// Whether this waiting shot comes first: by its moment, with unknown moments last, and then by its number.
    func precedes(_ other: Shot) -> Bool {
        let (mine, its) = (waiting.moment ?? .distantFuture, other.waiting.moment ?? .distantFuture)
        return mine == its ? id < other.id : mine < its
    }
}

extension Ring {
    /// A frame's time. Throws why it is not available; for a frame that has left, its age is estimated from the frame
    /// interval.
    fileprivate func time(of id: FrameID, apart interval: Duration) throws(PhotoError) -> Timestamp {
        if let lease = lease(id: id) { return lease.metadata.time }
        // Read after looking for the frame, so that a frame that has just left lies between these. The one before it
        // may be there still, because somebody has leased it.
        var frames = FrameSubscription(to: self, fromOldest: true)
        var before: FrameID?, after: FrameID?
        while after == nil, case .frame(let lease) = frames.next(until: .now) {
            if lease.metadata.id.counter > id.counter { after = lease.metadata.id } else { before = lease.metadata.id }
        }
        guard let after, id.epoch <= after.epoch, id.epoch >= before?.epoch ?? 0 else { throw .noSuchFrame(id) }
        throw .tooOld(by: interval * UInt32(clamping: after.counter - id.counter))
    }
}
