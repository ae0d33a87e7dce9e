// SPDX-License-Identifier: MIT
// A lease that can be stored in a list.

import FrameRing
import LivecapFrames

/// One leased frame. Its slot returns to the camera when the last reference is released.
final class HeldFrame: Sendable {
    let lease: FrameLease
    var metadata: FrameMetadata { lease.metadata }

    init(_ lease: consuming FrameLease) { self.lease = lease }
}
