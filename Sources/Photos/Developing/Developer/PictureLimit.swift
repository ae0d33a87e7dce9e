// SPDX-License-Identifier: MIT
// Limits the size of a picture by its format, before anything is allocated for it.

import Fusion
import LivecapFrames
import LivecapStills

extension FrameFormat {
    /// Why no picture file can be made of such frames, fused or unchanged; nil if one can.
    package func problem(for still: StillFormat) -> PhotoError? {
        let longest = Fuser.longestSide
        guard size.width <= longest, size.height <= longest else {
            return .tooLarge(size, limit: "at most \(longest)x\(longest)")
        }
        if let most = still.maxPixels, size.area > most {
            return .tooLarge(size, limit: "\(still.rawValue) has at most \(most / 1_000_000) megapixels")
        }
        return nil
    }
}

extension StillFormat {
    /// The maximum number of pixels that decoders of the format must be able to read; nil if it exceeds any picture.
    /// For HEVC it is that of level 6.2 of ITU-T H.265: 35,651,584 luma samples.
    fileprivate var maxPixels: Int? { self == .heic ? 35_651_584 : nil }
}
