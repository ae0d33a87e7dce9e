// SPDX-License-Identifier: MIT
// The bytes behind the slots: pages of our own, or buffers a driver lent us. Freed when the last lease lets go.

import Glibc

/// Memory for frames, kept alive by the ring and by every lease, unmapped when the last of them is gone.
///
/// `@unchecked Sendable`: the pointers never change; who may touch the bytes behind them is decided by the ring's slot
/// protocol.
public final class SlotMemory: @unchecked Sendable {
    /// One region a slot; in a compact ring one region for all.
    public let regions: [UnsafeMutableRawBufferPointer]
    /// Whether the pages are locked in memory.
    public let isLocked: Bool
    private let release: @Sendable () -> Void

    /// Memory lent by somebody else; `release` runs once, when nobody uses it any more.
    public init(
        borrowing regions: [UnsafeMutableRawBufferPointer], isLocked: Bool = false,
        release: @escaping @Sendable () -> Void
    ) {
        self.regions = regions
        self.isLocked = isLocked
        self.release = release
    }

    deinit { release() }

    /// Page-aligned memory of our own for `count` slots of `bytesEach`, one mapping, faulted in unless `lazily`, and
    /// locked where the limits permit: `mmap(2)`, `mlock(2)`. Nil when the system has not that much.
    public static func slabs(count: Int, bytesEach: Int, lazily: Bool = false) -> SlotMemory? {
        guard count > 0, bytesEach > 0 else { return nil }
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

    /// Bytes of a page of memory.
    static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// `byteCount` and what is missing to whole pages, at least one; stops at the largest whole number of pages.
    static func wholePages(_ byteCount: Int) -> Int {
        let most = Int.max / pageSize
        let pages = max(1, byteCount) / pageSize + (max(1, byteCount) % pageSize == 0 ? 0 : 1)
        return min(pages, most) * pageSize
    }

    /// The room a frame of `byteCount` takes in a compact ring: whole cache lines, at least one.
    static func packed(_ byteCount: Int) -> Int {
        (min(max(1, byteCount), Int.max - 63) + 63) & ~63
    }
}
