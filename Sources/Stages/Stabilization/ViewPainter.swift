// SPDX-License-Identifier: MIT
// Resamples a frame through a motion.

import Fusion
import LivecapCFusionKernels

/// Draws planes as they are seen through a motion. It owns its working memory.
package final class ViewPainter {
    private let kernels: UnsafePointer<fusion_kernels>
    /// A row of the frame in Q6, along a line of the picture.
    private let row: UnsafeMutablePointer<Int16>
    private static let unit = 65536.0

    /// Draws planes of at most `width` samples.
    /// - Throws: `unsupportedLevel`.
    convenience init(width: Int, level: KernelLevel?) throws(FusionError) {
        let level = if let level { level } else { try KernelLevel.chosen() }
        guard let table = level.table else {
            throw .unsupportedLevel(level.rawValue, supported: KernelLevel.supported)
        }
        self.init(width: width, table)
    }

    /// Draws planes of at most `width` samples with these kernels.
    package init(width: Int, _ kernels: UnsafePointer<fusion_kernels>) {
        self.kernels = kernels
        row = .allocate(capacity: 2 * width + 64)
    }

    deinit { row.deallocate() }

    /// Draws a plane without padding. `motion` leads from the picture's samples to the plane's, and never beyond its
    /// edges.
    package func draw(_ plane: SamplePlane, _ motion: AffineMotion, into out: UnsafeMutablePointer<UInt8>) {
        let (middleX, middleY) = (Double(motion.middleX), Double(motion.middleY))
        let across = 1 + Double(motion.xx), slope = Double(motion.yx) / across
        precondition(abs(slope) < 1.0 / 16, "the kernel draws no steeper lines")
        for y in 0..<plane.height {
            let fromMiddle = Double(y) - middleY
            // Where the row's first sample is.
            let x = middleX + Double(motion.shiftX) - across * middleX + Double(motion.xy) * fromMiddle
            let down = middleY + Double(motion.shiftY) - Double(motion.yx) * middleX
            let first = Int(x.rounded(.down)) - 1
            let start = x - Double(first)
            let top = down + (1 + Double(motion.yy)) * fromMiddle - start * slope
            let columns = Int((start + across * Double(plane.width - 1)).rounded(.up)) + 3
            kernels.pointee.view.view_down(
                plane.base + first, plane.stride, (columns + 15) / 16, Int32((top * Self.unit).rounded()),
                Int32((slope * Self.unit).rounded()), row)
            kernels.pointee.view.view_across(
                row, plane.width, Int32((start * Self.unit).rounded()), Int32((across * Self.unit).rounded()),
                out + y * plane.width)
        }
    }
}
