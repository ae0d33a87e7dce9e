// SPDX-License-Identifier: MIT
// A synthetic scene that can be switched off and on like a camera.

import FrameRing

extension SyntheticCamera: JoiningSource {
    func fits(_ ring: Ring) -> Bool { ring.format == description.format }

    func join(_ producer: inout RingProducer) throws(CameraError) { try start(&producer) }

    func takeSlots() -> [SlotIndex] { [] }

    /// A scene at the real-time pace that can be switched off. Each time it is switched on, `make` makes it anew.
    package static func switchable(
        _ make: @escaping @Sendable () throws(CameraError) -> sending SyntheticCamera
    ) throws(CameraError) -> sending any FrameSource {
        let same = SameSource { _ throws(CameraError) in try make() }
        return ReturningSource(try make(), onUnplug: .end, same)
    }
}
