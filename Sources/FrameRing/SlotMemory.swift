// SPDX-License-Identifier: MIT
// The memory behind the slots: our own pages, or buffers lent by a driver. Freed after the last lease is released.

import Glibc

/// Memory for frames. The ring and every lease keep it alive; it is unmapped when the last of them is gone.
///
/// `@unchecked Sendable`: the pointers never change, and the ring's slot protocol decides who may access the bytes.
package final class SlotMemory: @unchecked Sendable {
    /// One region per slot, or a single region for all slots of a compact ring.
    package let regions: [UnsafeMutableRawBufferPointer]
    /// Whether the pages are locked in memory.
    package let isLocked: Bool
    /// The file behind the regions, if other processes may read them.
    package let file: RingFile?
    private let release: @Sendable () -> Void

    /// Wraps borrowed memory. `release` runs once, after the last use.
    package init(
        borrowing regions: [UnsafeMutableRawBufferPointer], isLocked: Bool = false, file: RingFile? = nil,
        release: @escaping @Sendable () -> Void
    ) {
        self.regions = regions
        self.isLocked = isLocked
        self.file = file
        self.release = release
    }

    deinit { release() }

    /// Maps our own page-aligned memory for `count` slots of `bytesEach`, in one mapping. Unless `lazily`, it is
    /// faulted in at once and locked where the limits permit: `mmap(2)`, `mlock(2)`. With `sharedSlots`, other
    /// processes may read the memory, as a ring of so many slots. Nil if the system does not have enough memory, or
    /// cannot share it.
    package static func slabs(
        count: Int, bytesEach: Int, lazily: Bool = false, sharedSlots: Int? = nil
    ) -> SlotMemory? {
        guard count > 0, bytesEach > 0 else { return nil }
        if let sharedSlots {
            return sharedSlabs(count: count, bytesEach: bytesEach, slots: sharedSlots, lazily: lazily)
        }
        let stride = wholePages(bytesEach)
        let (total, overflow) = stride.multipliedReportingOverflow(by: count)
        guard !overflow else { return nil }
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | (lazily ? MAP_NORESERVE : MAP_POPULATE)
        guard let base = mmap(nil, total, PROT_READ | PROT_WRITE, flags, -1, 0), base != MAP_FAILED else { return nil }
        let isLocked = !lazily && mlock(base, total) == 0
        let regions = (0..<count).map { UnsafeMutableRawBufferPointer(start: base + $0 * stride, count: stride) }
        let address = UInt(bitPattern: base)
        return SlotMemory(borrowing: regions, isLocked: isLocked) {
            munmap(UnsafeMutableRawPointer(bitPattern: address), total)
        }
    }

    /// The size of a memory page in bytes.
    static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// Rounds `byteCount` up to whole pages, at least one. Saturates at the largest whole number of pages.
    static func wholePages(_ byteCount: Int) -> Int {
        let most = Int.max / pageSize
        let pages = max(1, byteCount) / pageSize + (max(1, byteCount) % pageSize == 0 ? 0 : 1)
        return min(pages, most) * pageSize
    }

    /// The room that a frame of `byteCount` takes in a compact ring: whole cache lines, at least one.
    static func packed(_ byteCount: Int) -> Int {
        (min(max(1, byteCount), Int.max - 63) + 63) & ~63
    }
}
