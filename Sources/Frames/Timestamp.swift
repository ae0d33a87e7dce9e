// SPDX-License-Identifier: MIT
// Points in time in nanoseconds, on the clock of the source that stamped them.

import LivecapCSystem

/// A point in time, in nanoseconds on CLOCK_MONOTONIC. Replay and synthetic sources have clocks of their own.
public struct Timestamp: InstantProtocol {
    /// Differences of points are durations.
    public typealias Duration = Swift.Duration

    /// Nanoseconds since the clock's origin.
    public let nanoseconds: Int64

    /// The point `nanoseconds` after the clock's origin.
    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The current time on CLOCK_MONOTONIC: `clock_gettime(2)`.
    @inlinable public static var now: Timestamp { Timestamp(nanoseconds: lc_monotonic_ns()) }

    /// The clock's origin.
    @inlinable public static var zero: Timestamp { Timestamp(nanoseconds: 0) }
    /// Later than every real point in time.
    @inlinable public static var distantFuture: Timestamp { Timestamp(nanoseconds: .max) }

    /// Whether `a` is earlier.
    @inlinable public static func < (a: Timestamp, b: Timestamp) -> Bool { a.nanoseconds < b.nanoseconds }
    /// The point `span` after this one, to the nearest nanosecond, saturating.
    @inlinable public func advanced(by span: Duration) -> Timestamp {
        Timestamp(nanoseconds: Int64(clamping: Int128(nanoseconds) + span.wholeNanoseconds))
    }
    /// The signed duration from this point to `other`.
    @inlinable public func duration(to other: Timestamp) -> Duration {
        Duration(attoseconds: (Int128(other.nanoseconds) - Int128(nanoseconds)) * 1_000_000_000)
    }

    /// The point `span` after `time`, saturating.
    @inlinable public static func + (time: Timestamp, span: Duration) -> Timestamp { time.advanced(by: span) }
    /// The point `span` before `time`, saturating.
    @inlinable public static func - (time: Timestamp, span: Duration) -> Timestamp {
        Timestamp(nanoseconds: Int64(clamping: Int128(time.nanoseconds) - span.wholeNanoseconds))
    }
    /// Moves a point by a span, saturating.
    @inlinable public static func += (time: inout Timestamp, span: Duration) { time = time + span }
    /// The signed duration from `b` to `a`.
    @inlinable public static func - (a: Timestamp, b: Timestamp) -> Duration { b.duration(to: a) }

    /// How far apart both points are, in nanoseconds. For the ring, which compares it for each of its slots: durations
    /// have 128 bits, with which a lease by time took eight times as long.
    @inlinable package func distance(to other: Timestamp) -> UInt64 {
        UInt64(
            bitPattern: nanoseconds > other.nanoseconds
                ? nanoseconds &- other.nanoseconds : other.nanoseconds &- nanoseconds)
    }
}
