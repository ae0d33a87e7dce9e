// SPDX-License-Identifier: MIT
// How long the system has been running: a clock that nobody sets.

import Glibc

/// A moment of one run of the system.
package struct Uptime: Hashable, Sendable {
    /// The kernel's name of this run.
    package var boot: String
    /// Nanoseconds since it began, with sleep: CLOCK_BOOTTIME.
    package var nanoseconds: Int64

    /// A moment of the run of that name.
    package init(boot: String, nanoseconds: Int64) {
        self.boot = boot
        self.nanoseconds = nanoseconds
    }

    /// Now; nil if the system does not say which run this is.
    package static var now: Uptime? {
        guard let file = fopen("/proc/sys/kernel/random/boot_id", "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = fread(&bytes, 1, bytes.count, file)
        let boot = String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        var time = timespec()
        guard !boot.isEmpty, clock_gettime(CLOCK_BOOTTIME, &time) == 0 else { return nil }
        return Uptime(boot: boot, nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
