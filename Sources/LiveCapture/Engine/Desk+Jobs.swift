// SPDX-License-Identifier: MIT
// Hands out jobs to workers, and takes their results.

import Fusion
import LivecapDeveloping
import LivecapFrames
import Synchronization

/// A job for a worker.
enum Job {
    /// Read a frame, and release its lease.
    case read(ShelvedFrame, HeldFrame, FrameShape?, memory: FusionFrame?)
    /// Return this memory to the system.
    case discard([FusionFrame])
    /// Make a photo of frames that were read.
    case develop(Shot, Shot.Captured, taken: Timestamp)
}

/// The result of reading a frame.
struct Reading {
    var content: ShelvedFrame.Content
    /// Memory that was handed out but not needed.
    var unused: FusionFrame?
    var times: [(name: String, time: Duration)] = []
    /// How long it took; nil unless the frame was prepared.
    var took: Duration?
}

extension Desk {
    /// The next job. Frames come first: the camera lacks their slots until they are read. Nil if there is no job, or,
    /// with `framesOnly`, no frame.
    func takeJob(framesOnly: Bool = false) -> Job? {
        guard framesOnly ? hasUrgentJobs : hasJobs else { return nil }
        return state.withLock { state -> Job? in
            defer { countJobs(state) }
            noteProgress(&state)
            while !state.frames.unread.isEmpty {
                let frame = state.frames.unread.removeFirst()
                guard case .held(let held) = frame.content else { continue }
                state.frames.inReading += 1
                let memory = frame.form == .prepared ? state.frames.shelf.memory() : nil
                return .read(frame, held, state.frames.shape, memory: memory)
            }
            guard !framesOnly else { return nil }
            guard !state.shots.ready.isEmpty else {
                return state.frames.shelf.hasSurplus ? .discard(state.frames.shelf.takeSurplus()) : nil
            }
            let shot = state.shots.ready.removeFirst(), now = Timestamp.now
            shot.take(at: now)
            // Bytes that become the picture unchanged are not fused.
            if shot.form == .bytes { shot.work.fused = now }
            state.shots.inWork[shot.id] = shot
            return .develop(shot, shot.captured, taken: now)
        }
    }

    /// Records that a frame has been read.
    func finishReading(_ frame: ShelvedFrame, _ reading: Reading) {
        update { state in
            noteProgress(&state)
            state.frames.inReading -= 1
            if let took = reading.took { state.estimates.times.learn(readingTook: took) }
            if let unused = reading.unused { state.frames.shelf.giveBack(unused) }
            state.frames.shelf.arrived(frame, reading.content)
            for (place, shot) in frame.waiting.enumerated() {
                // Work that shots share is reported with the shot that caused it.
                if place == 0 { shot.captured.readingTimes += reading.times }
                shot.captured.missing -= 1
                shot.dropNeedlessSpares()
                if shot.captured.missing == 0 { state.shots.finishReading(shot) }
            }
            frame.waiting = []
        }
    }

    /// Records that the frames of a shot in work are no longer needed.
    func finishFusing(_ shot: Shot) {
        update { state in
            noteProgress(&state)
            shot.work.fused = .now
            state.estimates.times.learn(fusing: shot.quality, took: .saturating(seconds: shot.work.effort))
            release(shot, &state)
            serveWaiting(&state)
        }
    }

    /// Releases the frames of a shot in work, if it has not done so with their fusion.
    func releaseFrames(of shot: Shot) { update { release(shot, &$0) } }

    /// Records that the photo of a shot in work is encoded and its worker is free.
    func finishDeveloping(_ shot: Shot) {
        update { state in
            noteProgress(&state)
            let now = Timestamp.now
            shot.work.developed = now
            state.estimates.times.learn(shot.quality, took: now - shot.work.taken)
            if let fused = shot.work.fused { state.estimates.times.learn(shot.encoding, took: now - fused) }
        }
    }

    /// Records that a shot in work has ended with `outcome`, and how long storing its file took.
    func finish(_ shot: Shot, _ outcome: PhotoEvent, stored: Duration? = nil) {
        let ending = outcome.timed(shot)
        update { state in
            noteProgress(&state)
            release(shot, &state)
            shot.archive?.numbering.forget(shot.id)
            state.shots.inWork[shot.id] = nil
            if let stored { state.estimates.times.learn(storingTook: stored) }
            serveWaiting(&state)
            shot.end(ending)
            traceEnd(shot, ending)
        }
    }
}

extension FrameShelf {
    /// Takes the content read for a frame; content that no shot needs any more is released.
    mutating func arrived(_ frame: ShelvedFrame, _ content: ShelvedFrame.Content) {
        guard frame.users > 0 else {
            if case .read(.prepared(let memory)) = content { giveBack(memory) }
            if case .kept(let kept) = content { kept.release() }
            return
        }
        frame.content = content
    }
}

extension PhotoEvent {
    /// The event with the times of the whole shot, which ends now.
    fileprivate func timed(_ shot: Shot) -> PhotoEvent {
        func timed(_ photo: Photo) -> Photo {
            var photo = photo
            (photo.requested, photo.finished) = (shot.requested, .now)
            photo.took(photo.finished - photo.requested, in: "total")
            return photo
        }
        switch self {
        case .photo(let photo): return .photo(timed(photo))
        case .proxy(var proxy):
            proxy.photo = timed(proxy.photo)
            return .proxy(proxy)
        default: return self
        }
    }
}
