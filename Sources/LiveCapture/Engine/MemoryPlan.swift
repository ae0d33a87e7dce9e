// SPDX-License-Identifier: MIT
// Divides a session's memory among its uses.

import Camera
import FrameRing
import Fusion
import LivecapDeveloping
import LivecapFrames
import LivecapStills

/// How a session's memory is divided: the ring, the workers' working memory, prepared frames, and files to be written.
struct MemoryPlan: Hashable, Sendable {
    /// Bytes for the ring, at most.
    let ring: Int
    /// Working memory of one worker, once it has made each kind of photo.
    let worker: Int
    /// The number of workers there is room for, up to those asked for.
    let workers: Int
    /// The size of a prepared frame.
    let frame: Int
    /// The number of prepared frames there is room for.
    let frames: Int
    /// What remains of it in a run that is retired, which takes one photo at a time and has one worker.
    let retired: Int
    /// How many shots may be between having their frames and having their files written.
    let shots: Int

    /// The memory of a session that takes no photos: all of it is for the ring.
    init(ofRing bytes: Int) {
        ring = bytes
        retired = bytes
        worker = 0
        workers = 0
        frame = 0
        frames = 0
        shots = 0
    }

    /// The default memory of a session: 1 GiB, or, for the largest cameras, what two workers and the whole history need
    /// plus `more`; but at most half of the machine's memory.
    static func usual(
        _ description: SourceDescription, history: Duration, threads: Int, formats: Set<StillFormat>,
        withEffects: Bool = false, more: Int = 0, machine: Int
    ) -> Int {
        let need = whole(
            description, history: history, threads: threads, formats: formats, withEffects: withEffects)
        return min(max(1 << 30, need + more), machine / 2)
    }

    /// The least memory that gives the whole history, and two workers if there are threads for them.
    static func whole(
        _ description: SourceDescription, history: Duration, threads: Int, formats: Set<StillFormat>,
        withEffects: Bool = false
    ) -> Int {
        let worker = PhotoMemory.worker(
            formats, pixels: description.format.size.area, withEffects: withEffects)
        return min(2, threads) * worker + shot(description, withEffects: withEffects)
            + room(forPast: past(description, history))
    }

    /// The memory of one shot with the maximum number of frames, beside its worker, with the shortest history.
    private static func shot(_ description: SourceDescription, withEffects: Bool) -> Int {
        let format = description.format, pixels = format.size.area
        return Fuser.maxFrames * PhotoMemory.framePerPixel(format) * pixels
            + PhotoMemory.files(pixels: pixels, withEffects: withEffects) + fewest(description)
    }

    /// The size of the smallest ring.
    private static func fewest(_ description: SourceDescription) -> Int {
        RingCapacity.minBytes(format: description.format, reserve: description.reserve)
    }

    /// How many more bytes a ring for the whole history takes.
    private static func past(_ description: SourceDescription, _ history: Duration) -> Int {
        let whole = RingCapacity(duration: history, byteCap: .max).plan(
            format: description.format, rate: description.rate, reserve: description.reserve)
        return whole.map { max(0, $0.bytes - fewest(description)) } ?? 0
    }

    /// The memory for history and further shots that gives the history all of `past`: the history gets two thirds of
    /// it.
    private static func room(forPast past: Int) -> Int { past / 2 * 3 + 3 }

    /// Divides `memory` bytes for frames of `description` and pictures of `formats`, in this order: what one shot with
    /// the maximum number of frames needs at least, half of the history, a second worker, the rest of the history, as
    /// many of the `threads` as there is room for, and frames and files of further shots. `withEffects`: every worker
    /// may have to draw effects, and every photo may have a plain picture beside it.
    init(
        _ memory: Int, _ description: SourceDescription, history: Duration, threads: Int,
        formats: Set<StillFormat> = [.jpeg], withEffects: Bool = false
    ) throws(CameraError) {
        let format = description.format, pixels = format.size.area
        if DepthLayout(format.pixelFormat) != nil {
            throw .badSettings(
                "\(format.pixelFormat) frames are depth, and pictures need light",
                hint: "choose a format of colours or grey if the camera has one; recordings take \(format.pixelFormat)")
        }
        if let row = format.pixelFormat.row, !row.isReadable {
            throw .badSettings(
                "\(format.pixelFormat) frames cannot be decoded, and pictures need their pixels",
                hint: "choose the camera's format MJPG or YUYV; recordings take \(format.pixelFormat), movies take H264"
            )
        }
        if let problem = format.problem(for: .jpeg) {
            throw .badSettings(problem.message, hint: "choose a smaller size; recordings accept larger frames")
        }
        worker = PhotoMemory.worker(formats, pixels: pixels, withEffects: withEffects)
        frame = PhotoMemory.framePerPixel(format) * pixels
        let file = PhotoMemory.files(pixels: pixels, withEffects: withEffects)
        let shot = Self.shot(description, withEffects: withEffects), least = worker + shot
        guard memory >= least else {
            // With less, the history could be shorter than requested.
            let whole = Self.whole(
                description, history: history, threads: threads, formats: formats, withEffects: withEffects)
            throw .tooLittleMemory(given: memory, format.size, needed: whole)
        }
        let whole = Self.past(description, history), worker = worker
        func many(beside past: Int) -> Int { (memory - shot - Self.room(forPast: past)) / worker }
        workers = min(threads, max(1, min(2, many(beside: whole / 2)), many(beside: whole)))
        let free = memory - shot - workers * worker
        let past = min(whole, free / 3 * 2)
        ring = Self.fewest(description) + past
        shots = min(SessionOptions.maxWaiting, 1 + (free - past) / 4 / file)
        frames = Fuser.maxFrames + (free - past) / 4 * 3 / frame
        retired = ring + worker + Fuser.maxFrames * frame + file
    }
}
