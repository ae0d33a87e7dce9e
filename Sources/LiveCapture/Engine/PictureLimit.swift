// SPDX-License-Identifier: MIT
// How large a picture may be: known from its format, before anything is allocated for it.

import Frames
import FusionKernels
import Stills

extension FrameFormat {
    /// Why no picture file can be made of such frames, whether they are fused or stay as they came; nil where one can.
    func problem(for still: StillFormat) -> PhotoError? {
        let longest = Fuser.longestSide
        guard size.width <= longest, size.height <= longest else {
            return .tooLarge(size, limit: "at most \(longest)x\(longest)")
        }
        if let most = still.mostPixels, size.area > most {
            return .tooLarge(size, limit: "\(still.rawValue) has at most \(most / 1_000_000) megapixels")
        }
        return nil
    }
}

extension StillFormat {
    /// The most pixels of a file of it that decoders must be able to read; nil where that is more than any picture has. For HEVC
    /// it is level 6.2 of ITU-T H.265: 35,651,584 luma samples.
    fileprivate var mostPixels: Int? { self == .heic ? 35_651_584 : nil }
}
