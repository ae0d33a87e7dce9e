// SPDX-License-Identifier: MIT
// The planes of a picture.

import Fusion
import LivecapCFusionKernels
import LivecapFrames

/// A picture of 4:2:0 in memory, with margins.
package struct PicturePlanes {
    package let luma: SamplePlane
    package let cb: SamplePlane
    package let cr: SamplePlane

    /// Memory for pictures of an even size.
    package init(_ size: FrameSize) {
        let half = FrameSize(width: size.width / 2, height: size.height / 2)
        let memory = PlaneMemory([size, half, half].map { SamplePlane.bytes($0) })
        luma = SamplePlane(size, in: memory)
        cb = SamplePlane(half, in: memory)
        cr = SamplePlane(half, in: memory)
    }

    package var all: [SamplePlane] { [luma, cb, cr] }

    /// Makes the map of the picture: the means of its cells.
    package func gather(into map: QuadMap, _ kernels: UnsafePointer<fusion_kernels>) {
        for y in 0..<map.height {
            kernels.pointee.effects.gather_quads(
                luma.row(4 * y), luma.stride, cb.row(2 * y), cr.row(2 * y), cb.stride, map.width, map.row(y))
        }
    }
}
