// SPDX-License-Identifier: MIT
// A history that is asked for by the memory it takes, instead of by its length.

import Camera
import FrameRing
import LivecapFrames

/// How much memory a session's history gets.
public struct HistoryMemory: Hashable, Sendable {
    /// The memory in bytes.
    public var bytes: Int
    /// The length beyond which the history does not grow, however small its frames; nil if there is none.
    public var limit: Duration?

    /// A history that takes `bytes`, and is no longer than `limit`.
    public init(bytes: Int, upTo limit: Duration? = nil) {
        self.bytes = bytes
        self.limit = limit
    }

    /// The length of history that the memory has room for with frames of the usual size; nil if that is none.
    func duration(of description: SourceDescription) -> Duration? {
        let most = RingCapacity(duration: limit ?? .seconds(86400), byteCap: bytes).plan(
            format: description.format, rate: description.rate, reserve: description.reserve)
        guard let most else { return nil }
        if let limit, most.limit == .asked { return limit }
        let interval = (description.rate ?? RingCapacity.assumedRate).interval
        // A compact ring has a quarter more slots than its duration needs, and room for them.
        let duration = most.isCompact ? max(.zero, most.usualDuration * 4 / 5 - interval) : most.usualDuration
        return limit.map { min($0, duration) } ?? duration
    }
}
