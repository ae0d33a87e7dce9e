// SPDX-License-Identifier: MIT
// The frame path probe, when the program was started with it.

import Glibc

/// Counts of heap calls, locks and reference counting by this thread. Found at run time, because the program itself must
/// not allocate through a probe: start with `LD_PRELOAD=libFramePathProbe.so`.
struct Probe {
    /// What was counted, as in `lc_probe_counts`.
    struct Counts {
        var allocations: UInt64 = 0
        var frees: UInt64 = 0
        var locks: UInt64 = 0
        var references: UInt64 = 0
    }

    private let start: @convention(c) () -> Int32
    private let stop: @convention(c) (UnsafeMutableRawPointer) -> Void

    /// Nil when the probe is not there, or can count nothing.
    init?() {
        guard let start = dlsym(nil, "lc_probe_start"), let stop = dlsym(nil, "lc_probe_stop") else { return nil }
        self.start = unsafeBitCast(start, to: (@convention(c) () -> Int32).self)
        self.stop = unsafeBitCast(stop, to: (@convention(c) (UnsafeMutableRawPointer) -> Void).self)
        guard count({}) != nil else { return nil }
    }

    func count(_ body: () -> Void) -> Counts? {
        let measured = start()
        body()
        var counts = Counts()
        stop(&counts)
        return measured == 0 ? nil : counts
    }
}
