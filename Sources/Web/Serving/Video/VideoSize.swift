// SPDX-License-Identifier: MIT
// How large pictures of H.264 are, and at which rate.

import LivecapFrames

/// The size of pictures of H.264, and what they may take of a line.
enum VideoSize {
    /// The greatest width: larger pictures take more of a processor than a viewfinder is worth.
    static let maxWidth = 1920

    /// The size of pictures of a width, or of the frames' own, for frames of a size. Even, as encoders want it.
    static func size(width: Int?, of frames: FrameSize) -> FrameSize {
        let width = min(width ?? maxWidth, frames.width, maxWidth)
        let height = width == frames.width ? frames.height : frames.height * width / max(1, frames.width) + 1
        return FrameSize(width: max(16, width & ~1), height: max(16, height & ~1))
    }

    /// The highest rate in bits per second: 2.8 Mbit/s for 1280x720 at 30 frames per second, which a line of 4 Mbit/s
    /// carries with its other traffic. Small pictures need more for each pixel.
    static func bitsPerSecond(_ size: FrameSize, _ rate: FrameRate?) -> Int {
        let fps = min(max(rate?.framesPerSecond ?? 30, 1), 240)
        let pixels = Double(size.width * size.height) * fps
        // Of twice the frames, each differs less from the one before.
        let easing = min(1, (30 / fps).squareRoot())
        return Int(min(max(pixels * 0.1 * easing, 300_000), 8_000_000))
    }
}
