// SPDX-License-Identifier: MIT
// What the history holds, for those who show it.

import LivecapFrames

extension Ring {
    /// The oldest frame from which on every frame up to the newest is there; nil if there is no frame. Older frames
    /// that only leases keep do not count.
    package var beginOfHistory: FrameMetadata? {
        table.pinOldest(from: table.historyCounter).map { FrameLease(self, pinned: $0.slot).metadata }
    }

    /// The metadata of the frames in the history, oldest first, without older ones that only leases keep. Frames come
    /// and go meanwhile: the first of them may be gone when this returns.
    package func historyMetadata() -> [FrameMetadata] {
        var frames: [FrameMetadata] = []
        var next = table.historyCounter
        while let found = table.pinOldest(from: next) {
            let lease = FrameLease(self, pinned: found.slot)
            frames.append(lease.metadata)
            next = lease.metadata.id.counter + 1
        }
        return frames
    }
}
