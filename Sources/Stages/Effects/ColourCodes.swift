// SPDX-License-Identifier: MIT
// The codes of colours in the pictures of a stream.

import LivecapFrames

/// Turns R'G'B' into Y', Cb and Cr of one colorimetry.
struct ColourCodes {
    private let kr: Double
    private let kb: Double
    private let isLimited: Bool

    init(_ colorimetry: Colorimetry) {
        let weights = colorimetry.matrix.weights
        kr = weights.red
        kb = weights.blue
        isLimited = colorimetry.range == .limited
    }

    /// The codes of R'G'B' from 0 to 255.
    func of(red: Double, green: Double, blue: Double) -> (luma: Double, cb: Double, cr: Double) {
        let luma = kr * red + (1 - kr - kb) * green + kb * blue
        let chroma = isLimited ? 224.0 / 255 : 1
        return (
            isLimited ? 16 + luma * 219 / 255 : luma, 128 + chroma * (blue - luma) / (2 * (1 - kb)),
            128 + chroma * (red - luma) / (2 * (1 - kr))
        )
    }
}
