// SPDX-License-Identifier: MIT
// When background work resumes, and that no thread misses being released.

import LivecapFrames
import LivecapThreads
import Synchronization
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct FinishingGateTests {
    private let gate = FinishingGate()

    @Test func gateIsOpenWithoutShots() {
        gate.pause()
        gate.note(isBusy: true)
        gate.note(isBusy: false)
        gate.pause()
    }

    @Test func itHoldsUpUntilTheLastShotIsDone() {
        let passed = Atomic<Bool>(false)
        gate.note(isBusy: true)
        let gate = gate
        let worker = try! SystemThread(name: "held up") {
            gate.pause()
            passed.store(true, ordering: .releasing)
        }
        gate.note(isBusy: true)
        expect(!passed.load(ordering: .acquiring))
        gate.note(isBusy: false)
        worker.join()
        expect(passed.load(ordering: .acquiring))
    }

    @Test func closingTheGateReleasesAll() {
        gate.note(isBusy: true)
        let gate = gate
        let worker = try! SystemThread(name: "held up") { gate.pause() }
        let idle = try! SystemThread(name: "idle") { #expect(!gate.waitForWork(idleFor: .seconds(1000))) }
        gate.close()
        worker.join()
        idle.join()
        gate.pause()
        #expect(!gate.waitForWork(idleFor: .zero))
    }

    @Test func workIsThereOnceUntilThereIsMore() {
        #expect(gate.waitForWork(idleFor: .zero))
        let gate = gate
        let times = Atomic<Int>(0)
        let worker = try! SystemThread(name: "finish") {
            while gate.waitForWork(idleFor: .zero) { times.wrappingAdd(1, ordering: .releasing) }
        }
        gate.noteWork()
        wait { times.load(ordering: .acquiring) == 1 }
        gate.noteWork()
        wait { times.load(ordering: .acquiring) == 2 }
        gate.close()
        worker.join()
        expect(times.load(ordering: .acquiring) == 2)
    }

    @Test func theCalmBeginsAnewWithEachShot() {
        let gate = gate
        let begun = Atomic<Bool>(false)
        gate.note(isBusy: true)
        let worker = try! SystemThread(name: "finish") {
            begun.store(gate.waitForWork(idleFor: .seconds(3600)), ordering: .releasing)
        }
        gate.note(isBusy: false)
        gate.note(isBusy: true)
        gate.note(isBusy: false)
        expect(!begun.load(ordering: .acquiring))
        gate.close()
        worker.join()
        expect(!begun.load(ordering: .acquiring))
    }

    /// Whether somebody waits for what is finished.
    private final class Awaited: Sendable {
        let isThere = Atomic<Bool>(false)
    }

    @Test func workThatIsAwaitedIsNotHeldUp() {
        let awaited = Awaited()
        let gate = FinishingGate(unless: { awaited.isThere.load(ordering: .acquiring) })
        gate.note(isBusy: true)
        let worker = try! SystemThread(name: "held up") { gate.pause() }
        awaited.isThere.store(true, ordering: .releasing)
        gate.noteWork()
        worker.join()
        gate.pause()
    }

    @Test func workThatIsAwaitedNeedsNoCalm() {
        let awaited = Awaited()
        let gate = FinishingGate(unless: { awaited.isThere.load(ordering: .acquiring) })
        gate.note(isBusy: true)
        let worker = try! SystemThread(name: "finish") { #expect(gate.waitForWork(idleFor: .seconds(3600))) }
        awaited.isThere.store(true, ordering: .releasing)
        gate.noteWork()
        worker.join()
    }

    /// Shots come and go as quickly as they can, and paused threads are released each time.
    @Test func nobodySleepsThroughBeingLetGo() {
        let gate = gate
        let passes = Atomic<Int>(0)
        let workers = (0..<2).map { number in
            try! SystemThread(name: "held up \(number)") {
                while !gate.hasClosed {
                    gate.pause()
                    passes.wrappingAdd(1, ordering: .relaxed)
                }
            }
        }
        for _ in 0..<2000 {
            gate.note(isBusy: true)
            let before = passes.load(ordering: .relaxed)
            gate.note(isBusy: false)
            wait { passes.load(ordering: .relaxed) > before }
        }
        gate.close()
        for worker in workers { worker.join() }
    }
}

/// `#expect` copies the parts of its expression, and atomics are noncopyable.
private func expect(_ condition: Bool, at location: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: location)
}
