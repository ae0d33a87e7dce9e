// SPDX-License-Identifier: MIT
// Hands out jobs to workers, and takes their results.

import Developing
import Frames
import FusionKernels
import Synchronization

/// A job for a worker.
enum Job {
    /// Read a frame, and release its lease.
    case read(ShelvedFrame, HeldFrame, FrameShape?, memory: FusionFrame?)
    /// Make a photo of frames that were read.
    case develop(Shot)
}

/// The result of reading a frame.
struct Reading {
    var content: ShelvedFrame.Content
    /// Memory that was handed out but not needed.
    var unused: FusionFrame?
    var times: [(name: String, time: TimeSpan)] = []
    /// How long it took; nil unless the frame was prepared.
    var took: TimeSpan?
}

extension Desk {
    /// The next job. Frames come first: the camera lacks their slots until they are read. Nil if there is no job, or,
    /// with `framesOnly`, no frame.
    func takeJob(framesOnly: Bool = false) -> Job? {
        guard framesOnly ? hasUrgentJobs : hasJobs else { return nil }
        return state.withLock { state -> Job? in
            defer {
                jobs.store(state.unread.count + state.ready.count, ordering: .releasing)
                urgentJobs.store(state.unread.count, ordering: .releasing)
            }
            state.noteProgress()
            while !state.unread.isEmpty {
                let frame = state.unread.removeFirst()
                guard case .held(let held) = frame.content else { continue }
                state.framesInReading += 1
                return .read(frame, held, state.shape, memory: frame.form == .prepared ? state.shelf.memory() : nil)
            }
            guard !framesOnly, !state.ready.isEmpty else { return nil }
            let shot = state.ready.removeFirst()
            shot.taken = .now
            if shot.form == .bytes { shot.fused = shot.taken }
            state.inWork[shot.id] = shot
            return .develop(shot)
        }
    }

    /// Records that a frame has been read.
    func finishReading(_ frame: ShelvedFrame, _ reading: Reading) {
        update { state in
            state.noteProgress()
            state.framesInReading -= 1
            if let took = reading.took { state.times.learn(readingTook: took) }
            if let unused = reading.unused { state.shelf.giveBack(unused) }
            state.shelf.arrived(frame, reading.content)
            for (place, shot) in frame.waiting.enumerated() {
                // Work that shots share is reported with the shot that caused it.
                if place == 0 { shot.readingTimes += reading.times }
                shot.missing -= 1
                shot.dropNeedlessSpares()
                guard shot.missing == 0 else { continue }
                state.reading.removeAll { $0 === shot }
                let index = state.ready.lastIndex { $0.held <= shot.held }.map { $0 + 1 } ?? 0
                state.ready.insert(shot, at: index)
            }
            frame.waiting = []
        }
    }

    /// Records that the frames of a shot in work are no longer needed.
    func finishFusing(_ shot: Shot) {
        update { state in
            state.noteProgress()
            shot.fused = .now
            state.times.learn(fusing: shot.quality, took: .seconds(shot.effort))
            letGo(shot, &state)
            serveWaiting(&state)
        }
    }

    /// Records that the photo of a shot in work is encoded and its worker is free.
    func finishDeveloping(_ shot: Shot) {
        update { state in
            state.noteProgress()
            let now = Timestamp.now
            shot.developed = now
            state.times.learn(shot.quality, took: now - shot.taken)
            if let fused = shot.fused { state.times.learn(shot.encoding, took: now - fused) }
        }
    }

    /// Records that a shot in work has ended with `outcome`, and how long storing its file took.
    func finish(_ shot: Shot, _ outcome: PhotoEvent, stored: TimeSpan? = nil) {
        let ending = outcome.timed(shot)
        update { state in
            state.noteProgress()
            letGo(shot, &state)
            shot.archive?.numbering.forget(shot.id)
            state.inWork[shot.id] = nil
            if let stored { state.times.learn(storingTook: stored) }
            serveWaiting(&state)
            shot.end(ending)
            traceEnd(shot, ending)
        }
    }

    /// Whether the stream has ended and nothing is left to do.
    var isDone: Bool { state.withLock { $0.hasEnded && $0.shotsInProgress == 0 } }
}

extension FrameShelf {
    /// Takes the content read for a frame; content that no shot needs any more is released.
    mutating func arrived(_ frame: ShelvedFrame, _ content: ShelvedFrame.Content) {
        guard frame.users > 0 else {
            if case .read(.prepared(let memory)) = content { giveBack(memory) }
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
