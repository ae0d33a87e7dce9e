// SPDX-License-Identifier: MIT
// Durations as the numbers that clocks, files and reports state. Internal: users have `duration / .milliseconds(1)`.

extension Duration {
    /// The duration in nanoseconds, rounded to the nearest: `.seconds(2.3)` is a little less than it says.
    @usableFromInline package var wholeNanoseconds: Int128 {
        let (quotient, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return quotient + (rest >= 500_000_000 ? 1 : rest <= -500_000_000 ? -1 : 0)
    }

    /// The duration in nanoseconds, rounded to the nearest and saturating.
    package var nanoseconds: Int64 { Int64(clamping: wholeNanoseconds) }
    /// The duration in seconds, to the nanosecond, for people and statistics.
    package var seconds: Double { Double(nanoseconds) * 1e-9 }
    /// The duration in milliseconds, to the nanosecond, for people and statistics.
    package var milliseconds: Double { Double(nanoseconds) * 1e-6 }
    /// The absolute length.
    package var magnitude: Duration { self < .zero ? .zero - self : self }

    /// A duration of any number of seconds, rounded to the nanosecond and limited to what `Int64` nanoseconds express.
    /// NaN becomes zero. `seconds(_:)` traps on NaN and on huge numbers: it is for numbers of our own.
    package static func saturating(seconds: Double) -> Duration {
        guard !seconds.isNaN else { return .zero }
        let scaled = (seconds * 1e9).rounded()
        if scaled >= 0x1p63 { return .nanoseconds(Int64.max) }
        if scaled < -0x1p63 { return .nanoseconds(Int64.min) }
        return .nanoseconds(Int64(scaled))
    }
}
