// SPDX-License-Identifier: MIT
// The planes of a picture.

import Fusion
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
}
