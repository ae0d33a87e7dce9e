// SPDX-License-Identifier: MIT
// Finds where time is spent, by instruction address, if the program was started with the probe.

import Glibc

/// Samples the position of the calling thread. It is part of `Probe`'s library: start with
/// `LD_PRELOAD=libFramePathProbe.so`.
struct Sampler {
    private let start: @convention(c) (UnsafeMutablePointer<UInt>, Int) -> Int32
    private let stop: @convention(c) () -> Int

    /// Nil if the sampler is not loaded.
    init?() {
        guard let start = dlsym(nil, "lc_sampler_start"), let stop = dlsym(nil, "lc_sampler_stop") else { return nil }
        self.start = unsafeBitCast(
            start, to: (@convention(c) (UnsafeMutablePointer<UInt>, Int) -> Int32).self)
        self.stop = unsafeBitCast(stop, to: (@convention(c) () -> Int).self)
    }

    /// The addresses at which `body` was seen, or nil if sampling could not be started.
    func places(_ body: () throws -> Void) rethrows -> [UInt]? {
        let noted = UnsafeMutableBufferPointer<UInt>.allocate(capacity: 1 << 16)
        noted.initialize(repeating: 0)
        defer { noted.deallocate() }
        guard start(noted.baseAddress!, noted.count) == 0 else { return nil }
        // In every case, no signal may arrive after the memory is freed.
        var count = 0
        do {
            defer { count = stop() }
            try body()
        }
        return Array(noted.prefix(count))
    }
}
