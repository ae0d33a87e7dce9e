// SPDX-License-Identifier: MIT
// How a session's memory is shared out.

import Camera
import FrameRing
import Frames
import FusionKernels
import Stills

/// What the memory of a session is for: the ring, what workers work in, prepared frames, and files on their way.
struct MemoryPlan: Hashable, Sendable {
    /// For the ring, at most.
    let ring: Int
    /// For what one worker works in, once it has made each kind of photo.
    let worker: Int
    /// How many workers there is room for, of those that were asked for.
    let workers: Int
    /// A prepared frame.
    let frame: Int
    /// How many prepared frames there is room for.
    let frames: Int
    /// How many shots may be on their way from their frames to their files.
    let shots: Int

    // Measured (`livecap bench pipeline --only memory.worker`), and rounded up: bytes a pixel of 4:2:2 frames.
    private static let framePerPixel = 4
    /// The largest of the methods that merge, of which a worker keeps one, 40; the quick one and the picture, 4 each; the frame
    /// beside the still, where the two are compared, 4 more; and what encodes. Frames whose light has to be matched take 3.3
    /// each: within the 40 where eight are merged, not planned for where the most careful method has more of them.
    private static func worker(_ formats: Set<StillFormat>, pixels: Int) -> Int {
        52 * pixels + (formats.map { encoder($0, pixels: pixels) }.max() ?? 0)
    }
    /// HEIC's encoder has memory only while it is at work. At the process's peak, from 320x240 to 1920x1080, it was 13 MiB and 20
    /// bytes a pixel more than JPEG's.
    private static func encoder(_ format: StillFormat, pixels: Int) -> Int {
        switch format {
        case .jpeg, .png: 7 * pixels
        case .heic: 28 * pixels + (14 << 20)
        }
    }
    /// JPEG files of noise have less than two bytes a pixel, PNG files of 16 bits at most six.
    private static let filePerPixel = 6

    /// What finishing a photo takes: one worker's memory, and that of its frames; by default as many as a photo may have.
    static func finishing(
        _ size: FrameSize, _ formats: Set<StillFormat>, frames: Int = Fuser.mostFrames
    ) -> Int {
        let (most, overflow) = size.width.multipliedReportingOverflow(by: size.height)
        let pixels = overflow || most > 1 << 32 ? 1 << 32 : most
        return worker(formats, pixels: pixels) + (frames * framePerPixel + 2 * filePerPixel) * pixels
    }

    /// What making one photo of frames on the disk takes, those read by then and one that is being read included.
    static func developing(_ request: PhotoRequest, of format: FrameFormat) -> Int {
        let pixels = format.size.area, settings = request.settings
        // As for a worker, who keeps one of the methods that merge beside the quick one.
        let method = (request.quality.merges ? 40 : 0) + 8 + (settings.isCompared || settings.isExplained ? 12 : 0)
        let frames = framePerPixel * (request.frames.count + request.spares.count)
        return (method + frames + 2 * filePerPixel) * pixels + encoder(settings.format, pixels: pixels)
            + 2 * format.byteCount
    }

    /// What a session takes of a machine's memory where nobody says how much: 1 GiB, or what two workers and the whole history
    /// of the largest cameras need, and `more` beside; of a small machine half.
    static func usual(
        _ description: SourceDescription, history: TimeSpan, threads: Int, formats: Set<StillFormat>, more: Int = 0,
        machine: Int
    ) -> Int {
        let workers = min(2, threads) * worker(formats, pixels: description.format.size.area)
        let need = workers + shot(description) + room(forPast: past(description, history))
        return min(max(1 << 30, need + more), machine / 2)
    }

    /// What one shot of the most frames takes beside its worker, with the shortest history.
    private static func shot(_ description: SourceDescription) -> Int {
        (Fuser.mostFrames * framePerPixel + filePerPixel) * description.format.size.area
            + fewest(description)
    }

    /// The smallest ring.
    private static func fewest(_ description: SourceDescription) -> Int {
        RingCapacity.fewestBytes(format: description.format, reserve: description.reserve)
    }

    /// What a ring of all of the history has more.
    private static func past(_ description: SourceDescription, _ history: TimeSpan) -> Int {
        let whole = RingCapacity(duration: history, byteCap: .max).plan(
            format: description.format, rate: description.rate, reserve: description.reserve)
        return whole.map { max(0, $0.bytes - fewest(description)) } ?? 0
    }

    /// What is left for history and further shots where the history gets all of that: it gets two thirds.
    private static func room(forPast past: Int) -> Int { past / 2 * 3 + 3 }

    /// Shares out `memory` bytes for frames of `description` and pictures of `formats`: first what one shot of the most
    /// frames cannot do without, then half of the history, then a second worker, then all of the history, then as many of the
    /// `threads` as there is room for, then frames and files of further shots.
    init(
        _ memory: Int, _ description: SourceDescription, history: TimeSpan, threads: Int,
        formats: Set<StillFormat> = [.jpeg]
    ) throws(CameraError) {
        let format = description.format, pixels = format.size.area
        if let problem = format.problem(for: .jpeg) {
            throw .badSettings(problem.message, hint: "take a smaller --size; 'livecap record' keeps larger frames")
        }
        (worker, frame) = (Self.worker(formats, pixels: pixels), Self.framePerPixel * pixels)
        let file = Self.filePerPixel * pixels
        let shot = Self.shot(description), least = worker + shot
        guard memory >= least else {
            let mebibytes = (least + (1 << 20) - 1) >> 20
            throw .badSettings(
                "\(memory >> 20) MiB of memory are too few for photos of \(format.size)",
                hint: "allow --memory \(mebibytes)M or more, or take a smaller --size")
        }
        let whole = Self.past(description, history), worker = worker
        func many(beside past: Int) -> Int { (memory - shot - Self.room(forPast: past)) / worker }
        workers = min(threads, max(1, min(2, many(beside: whole / 2)), many(beside: whole)))
        let free = memory - shot - workers * worker
        let past = min(whole, free / 3 * 2)
        ring = Self.fewest(description) + past
        shots = min(SessionOptions.mostWaiting, 1 + (free - past) / 4 / file)
        frames = Fuser.mostFrames + (free - past) / 4 * 3 / frame
    }
}
