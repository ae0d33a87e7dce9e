// SPDX-License-Identifier: MIT
// Memory for the copies of frames, used again and again.

import LivecapPictures
import LivecapThreads

/// Gives memory for frames whose size is not known in advance. Without it, the system would give and take back each frame's
/// memory, page by page, which takes longer than the copying.
final class FrameStock: Sendable {
    /// How many unused pieces are kept: for the next frame, for one that a slow viewer has just been sent, and one to
    /// spare.
    private static let kept = 3

    private let free = Guarded<[PictureMemory]>([])

    deinit { free.withLock { $0 }.forEach { $0.bytes.deallocate() } }

    /// Memory for at least so many bytes.
    func take(_ byteCount: Int) -> PictureMemory {
        let free = free.withLock { $0.popLast() }
        // Much larger ones are of frames as they were before a change.
        if let free, byteCount...max(byteCount * 4, 65536) ~= free.bytes.count { return free }
        free?.bytes.deallocate()
        // The next frames will be a little larger or smaller.
        return PictureMemory(bytes: .allocate(byteCount: byteCount + byteCount / 4, alignment: 64))
    }

    /// Takes back memory that nobody uses any more.
    func giveBack(_ memory: PictureMemory) {
        let isKept = free.withLock { free in
            guard free.count < Self.kept else { return false }
            free.append(memory)
            return true
        }
        if !isKept { memory.bytes.deallocate() }
    }
}
