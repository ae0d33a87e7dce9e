// SPDX-License-Identifier: MIT
// Samples of a still as bytes of full range.

import CFusionKernels
import Frames

/// Samples of 16 bits (codes times 256) to bytes of full range.
package struct ByteStretch {
    /// As the kernel has them.
    package let (zero, factor, target): (Int32, Int32, Int32)

    /// Twenty bits keep the largest product below 2 to the 31st.
    private static let one = 1_048_576.0

    /// Of brightness, or of chroma, in frames of a range.
    package init(_ range: Colorimetry.Range, isChroma: Bool) {
        let scale = range == .full ? 1 : 255 / (isChroma ? 224.0 : 219.0)
        zero = isChroma ? 128 << 8 : range == .full ? 0 : 16 << 8
        factor = Int32((scale / 256 * Self.one).rounded())
        target = ((isChroma ? 128 : 0) << 20) + 1 << 19
    }
}

extension FusedPicture {
    /// Writes row `y` of a plane as bytes.
    package func put(
        row y: Int, of plane: Plane, by stretch: ByteStretch, into bytes: UnsafeMutablePointer<UInt8>
    ) {
        kernels.pointee.byte_row(
            plane.samples.baseAddress! + y * plane.width, plane.width, stretch.zero, stretch.factor, stretch.target,
            bytes)
    }
}
