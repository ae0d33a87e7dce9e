// SPDX-License-Identifier: MIT
// Memory for the copies of frames, used again and again.

import LivecapPictures
import LivecapThreads

/// Gives memory for frames whose size nobody knows before. Without it, the system would give and take back each frame's
/// memory, page by page, which takes longer than the copying.
final class FrameStock: Sendable {
    /// How many pieces are kept while nobody uses them: what viewers see now, what comes next, and one to spare.
    private static let kept = 3

    private let free = Guarded<[PictureMemory]>([])

    deinit { free.withLock { $0 }.forEach { $0.bytes.deallocate() } }

    /// Memory for at least so many bytes.
    func take(_ byteCount: Int) -> PictureMemory {
        let free = free.withLock { $0.popLast() }
        if let free, free.bytes.count >= byteCount { return free }
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
