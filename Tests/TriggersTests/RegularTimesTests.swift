// SPDX-License-Identifier: MIT
// Regular times stay regular, whatever happens in between.

import Glibc
import LivecapFrames
import LivecapThreads
import Testing

@testable import LivecapTriggers

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct RegularTimesTests {
    private func time(_ seconds: Double) -> Timestamp { .zero + .seconds(seconds) }

    @Test func theyFollowTheBeginning() {
        var times = RegularTimes(every: .seconds(5), after: time(100))
        #expect(times.next == time(105))
        #expect(times.take(at: time(104.9)) == nil)
        #expect(times.take(at: time(105.2)) == time(105))
        // A late answer delays no other.
        #expect(times.next == time(110))
        #expect(times.take(at: time(110)) == time(110))
    }

    @Test func thoseThatWereSleptThroughAreLeftOut() {
        var times = RegularTimes(every: .seconds(5), after: time(0))
        #expect(times.take(at: time(63)) == time(60))
        #expect(times.next == time(65))
        #expect(times.take(at: time(63)) == nil)
    }

    @Test func aTimerReportsThemUntilItIsLeft() throws {
        let taken = Guarded<[Timestamp]>([])
        let timer = try TriggerTimer(every: .milliseconds(2)) { due in taken.withLock { $0.append(due) } }
        while taken.withLock({ $0.count }) < 5 { sched_yield() }
        timer.leave()
        let times = taken.withLock { $0 }
        for (early, late) in zip(times, times.dropFirst()) {
            let span = late - early
            #expect(span > .zero && span.nanoseconds % 2_000_000 == 0)
        }
    }
}
