// SPDX-License-Identifier: MIT
// Points in time and durations: exact within their range, saturating at its ends.

import LivecapFrames
import Testing

@Suite struct TimeTests {
    @Test("Points saturate at the ends of their range")
    func saturation() {
        #expect(Timestamp.distantFuture + .milliseconds(1) == .distantFuture)
        #expect(Timestamp(nanoseconds: .min) - .milliseconds(1) == Timestamp(nanoseconds: .min))
        #expect(Timestamp.zero + .seconds(Int64.max) == .distantFuture)
        #expect(Timestamp.zero - .seconds(Int64.max) == Timestamp(nanoseconds: .min))
        #expect(Timestamp.zero - Duration(attoseconds: .min) == .distantFuture)
        #expect(Timestamp.zero + Duration(attoseconds: .min) == Timestamp(nanoseconds: .min))
    }

    @Test("Differences are exact, however far apart the points are")
    func differences() {
        let (first, last) = (Timestamp(nanoseconds: .min), Timestamp.distantFuture)
        #expect(last - first == .nanoseconds(UInt64.max))
        #expect(first + (last - first) == last)
        #expect(last - (last - first) == first)
        #expect(first.distance(to: last) == .max && last.distance(to: first) == .max)
        #expect((last - first).nanoseconds == .max)
        #expect((first - last).nanoseconds == .min)
    }

    @Test("A duration counts as the nearest nanosecond")
    func rounding() {
        #expect(Duration.seconds(2.3).nanoseconds == 2_300_000_000)
        #expect(Duration.seconds(-2.3).nanoseconds == -2_300_000_000)
        #expect((Duration.nanoseconds(2) / 3).nanoseconds == 1)
        #expect((Duration.nanoseconds(-1) / 2).nanoseconds == -1)
        #expect((Duration.nanoseconds(1) / 3).nanoseconds == 0)
        #expect(Timestamp.zero + .seconds(2.3) == Timestamp(nanoseconds: 2_300_000_000))
    }

    @Test("Any number of seconds becomes a duration")
    func foreignSeconds() {
        #expect(Duration.saturating(seconds: 1.1) == .milliseconds(1100))
        #expect(Duration.saturating(seconds: 1e300) == .nanoseconds(Int64.max))
        #expect(Duration.saturating(seconds: -.infinity) == .nanoseconds(Int64.min))
        #expect(Duration.saturating(seconds: .nan) == .zero)
    }

    @Test("The standard library's generic code works on points")
    func instants() {
        func later<Instant: InstantProtocol>(_ instant: Instant, _ span: Instant.Duration) -> Instant.Duration {
            instant.duration(to: instant.advanced(by: span))
        }
        #expect(later(Timestamp(nanoseconds: 5), .milliseconds(-7)) == .milliseconds(-7))
    }
}
