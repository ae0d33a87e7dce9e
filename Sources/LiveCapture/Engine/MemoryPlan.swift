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
    /// beside the still, where the two are compared, 4 more; and what encodes.
    private static func workerPerPixel(_ formats: Set<StillFormat>) -> Int {
        52 + (formats.map(encoderPerPixel).max() ?? 0)
    }
    /// Measured at the process's peak for HEIC, whose encoder has memory only while it is at work: 31 at 1920x1080, 40 at 1280x720,
    /// less the 6 of its file.
    private static func encoderPerPixel(_ format: StillFormat) -> Int {
        switch format {
        case .jpeg, .png: 7
        case .heic: 34
        }
    }
    /// JPEG files of noise have less than two bytes a pixel, PNG files of 16 bits at most six.
    private static let filePerPixel = 6

    /// What finishing photos takes beside a session of such frames: one worker's memory, and that of all frames of a photo.
    static func finishing(_ format: FrameFormat, _ formats: Set<StillFormat>) -> Int {
        (workerPerPixel(formats) + Fuser.mostFrames * framePerPixel + 2 * filePerPixel) * format.size.area
    }

    /// Shares out `memory` bytes for frames of `description` and pictures of `formats`: first what one shot of `leastFrames` cannot do without, then as
    /// many of the `threads` as there is room for, then the history, then frames and files of further shots.
    init(
        _ memory: Int, _ description: SourceDescription, history: TimeSpan, threads: Int,
        formats: Set<StillFormat> = [.jpeg], leastFrames: Int = 16
    ) throws(CameraError) {
        let format = description.format, pixels = format.size.area
        (worker, frame) = (Self.workerPerPixel(formats) * pixels, Self.framePerPixel * pixels)
        let file = Self.filePerPixel * pixels
        let fewest = RingCapacity.fewestBytes(format: format, reserve: description.reserve)
        let shot = leastFrames * frame + file + fewest, least = worker + shot
        guard memory >= least else {
            let mebibytes = (least + (1 << 20) - 1) >> 20
            throw .badSettings(
                "\(memory >> 20) MiB of memory are too few for photos of \(format.size)",
                hint: "allow --memory \(mebibytes)M or more, or take a smaller --size")
        }
        workers = min(threads, (memory - shot) / worker)
        let free = memory - shot - workers * worker
        let wish = RingCapacity(duration: history, byteCap: .max).plan(
            format: format, rate: description.rate, reserve: description.reserve)
        let past = min(max(0, (wish?.bytes ?? fewest) - fewest), free / 3 * 2)
        ring = fewest + past
        shots = min(SessionOptions.mostWaiting, 1 + (free - past) / 4 / file)
        frames = leastFrames + (free - past) / 4 * 3 / frame
    }
}
