// SPDX-License-Identifier: MIT
// What the history holds, for those who show it.

import LivecapFrames

extension Ring {
    /// The metadata of the frames in the history, oldest first. Frames come and go meanwhile: the first of them may be
    /// gone when this returns.
    package func historyMetadata() -> [FrameMetadata] {
        var frames: [FrameMetadata] = []
        var next: UInt64 = 0
        while let found = table.pinOldest(from: next) {
            let lease = FrameLease(self, pinned: found.slot)
            frames.append(lease.metadata)
            next = lease.metadata.id.counter + 1
        }
        return frames
    }
}
