// SPDX-License-Identifier: MIT
// Holds a benchmark to some of the machine's processors.

import LivecapCSystem

/// Keeps work on a number of processors.
enum ProcessorLimit {
    /// The machine has fewer processors than a benchmark is about, or they cannot be chosen.
    struct TooFew: Error, CustomStringConvertible {
        let count: Int
        var description: String { "it needs \(count) \(count == 1 ? "processor" : "processors") to itself" }
    }

    /// Bits for 1024 processors, as many as the C library knows.
    private static let byteCount = 128

    /// Runs `body` on the first `count` processors that the calling thread may use. Threads that begin meanwhile are
    /// held there, too.
    static func hold<Result>(to count: Int, _ body: () throws -> Result) throws -> Result {
        var all = [UInt8](repeating: 0, count: byteCount)
        guard lc_thread_processors(&all, byteCount) == 0 else { throw TooFew(count: count) }
        var few = [UInt8](repeating: 0, count: byteCount)
        var left = count
        for processor in 0..<8 * byteCount where left > 0 {
            let bit = all[processor / 8] & 1 << (processor % 8)
            few[processor / 8] |= bit
            left -= bit == 0 ? 0 : 1
        }
        guard left == 0, lc_thread_stay_on(few, byteCount) == 0 else { throw TooFew(count: count) }
        defer { _ = lc_thread_stay_on(all, byteCount) }
        return try body()
    }
}
