// SPDX-License-Identifier: MIT
// A lease that can lie in a list.

import FrameRing
import Frames

/// One leased frame. Its slot goes back to the camera when the last reference goes.
final class HeldFrame: Sendable {
    let lease: FrameLease
    var metadata: FrameMetadata { lease.metadata }

    init(_ lease: consuming FrameLease) { self.lease = lease }
}
