// SPDX-License-Identifier: MIT
// Which connections are cut off, and in what order.

import LivecapFrames
import Testing

@testable import LivecapHTTP

@Suite struct HTTPDeadlinesTests {
    @Test func onlyThoseThatLetTheirDeadlinesPassAreLate() {
        var deadlines = HTTPDeadlines()
        deadlines.expect(3, by: Timestamp(nanoseconds: 30))
        deadlines.expect(4, by: Timestamp(nanoseconds: 10))
        deadlines.expect(5, by: Timestamp(nanoseconds: 20))
        deadlines.settle(4)
        #expect(deadlines.next == Timestamp(nanoseconds: 20))
        #expect(deadlines.takeLate(at: Timestamp(nanoseconds: 19)).isEmpty)
        #expect(deadlines.takeLate(at: Timestamp(nanoseconds: 25)) == [5])
        #expect(deadlines.next == Timestamp(nanoseconds: 30))
    }

    @Test func aNewDeadlineReplacesTheOldOne() {
        var deadlines = HTTPDeadlines()
        deadlines.expect(3, by: Timestamp(nanoseconds: 10))
        deadlines.expect(3, by: Timestamp(nanoseconds: 90))
        #expect(deadlines.takeLate(at: Timestamp(nanoseconds: 50)).isEmpty)
    }

    @Test func theOneThatHasWaitedLongestGoesFirst() {
        var deadlines = HTTPDeadlines()
        for (socket, time) in [(7, 3), (8, 1), (9, 2)] as [(Int32, Int64)] {
            deadlines.expect(socket, by: Timestamp(nanoseconds: time))
        }
        #expect((0..<4).map { _ in deadlines.takeOldest() } == [8, 9, 7, nil])
    }
}
