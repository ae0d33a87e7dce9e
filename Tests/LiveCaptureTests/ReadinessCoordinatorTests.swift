// SPDX-License-Identifier: MIT
// What subscribers to readiness receive, in which order, and how requests are tracked.

import LivecapFrames
import LivecapThreads
import Synchronization
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct ReadinessCoordinatorTests {
    /// The coordinator of a session in which a tap would be served.
    private func ready(
        responsive: Bool = false, _ coordinator: ReadinessCoordinator = ReadinessCoordinator(shortest: .zero)
    ) -> ReadinessCoordinator {
        coordinator.update {
            ($0.isRunning, $0.isResponsive) = (true, responsive)
            ($0.hasFrame, $0.isSettled) = (true, true)
        }
        return coordinator
    }

    @Test func aWaitThatIsOverAtOnceIsNotReported() async {
        let time = ClockHand()
        let coordinator = ready(ReadinessCoordinator(now: time.now, shortest: .milliseconds(50)))
        var states = coordinator.changes().makeAsyncIterator()
        #expect(await states.next(isolation: nil)?.state == .ready)
        coordinator.update { $0.waiting = 1 }
        #expect(coordinator.current.state == .notReadyWaitingForCapture)
        time.pass(.milliseconds(40))
        coordinator.update { $0.waiting = 0 }
        coordinator.update { $0.isRunning = false }
        #expect(await states.next(isolation: nil)?.state == .notRunning)
    }

    @Test func aWaitThatLastsIsReportedWhateverItIsFor() async {
        let time = ClockHand()
        let coordinator = ready(ReadinessCoordinator(now: time.now, shortest: .milliseconds(50)))
        var states = coordinator.changes().makeAsyncIterator()
        #expect(await states.next(isolation: nil)?.state == .ready)
        coordinator.update { $0.waiting = 1 }
        time.pass(.milliseconds(30))
        coordinator.update {
            $0.waiting = 0
            $0.processing = 1
        }
        time.pass(.milliseconds(30))
        coordinator.update { _ in }
        #expect(await states.next(isolation: nil)?.state == .notReadyWaitingForProcessing)
        coordinator.update { $0.processing = 0 }
        #expect(await states.next(isolation: nil)?.state == .ready)
    }

    @Test func aNewSubscriberKnowsThePresentAndDisturbsNobody() async {
        let time = ClockHand()
        let coordinator = ready(ReadinessCoordinator(now: time.now, shortest: .milliseconds(50)))
        var states = coordinator.changes().makeAsyncIterator()
        #expect(await states.next(isolation: nil)?.state == .ready)
        coordinator.update { $0.waiting = 1 }
        var others = coordinator.changes().makeAsyncIterator()
        #expect(await others.next(isolation: nil)?.state == .notReadyWaitingForCapture)
        coordinator.update { $0.waiting = 0 }
        #expect(await others.next(isolation: nil)?.state == .ready)
        coordinator.update { $0.isRunning = false }
        #expect(await states.next(isolation: nil)?.state == .notRunning)
    }

    @Test func aWaitThatIsKnownToBeLongIsReportedAtOnce() async {
        let coordinator = ready(ReadinessCoordinator(now: { .zero }, shortest: .milliseconds(50)))
        var states = coordinator.changes().makeAsyncIterator()
        #expect(await states.next(isolation: nil)?.state == .ready)
        coordinator.update {
            $0.waiting = 1
            $0.waitForCapture = .milliseconds(50)
        }
        #expect(await states.next(isolation: nil)?.state == .notReadyWaitingForCapture)
    }

    @Test("A new subscriber gets the current state, then changes, until the coordinator ends")
    func changes() async {
        var coordinator: ReadinessCoordinator? = ready()
        var states = coordinator!.changes().makeAsyncIterator()
        #expect(await states.next(isolation: nil)?.state == .ready)
        coordinator!.update { $0.waiting = 1 }
        #expect(await states.next(isolation: nil)?.state == .notReadyWaitingForCapture)
        coordinator!.update { $0.waiting = 0 }
        coordinator = nil
        #expect(await states.next(isolation: nil)?.state == .ready)
        #expect(await states.next(isolation: nil) == nil)
    }

    @Test("A slow subscriber gets only the newest state, and none twice in a row")
    func slowness() async {
        let coordinator = ready()
        var states = coordinator.changes().makeAsyncIterator()
        for count in [1, 0, 1] { coordinator.update { $0.waiting = count } }
        #expect(await states.next(isolation: nil)?.state == .notReadyWaitingForCapture)
        for count in [0, 1] { coordinator.update { $0.waiting = count } }
        coordinator.update { $0.isRunning = false }
        #expect(await states.next(isolation: nil)?.state == .notRunning)
        coordinator.update { $0.isRunning = true }
        coordinator.update { $0.isRunning = false }
        coordinator.update { $0.isRunning = true }
        #expect(await states.next(isolation: nil)?.state == .notReadyMomentarily)
    }

    @Test("A change that is undone before a slow subscriber reads is not reported")
    func backAgain() async {
        let coordinator = ready()
        var states = coordinator.changes().makeAsyncIterator()
        #expect(await states.next(isolation: nil)?.state == .ready)
        for count in [1, 0] { coordinator.update { $0.waiting = count } }
        let next = Task { [states] in
            var states = states
            return await states.next(isolation: nil)?.state
        }
        // Whether it is already waiting or not: the earlier `ready` is not delivered again.
        coordinator.update { $0.isRunning = false }
        #expect(await next.value == .notRunning)
    }

    @Test("An estimate shrinks as time passes")
    func passingEstimates() {
        let time = ClockHand()
        let coordinator = ReadinessCoordinator(now: time.now)
        coordinator.update {
            $0.isRunning = true
            ($0.hasFrame, $0.isSettled, $0.waiting) = (true, true, 1)
            $0.waitForCapture = .milliseconds(50)
        }
        time.pass(.milliseconds(20))
        let request = coordinator.track()
        #expect(coordinator.current.estimatedWait == .milliseconds(30))
        time.pass(.milliseconds(40))
        #expect(coordinator.current.estimatedWait == .zero)
        request.cancel()
    }

    @Test("A better estimate is not a change, but can be queried")
    func estimates() async {
        let coordinator = ready(responsive: false, ReadinessCoordinator(now: { .zero }, shortest: .zero))
        var states = coordinator.changes().makeAsyncIterator()
        coordinator.update { ($0.waiting, $0.waitForCapture) = (1, .milliseconds(50)) }
        #expect(
            await states.next(isolation: nil)
                == Readiness(.notReadyWaitingForCapture, estimatedWait: .milliseconds(50)))
        coordinator.update { $0.waitForCapture = .milliseconds(20) }
        #expect(coordinator.current.estimatedWait == .milliseconds(20))
        coordinator.update { ($0.waiting, $0.processing) = (0, 1) }
        #expect(await states.next(isolation: nil) == Readiness(.notReadyWaitingForProcessing))
    }

    @Test("A subscriber that ended is removed")
    func cancelledSubscriber() async {
        let coordinator = ready()
        let listener = Task { [states = coordinator.changes()] in
            var count = 0
            for await _ in states { count += 1 }
            return count
        }
        listener.cancel()
        #expect(await listener.value <= 1)
        coordinator.update { $0.isRunning = false }
        #expect(coordinator.subscriberCount == 0)
    }

    @Test("A closure is called with the current state and with changes, one call at a time")
    func closures() {
        let coordinator = ready()
        let heard = Guarded<[CaptureReadiness]>([])
        let doorbell = OwnedDoorbell()
        let observation = try! coordinator.onChange { reading in
            heard.withLock { $0.append(reading.state) }
            doorbell.ring()
        }
        doorbell.wait { heard.withLock { $0 == [.ready] } }
        coordinator.update { $0.waiting = 1 }
        doorbell.wait { heard.withLock { $0 == [.ready, .notReadyWaitingForCapture] } }
        observation.cancel()
        coordinator.update { $0.waiting = 0 }
        #expect(heard.withLock { $0.count } == 2)
        #expect(coordinator.subscriberCount == 0)
    }

    @Test("An observation can be cancelled from within its own call, or released")
    func cancellingWithin() {
        let coordinator = ready()
        let mine = Guarded<ReadinessObservation?>(nil)
        let calls = Atomic<Int>(0)
        let doorbell = OwnedDoorbell()
        let observation = try! coordinator.onChange { _ in
            doorbell.wait { mine.withLock { $0 != nil } }
            mine.withLock { $0 }!.cancel()
            calls.wrappingAdd(1, ordering: .releasing)
            doorbell.ring()
        }
        mine.withLock { $0 = observation }
        doorbell.ring()
        doorbell.wait { calls.load(ordering: .acquiring) == 1 }
        coordinator.update { $0.isRunning = false }
        #expect(coordinator.subscriberCount == 0)
        _ = try! coordinator.onChange { _ in }
        #expect(coordinator.subscriberCount == 0)
    }

    @Test("A tracked request counts at once, until it is cancelled or released")
    func tracking() {
        let coordinator = ready()
        var request: TrackedRequest? = coordinator.track()
        #expect(coordinator.current.state == .notReadyWaitingForCapture)
        request?.cancel()
        #expect(coordinator.current.state == .ready)
        request?.cancel()
        request = nil
        #expect(coordinator.current.state == .ready)
        request = coordinator.track()
        #expect(coordinator.current.state == .notReadyWaitingForCapture)
        request = nil
        #expect(coordinator.current.state == .ready)
    }

    @Test("A request that is handed over is counted exactly once")
    func takingOver() async {
        let coordinator = ready(responsive: true)
        coordinator.update { $0.maxWaiting = 2 }
        let request = coordinator.track()
        var states = coordinator.changes().makeAsyncIterator()
        #expect(await states.next(isolation: nil)?.state == .ready)
        coordinator.update(takingOver: request) { $0.waiting += 1 }
        #expect(coordinator.current.state == .ready)
        request.cancel()
        coordinator.update(takingOver: request) { $0.waiting += 1 }
        #expect(await states.next(isolation: nil)?.state == .notReadyWaitingForCapture)
        coordinator.update { $0.waiting = 0 }
        coordinator.update(takingOver: nil) { $0.waiting += 1 }
        #expect(coordinator.current.state == .ready)
    }

    @Test("A request that was tracked elsewhere ends there")
    func foreignRequest() {
        let (one, other) = (ready(), ready())
        let request = one.track()
        other.update(takingOver: request) { $0.waiting += 1 }
        #expect(one.current.state == .ready)
        #expect(other.current.state == .notReadyWaitingForCapture)
    }

    @Test("Requests of many threads at once all count, and none remains")
    func threads() {
        let coordinator = ready()
        let observation = try! coordinator.onChange { _ in }
        let threads = (0..<4).map { _ in
            try! SystemThread(name: "tap") {
                for round in 0..<200 {
                    let request = coordinator.track()
                    guard round % 2 == 0 else { continue }
                    coordinator.update(takingOver: request) { $0.waiting += 1 }
                    coordinator.update { $0.waiting -= 1 }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(coordinator.current.state == .ready)
        observation.cancel()
    }
}

/// A doorbell that several threads can share.
private final class OwnedDoorbell: Sendable {
    private let doorbell = Doorbell(spinNanoseconds: 0)
    func ring() { doorbell.ring() }
    func wait(for condition: () -> Bool) { doorbell.wait(for: condition) }
}

/// A clock that the test advances.
private final class ClockHand: Sendable {
    private let nanoseconds = Atomic<Int64>(0)
    func pass(_ time: Duration) { nanoseconds.wrappingAdd(time.nanoseconds, ordering: .relaxed) }
    @Sendable func now() -> Timestamp { Timestamp(nanoseconds: nanoseconds.load(ordering: .relaxed)) }
}
