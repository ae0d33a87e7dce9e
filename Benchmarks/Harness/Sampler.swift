// SPDX-License-Identifier: MIT
// Where the time goes, instruction by instruction, when the program was started with the probe.

import Glibc

/// Samples of where the calling thread is. It comes with `Probe`'s library: start with `LD_PRELOAD=libFramePathProbe.so`.
struct Sampler {
    private let start: @convention(c) (UnsafeMutablePointer<UInt>, Int) -> Int32
    private let stop: @convention(c) () -> Int

    /// Nil when the sampler is not there.
    init?() {
        guard let start = dlsym(nil, "lc_sampler_start"), let stop = dlsym(nil, "lc_sampler_stop") else { return nil }
        self.start = unsafeBitCast(
            start, to: (@convention(c) (UnsafeMutablePointer<UInt>, Int) -> Int32).self)
        self.stop = unsafeBitCast(stop, to: (@convention(c) () -> Int).self)
    }

    /// The addresses `body` was seen at; nil when they could not be asked for.
    func places(_ body: () throws -> Void) rethrows -> [UInt]? {
        let noted = UnsafeMutableBufferPointer<UInt>.allocate(capacity: 1 << 16)
        noted.initialize(repeating: 0)
        defer { noted.deallocate() }
        guard start(noted.baseAddress!, noted.count) == 0 else { return nil }
        // Whatever happens, no signal may come once the memory is gone.
        var count = 0
        do {
            defer { count = stop() }
            try body()
        }
        return Array(noted.prefix(count))
    }
}
