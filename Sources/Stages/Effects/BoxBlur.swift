// SPDX-License-Identifier: MIT
// Means over squares of a map.

import LivecapCFusionKernels
import LivecapDetection

/// Blurs maps of one size by means over squares. It owns its working memory.
final class BoxBlur {
    private let kernels: UnsafePointer<fusion_kernels>
    private let across: QuadMap
    private let sum: UnsafeMutablePointer<Float>

    init(_ kind: PictureKind) {
        kernels = kind.kernels
        across = QuadMap(kind.size)
        sum = .allocate(capacity: across.rowCount)
    }

    deinit { sum.deallocate() }

    /// Replaces each quad of `map` with the mean of the square around it, of `2 * radius + 1` quads on a side, `times`
    /// times. Beyond the edges are those at the edges.
    func blur(_ map: QuadMap, radius: Int, times: Int = 1) {
        let (last, floats) = (map.height - 1, map.rowCount), scale = 1 / Float(2 * radius + 1)
        for _ in 0..<times {
            for y in 0...last {
                kernels.pointee.effects.box_across(map.row(y), map.width, radius, across.row(y))
            }
            for place in 0..<floats { sum[place] = Float(radius + 1) * across.row(0)[place] }
            for y in 1...radius {
                let row = across.row(min(y, last))
                for place in 0..<floats { sum[place] += row[place] }
            }
            for y in 0...last {
                kernels.pointee.effects.box_down(
                    across.row(min(y + radius + 1, last)), across.row(max(y - radius, 0)), floats, scale, sum,
                    map.row(y))
            }
        }
    }
}
