// SPDX-License-Identifier: MIT
// A source that can go on where an earlier one stopped, in the same ring.

import FrameRing

/// A source that can fill a ring which another one began: a camera that was unplugged and is back.
protocol JoiningSource: FrameSource {
    /// Whether its frames fit the ring: they have the same format.
    func fits(_ ring: Ring) -> Bool

    /// Starts delivering into a ring made by an earlier source, instead of `makeRing` and `start`.
    func join(_ producer: inout RingProducer) throws(CameraError)

    /// Takes every slot of the ring from the source, for the caller to discard once the source is released: until then
    /// its driver may still write into them.
    func takeSlots() -> [SlotIndex]
}
