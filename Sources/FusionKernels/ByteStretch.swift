// SPDX-License-Identifier: MIT
// Converts the samples of a still to full-range bytes.

import LivecapCFusionKernels
import LivecapFrames

/// Converts 16-bit samples (codes times 256) to full-range bytes.
package struct ByteStretch {
    /// The arguments of the `byte_row` kernel; `factor` and `target` are in Q20.
    package let (zero, factor, target): (Int32, Int32, Int32)

    /// 2^20. With 20 fraction bits, the largest product stays below 2^31.
    private static let one = 1_048_576.0

    /// For brightness, or for chroma, in frames of `range`.
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
        kernels.pointee.finish.byte_row(
            plane.samples.baseAddress! + y * plane.width, plane.width, stretch.zero, stretch.factor, stretch.target,
            bytes)
    }
}
