// SPDX-License-Identifier: MIT
// How the picture as a whole moves from one frame of a stream to the next.

import LivecapCFusionKernels
import LivecapFrames

/// Finds how a stream's picture moves, from brightness alone. It owns its working memory, and uses it for one frame at
/// a time.
///
/// The motion is that which fusion aligns frames by (`GlobalAligner`), fitted once more to the steepest tiles
/// (`MotionFit`): a fusion uses eighths of a pixel, but the errors of a stream add up.
package final class PictureTracker {
    /// What became of the picture.
    package enum Motion: Hashable, Sendable {
        /// It is the first, or shows something else than the one before.
        case begins
        /// Nothing in it shows whether it moved, because it is flat or dark.
        case unknown
        /// What is at a place of it was elsewhere in the frame before: the motion leads there. Motion that cannot be
        /// told from noise counts as none.
        case moved(AffineMotion)
    }

    private let preparer: FramePreparer
    private let aligner: GlobalAligner
    private let fit: MotionFit
    private let matcher: ColorMatcher
    private let pool: any FusionPool
    /// The newest frame, and the one before, in turn.
    private var frames: (newest: FusionFrame, before: FusionFrame)
    private var hasPast = false
    /// The last motion, and the variance of the least noise lately.
    private var last: AffineMotion?
    private var noise = Float.infinity

    /// A motion that explains fewer of the tiles may be that of something large which moves on its own. Another one is
    /// preferred if it explains this many more.
    private static let ample: Float = 0.6, clearly: Float = 0.05
    /// How fast noise may grow from one frame to the next.
    private static let growth: Float = 1.1

    /// Creates a tracker of pictures of `size`.
    /// - Throws: `unsupportedLevel` if the environment names an unknown level of kernels.
    package init(
        _ size: FrameSize, level: KernelLevel? = nil, pool: any FusionPool = CallersThread()
    ) throws(FusionError) {
        let format = FrameFormat(pixelFormat: .grey, size: size, colorimetry: .jpeg)
        guard let samples = format.pixelFormat.samples else { throw .unsupportedFormat(format) }
        let kernels = if let level { try level.kernels() } else { try KernelLevel.chosen().kernels() }
        preparer = FramePreparer(format, samples, kernels)
        frames = (FusionFrame(format, .none), FusionFrame(format, .none))
        aligner = GlobalAligner(frames.newest, kernels)
        fit = MotionFit(frames.newest, kernels)
        matcher = ColorMatcher(frames.newest)
        self.pool = pool
    }

    /// Forgets all frames, as after an interruption.
    package func forget() { hasPast = false }

    /// Finds the motion of a frame, given by its rows of brightness without padding.
    /// - Throws: `shortFrame` if there are fewer bytes than pixels.
    package func follow(_ luma: RawSpan) throws(FusionError) -> Motion {
        frames = (newest: frames.before, before: frames.newest)
        let (frame, before) = (frames.newest, frames.before)
        try preparer.prepare(luma, into: frame, pool)
        guard hasPast else {
            (hasPast, last, noise) = (true, nil, .infinity)
            return .begins
        }
        let still = AffineMotion(width: frame.format.size.width, height: frame.format.size.height)
        guard !frame.isSame(as: before) else { return .moved(still) }
        var motion = whole(frame, before, still)
        guard matcher.areAlike(frame, before, motion) else { return begun() }
        let outcome = fit.fit(frame, before, &motion)
        noise = min(noise * Self.growth, fit.noise)
        switch outcome {
        case .moved: last = motion
        case .still: last = still
        case .unknown:
            last = nil
            // What was found may be anything.
            return matcher.areAlike(frame, before, still) ? .unknown : begun()
        }
        return .moved(last ?? still)
    }

    private func begun() -> Motion {
        (last, noise) = (nil, .infinity)
        return .begins
    }

    /// The motion that most of the picture has. What is found from nothing may be that of something large in front;
    /// then no motion, or that of the last frame, is a better beginning.
    private func whole(_ frame: FusionFrame, _ before: FusionFrame, _ still: AffineMotion) -> AffineMotion {
        var best = aligner.align(frame, before)
        aligner.refine(frame, before, &best)
        var support = fit.support(frame, before, best, noise: noise)
        noise = min(noise, fit.noise)
        guard last == nil || support < Self.ample else { return best }
        // A list of both would be allocated.
        for attempt in 0..<2 {
            var motion = attempt == 0 ? still : last ?? still
            aligner.refine(frame, before, &motion)
            // The least noise is that of the motion which explains most.
            _ = fit.support(frame, before, motion, noise: noise)
            noise = min(noise, fit.noise)
            support = fit.support(frame, before, best, noise: noise)
            if fit.support(frame, before, motion, noise: noise) > support + Self.clearly { best = motion }
        }
        return best
    }
}
