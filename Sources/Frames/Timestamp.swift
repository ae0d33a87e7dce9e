// SPDX-License-Identifier: MIT
// Points and spans of time in nanoseconds, on the clock of the source that stamped them.

import LivecapCSystem

/// A point in time, in nanoseconds on CLOCK_MONOTONIC. Replay and synthetic sources have clocks of their own.
public struct Timestamp: Hashable, Comparable, Sendable {
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
    /// The point `span` after `time`, saturating.
    @inlinable public static func + (time: Timestamp, span: TimeSpan) -> Timestamp {
        Timestamp(nanoseconds: saturatingSum(time.nanoseconds, span.nanoseconds))
    }
    /// The point `span` before `time`, saturating.
    @inlinable public static func - (time: Timestamp, span: TimeSpan) -> Timestamp {
        Timestamp(nanoseconds: saturatingDifference(time.nanoseconds, span.nanoseconds))
    }
    /// The signed span from `b` to `a`, saturating.
    @inlinable public static func - (a: Timestamp, b: Timestamp) -> TimeSpan {
        TimeSpan(nanoseconds: saturatingDifference(a.nanoseconds, b.nanoseconds))
    }
}

/// A signed length of time, in nanoseconds.
public struct TimeSpan: Hashable, Comparable, Sendable {
    /// The length in nanoseconds.
    public let nanoseconds: Int64

    /// A span of `nanoseconds`.
    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// A span of no length.
    @inlinable public static var zero: TimeSpan { TimeSpan(nanoseconds: 0) }
    /// A span of whole nanoseconds.
    @inlinable public static func nanoseconds(_ n: Int64) -> TimeSpan { TimeSpan(nanoseconds: n) }
    /// A span of whole microseconds, saturating.
    @inlinable public static func microseconds(_ n: Int64) -> TimeSpan { TimeSpan(nanoseconds: 1_000) * n }
    /// A span of whole milliseconds, saturating.
    @inlinable public static func milliseconds(_ n: Int64) -> TimeSpan { TimeSpan(nanoseconds: 1_000_000) * n }
    /// A span of seconds, rounded to the nanosecond and saturating. NaN becomes zero.
    public static func seconds(_ s: Double) -> TimeSpan {
        guard !s.isNaN else { return .zero }
        let scaled = (s * 1e9).rounded()
        if scaled >= 0x1p63 { return TimeSpan(nanoseconds: .max) }
        if scaled < -0x1p63 { return TimeSpan(nanoseconds: .min) }
        return TimeSpan(nanoseconds: Int64(scaled))
    }

    /// The span in seconds, for people and statistics.
    @inlinable public var seconds: Double { Double(nanoseconds) * 1e-9 }
    /// The span in milliseconds, for people and statistics.
    @inlinable public var milliseconds: Double { Double(nanoseconds) * 1e-6 }
    /// The absolute length of the span.
    @inlinable public var magnitude: TimeSpan {
        TimeSpan(nanoseconds: nanoseconds == .min ? .max : abs(nanoseconds))
    }

    /// Whether `a` is shorter, or more negative.
    @inlinable public static func < (a: TimeSpan, b: TimeSpan) -> Bool { a.nanoseconds < b.nanoseconds }
    /// The sum of two spans, saturating.
    @inlinable public static func + (a: TimeSpan, b: TimeSpan) -> TimeSpan {
        TimeSpan(nanoseconds: saturatingSum(a.nanoseconds, b.nanoseconds))
    }
    /// The difference of two spans, saturating.
    @inlinable public static func - (a: TimeSpan, b: TimeSpan) -> TimeSpan {
        TimeSpan(nanoseconds: saturatingDifference(a.nanoseconds, b.nanoseconds))
    }
    /// `span` multiplied by `count`, saturating.
    @inlinable public static func * (span: TimeSpan, count: Int64) -> TimeSpan {
        let (product, overflow) = span.nanoseconds.multipliedReportingOverflow(by: count)
        guard overflow else { return TimeSpan(nanoseconds: product) }
        return TimeSpan(nanoseconds: (span.nanoseconds < 0) == (count < 0) ? .max : .min)
    }
    /// `span` divided by `count`, rounded towards zero.
    @inlinable public static func / (span: TimeSpan, count: Int64) -> TimeSpan {
        TimeSpan(nanoseconds: span.nanoseconds / count)
    }
}

@inlinable func saturatingSum(_ a: Int64, _ b: Int64) -> Int64 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? (b < 0 ? .min : .max) : sum
}

@inlinable func saturatingDifference(_ a: Int64, _ b: Int64) -> Int64 {
    let (difference, overflow) = a.subtractingReportingOverflow(b)
    return overflow ? (b < 0 ? .max : .min) : difference
}
