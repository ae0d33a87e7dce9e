// SPDX-License-Identifier: MIT
// Reusable memory for copies of frames.

import LivecapPictures
import LivecapThreads
import Synchronization

/// Memory for frames of any size and number, unlike `PicturePool`, whose blocks have one size and a maximum number.
/// Without reuse, the kernel would map and unmap each frame's pages, which takes longer than the copy.
final class FrameStock: Sendable {
    /// The maximum number of unused blocks: for the next frame, for one that a slow viewer has just finished, and a
    /// spare.
    private static let maxUnused = 3

    private let free = Guarded<[PictureMemory]>([])
    private let used = Atomic<Int>(0)

    /// The memory of all frames that somebody holds. Relaxed: it decides nothing but when that is too much.
    var usedBytes: Int { used.load(ordering: .relaxed) }

    deinit { free.withLock { $0 }.forEach { $0.bytes.deallocate() } }

    /// Returns a block of at least `byteCount` bytes.
    func take(_ byteCount: Int) -> PictureMemory {
        let free = free.withLock { $0.popLast() }
        // A much larger block dates from before a change of format.
        if let free, byteCount...max(byteCount * 4, 65536) ~= free.bytes.count {
            used.add(free.bytes.count, ordering: .relaxed)
            return free
        }
        free?.bytes.deallocate()
        // With some headroom, because the sizes of successive JPEGs vary.
        let count = byteCount + byteCount / 4
        used.add(count, ordering: .relaxed)
        return PictureMemory(bytes: .allocate(byteCount: count, alignment: 64))
    }

    /// Takes back a block that is no longer in use.
    func giveBack(_ memory: PictureMemory) {
        used.subtract(memory.bytes.count, ordering: .relaxed)
        let isKept = free.withLock { free in
            guard free.count < Self.maxUnused else { return false }
            free.append(memory)
            return true
        }
        if !isKept { memory.bytes.deallocate() }
    }
}
