// SPDX-License-Identifier: MIT
// What all pictures of a stream have in common.

import Fusion
import LivecapCFusionKernels
import LivecapFrames

/// Pictures of 4:2:0 of one size, and the kernels that work on them.
package struct PictureKind: Sendable {
    /// Of even numbers.
    package let size: FrameSize
    package let colorimetry: Colorimetry
    private let level: KernelLevel

    /// Pictures that kernels of `level`, which this processor has, work on.
    package init(_ size: FrameSize, _ colorimetry: Colorimetry, _ level: KernelLevel) {
        precondition(level.isSupported, "a level of another processor")
        self.size = size
        self.colorimetry = colorimetry
        self.level = level
    }

    package var kernels: UnsafePointer<fusion_kernels> { level.table! }

    /// The codes of black and white.
    package var range: (black: Int32, white: Int32) { colorimetry.range == .limited ? (16, 235) : (0, 255) }
}
