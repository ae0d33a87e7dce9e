// SPDX-License-Identifier: MIT
// The frame path probe, if the program was started with it.

import Glibc

/// Counts heap calls, locks and reference counting on the calling thread. The probe is looked up at run time, because
/// the program itself must not allocate through it: start with `LD_PRELOAD=libFramePathProbe.so`.
struct Probe {
    /// The counts, as in `lc_probe_counts`.
    struct Counts {
        var allocations: UInt64 = 0
        var frees: UInt64 = 0
        var locks: UInt64 = 0
        var references: UInt64 = 0
    }

    private let start: @convention(c) () -> Int32
    private let stop: @convention(c) (UnsafeMutableRawPointer) -> Void

    /// Nil if the probe is not loaded, or does not notice what it should count.
    init?() {
        guard let start = dlsym(nil, "lc_probe_start"), let stop = dlsym(nil, "lc_probe_stop") else { return nil }
        self.start = unsafeBitCast(start, to: (@convention(c) () -> Int32).self)
        self.stop = unsafeBitCast(stop, to: (@convention(c) (UnsafeMutableRawPointer) -> Void).self)
        guard let seen = count(doWhatIsCounted) else { return nil }
        guard seen.allocations > 0, seen.frees > 0, seen.locks > 0, seen.references > 0 else { return nil }
    }

    func count(_ body: () -> Void) -> Counts? {
        let measured = start()
        body()
        var counts = Counts()
        stop(&counts)
        return measured == 0 ? nil : counts
    }
}

/// Allocates, counts references, takes a lock and frees. This ensures that a probe that notices nothing does not pass
/// for a clean path.
@inline(never)
private func doWhatIsCounted() {
    let object = Unmanaged.passRetained(ProbedObject()).toOpaque()
    letGo(retaining(object))
    letGo(object)
    var mutex = pthread_mutex_t()
    pthread_mutex_init(&mutex, nil)
    pthread_mutex_lock(&mutex)
    pthread_mutex_unlock(&mutex)
    pthread_mutex_destroy(&mutex)
}

/// Not inlined, so that the optimiser does not cancel the pair.
@inline(never)
private func retaining(_ object: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    Unmanaged<ProbedObject>.fromOpaque(object).retain().toOpaque()
}

@inline(never)
private func letGo(_ object: UnsafeMutableRawPointer) { Unmanaged<ProbedObject>.fromOpaque(object).release() }

private final class ProbedObject {}
