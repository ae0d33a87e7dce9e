// SPDX-License-Identifier: MIT
// Which share of a processor a thread takes.

import Glibc
import LivecapFrames

/// Measures the share of a processor that the calling thread takes, over about a second each.
struct ShareMeter {
    private var begin = Timestamp.now
    private var used = Self.threadTime

    /// The share over the last second or longer; nil if that is not over yet.
    mutating func share() -> Double? {
        let now = Timestamp.now
        guard now - begin >= .seconds(1) else { return nil }
        let time = Self.threadTime
        defer { (begin, used) = (now, time) }
        return Double(time - used) / Double((now - begin).nanoseconds)
    }

    /// Nanoseconds of processor time of the calling thread so far.
    private static var threadTime: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
