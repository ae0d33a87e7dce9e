// SPDX-License-Identifier: MIT
// A pool calls each body once, even if several threads use it at the same time, and ends when it is released.

import Fusion
import Synchronization
import Testing

@Suite struct ThreadPoolTests {
    /// Counts the visits to each place. With atomics, because the thread sanitizer does not see into
    /// `Mutex`.
    private final class Visits: @unchecked Sendable {  // only atomics lie at the address, and it never changes
        private let places: UnsafeMutablePointer<Atomic<Int>>
        private let count: Int

        init(_ count: Int) {
            self.count = count
            places = .allocate(capacity: count)
            for place in 0..<count { (places + place).initialize(to: Atomic(0)) }
        }

        deinit { places.deinitialize(count: count).deallocate() }

        func visit(_ place: Int) { places[place].wrappingAdd(1, ordering: .relaxed) }
        var all: [Int] { (0..<count).map { places[$0].load(ordering: .relaxed) } }
    }

    @Test(arguments: [1, 2, 3, 8], [0, 1, 2, 3, 7, 1000])
    func eachIndexIsVisitedOnce(threads: Int, count: Int) {
        let pool = ThreadPool(threads: threads)
        let visits = Visits(count)
        pool.run(count) { visits.visit($0) }
        #expect(visits.all == [Int](repeating: 1, count: count))
    }

    @Test func writesAreVisibleWhenARunReturns() {
        // Plain memory, so that the thread sanitizer reports a run that returns before its bodies.
        let pool = ThreadPool(threads: 3)
        let places = UnsafeMutableBufferPointer<Int>.allocate(capacity: 64)
        defer { places.deallocate() }
        places.initialize(repeating: 0)
        nonisolated(unsafe) let shared = places
        for round in 1...500 {
            pool.run(64) { shared[$0] += 1 }
            #expect(places.allSatisfy { $0 == round })
        }
    }

    @Test func runsFromManyThreadsDoNotMix() async {
        let pool = ThreadPool(threads: 3)
        await withTaskGroup(of: Bool.self) { group in
            for size in 1...6 {
                group.addTask {
                    for _ in 0..<200 {
                        let visits = Visits(size * 5)
                        pool.run(size * 5) { visits.visit($0) }
                        guard visits.all.allSatisfy({ $0 == 1 }) else { return false }
                    }
                    return true
                }
            }
            for await isSound in group { #expect(isSound) }
        }
    }

    @Test func aRunWithinARunIsDone() {
        let pool = ThreadPool(threads: 2)
        let visits = Visits(12)
        pool.run(3) { outer in pool.run(4) { inner in visits.visit(outer * 4 + inner) } }
        #expect(visits.all == [Int](repeating: 1, count: 12))
    }

    @Test func aPoolThatSleptWorksAgainAndEnds() async throws {
        for _ in 0..<3 {
            let pool = ThreadPool(threads: 2)
            for _ in 0..<3 {
                try await Task.sleep(for: .milliseconds(2))
                let visits = Visits(9)
                pool.run(9) { visits.visit($0) }
                #expect(visits.all == [Int](repeating: 1, count: 9))
            }
        }
    }

    @Test func otherThreadsTakePart() {
        // Two bodies that wait for each other cannot both run on the caller's thread.
        let pool = ThreadPool(threads: 2)
        let arrived = Atomic<Int>(0)
        pool.run(2) { _ in
            arrived.wrappingAdd(1, ordering: .sequentiallyConsistent)
            while arrived.load(ordering: .sequentiallyConsistent) < 2 {}
        }
        #expect(arrived.load(ordering: .sequentiallyConsistent) == 2)
    }

    @Test func poolsComeAndGo() { for threads in 1...20 { _ = ThreadPool(threads: threads) } }
}
