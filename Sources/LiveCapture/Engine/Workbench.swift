// SPDX-License-Identifier: MIT
// A worker's tools, and how it reads frames.

import FrameRing
import Fusion
import LivecapDeveloping
import LivecapFrames
import LivecapPhotoStorage

/// A worker's tools. Only one thread may use them.
final class Workbench {
    let desk: Desk
    let store: StoreRoom
    let developer: Developer
    private let track: Trace.Track

    init(_ desk: Desk, _ store: StoreRoom, _ pool: WorkerPool, level: KernelLevel?, number: Int) throws(PhotoError) {
        developer = try Developer(desk.description, pool, level: level, links: desk.links)
        if desk.archive != nil { developer.thumbnails = try ThumbnailEncoder() }
        self.desk = desk
        self.store = store
        track = .worker(number + 1)
        pool.readFrames = { [unowned self] in
            while let job = desk.takeJob(framesOnly: true) { perform(job) }
        }
    }

    func perform(_ job: Job) {
        switch job {
        case .read(let frame, let held, let shape, let memory):
            desk.finishReading(frame, read(frame, held: held, shape: shape, memory: memory))
        // The job held the last reference to it.
        case .discard: break
        case .develop(let shot, let captured, let taken): develop(shot, captured, taken: taken)
        }
    }

    /// Traces a span of this worker's time.
    func trace(_ name: String, from begun: Timestamp, to end: Timestamp, _ shot: Shot?) {
        desk.trace?.span(name, on: track, from: begun, to: end, shot: shot?.id.number)
    }

    private func read(
        _ frame: ShelvedFrame, held: HeldFrame, shape: FrameShape?, memory: FusionFrame?
    ) -> Reading {
        if frame.form == .kept { return keep(held) }
        // The photo will fail for the same reason, unless there is memory again by then.
        guard memory != nil || developer.hasRoomForFrame else {
            return Reading(content: .read(.unusable(reason: "there is no memory to read it into")))
        }
        let begun = Timestamp.now
        var times: [(name: String, time: Duration)] = []
        let content = held.lease.withBytes {
            developer.content($0, form: frame.form, shape: shape, into: memory, times: &times)
        }
        var reading = Reading(content: .read(content), unused: memory, times: times)
        if case .prepared = content { (reading.unused, reading.took) = (nil, .now - begun) }
        trace("read frame", from: begun, to: .now, nil)
        return reading
    }

    /// Stores a frame in the library as the driver delivered it, straight from the ring's slot.
    private func keep(_ held: HeldFrame) -> Reading {
        guard let archive = desk.archive else { preconditionFailure("a frame is kept without a library") }
        let begun = Timestamp.now
        var reading: Reading
        do throws(LibraryError) {
            let kept = try held.lease.withBytes { bytes throws(LibraryError) in
                try archive.keep(held.metadata, bytes)
            }
            reading = Reading(content: .kept(kept))
        } catch {
            let bytes = error.isFullDisk ? held.lease.withBytes { $0.withUnsafeBytes { Array($0) } } : []
            reading = Reading(content: .notKept(error, bytes: bytes))
        }
        reading.times = [("keep", .now - begun)]
        trace("keep frame", from: begun, to: .now, nil)
        return reading
    }
}
