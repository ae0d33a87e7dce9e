// SPDX-License-Identifier: MIT
// How much memory it takes to make a photo.

import Fusion
import LivecapFrames
import LivecapStills

/// The memory that making photos takes, in bytes.
package enum PhotoMemory {
    // Measured (`livecap bench pipeline --only memory.worker`) and rounded up: bytes per pixel of 4:2:2 frames.
    package static let framePerPixel = 4
    /// The same for frames of `format`. Where samples have fractions, each has two more bytes.
    package static func framePerPixel(_ format: FrameFormat) -> Int {
        framePerPixel + (Fuser.keepsFractions(of: format) ? 4 : 0)
    }
    /// Bytes per pixel: 40 for the largest merging method, of which a worker keeps one; 4 each for the quick one and
    /// the picture; 4 for the frame beside the still, where the two are compared; and the encoder. Frames whose
    /// exposure has to be matched take 3.3 each. That is within the 40 if eight are merged, but not planned for if the
    /// most careful method merges more of them. `withEffects`: it has drawn effects, and keeps what draws them.
    package static func worker(_ formats: Set<StillFormat>, pixels: Int, withEffects: Bool = false) -> Int {
        52 * pixels + (formats.map { encoder($0, pixels: pixels) }.max() ?? 0)
            + (withEffects ? effects(pixels: pixels) : 0)
    }
    /// HEIC's encoder has memory only while it works. At the process's peak, from 320x240 to 1920x1080, it was 13 MiB
    /// plus 20 bytes per pixel more than JPEG's.
    static func encoder(_ format: StillFormat, pixels: Int) -> Int {
        switch format {
        case .jpeg, .png: 7 * pixels
        case .heic: 28 * pixels + (14 << 20)
        }
    }
    /// What effects take, in bytes: nets, and about ten maps of a quarter of a picture's width and height.
    static func effects(pixels: Int) -> Int { (40 << 20) + 10 * pixels }
    /// The same for a photo with these settings, which may have none.
    static func effects(_ settings: PhotoSettings, pixels: Int) -> Int {
        settings.drawnEffects == nil ? 0 : effects(pixels: pixels)
    }
    /// What looking for faces takes, in bytes: nets, a frame's planes of 4:2:0, and a map of it. With LiteRT it was 24
    /// MiB and 2.5 bytes per pixel.
    static func faces(_ settings: PhotoSettings, pixels: Int) -> Int {
        settings.reference == .best ? (40 << 20) + 3 * pixels : 0
    }

    /// JPEG files of noise have less than two bytes per pixel, PNG files of 16 bits at most six.
    package static let filePerPixel = 6
    /// The file of a photo while it is written, and with effects that of its plain picture, too.
    package static func files(pixels: Int, withEffects: Bool) -> Int { (withEffects ? 2 : 1) * filePerPixel * pixels }

    /// The memory for finishing a photo: that of one worker and of the photo's frames (default: the maximum number a
    /// photo may have).
    package static func finishing(
        _ format: FrameFormat, _ formats: Set<StillFormat>, frames: Int = Fuser.maxFrames, withEffects: Bool = false
    ) -> Int {
        let (most, overflow) = format.size.width.multipliedReportingOverflow(by: format.size.height)
        let pixels = overflow || most > 1 << 32 ? 1 << 32 : most
        return worker(formats, pixels: pixels, withEffects: withEffects) + frames * framePerPixel(format) * pixels
            + filePerPixel * pixels + files(pixels: pixels, withEffects: withEffects)
    }

    /// The memory for making one photo of frames on disk, including the frames read by then and one that is being read.
    static func developing(_ request: PhotoRequest, of format: FrameFormat) -> Int {
        let pixels = format.size.area, settings = request.settings
        // As for a worker, which keeps one of the merging methods beside the quick one.
        let method =
            (request.quality.merges ? 40 : 0) + 8
            + (settings.includesComparison || settings.includesExplanation ? 12 : 0)
        let frames = framePerPixel(format) * (request.frames.count + request.spares.count)
        return (method + frames + 2 * filePerPixel) * pixels + encoder(settings.format, pixels: pixels)
            + 2 * format.byteCount + effects(settings, pixels: pixels) + faces(settings, pixels: pixels)
            + (settings.hasDrawing ? filePerPixel * pixels : 0)
    }
}
