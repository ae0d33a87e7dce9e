// SPDX-License-Identifier: MIT
// The form in which a photo needs its frames.

import Fusion
import LivecapFrames

/// The form in which a photo needs a frame.
package enum FrameForm: Hashable {
    /// Prepared for fusion.
    case prepared
    /// The bytes as delivered.
    case bytes
    /// Stored in the library for later; takes no room on the shelf.
    case kept
}

extension FrameFormat {
    /// The form a photo needs its frames in: bytes if a frame becomes the picture unchanged, or if frames cannot be
    /// fused. Preparing R'G'B' would halve the resolution of its colours.
    package func form(for quality: PhotoQuality, _ settings: PhotoSettings) -> FrameForm {
        let isJPEG = pixelFormat.isJPEG
        let isPicture = isJPEG ? settings.format == .jpeg : pixelFormat.samples?.model == .rgb
        let isAsItCame = quality == .single && isPicture && settings.reference == .tap
        return isAsItCame || !(isJPEG || Fuser.takes(self)) ? .bytes : .prepared
    }
}
