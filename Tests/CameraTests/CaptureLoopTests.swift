// SPDX-License-Identifier: MIT
// The capture thread: start, end, failure, stop, and the notices it gives.

import FrameRing
import Glibc
import LivecapFrames
import LivecapThreads
import Synchronization
import Testing

@testable import Camera

/// A source that follows a script, one outcome per step, and then waits to be interrupted.
private final class ScriptedSource: FrameSource {
    private(set) var description = SourceDescription(
        name: "script", identity: "script",
        format: FrameFormat(pixelFormat: .grey, size: FrameSize(width: 16, height: 16)), rate: FrameRate(30),
        clock: .own)
    private var script: [Result<StepOutcome, CameraError>]
    private let log: Log
    private let wake = try! WakeEvent()

    /// Records what the thread did, for the test to check.
    final class Log: Sendable {
        let events = Guarded<[String]>([])
        func note(_ event: String) { events.withLock { $0.append(event) } }
        var all: [String] { events.withLock { $0 } }
    }

    init(_ script: [Result<StepOutcome, CameraError>], log: Log) {
        self.script = script.reversed()
        self.log = log
    }

    func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        try makeSlabRing(capacity, format: description.format, rate: description.rate)
    }

    func start(_ producer: inout RingProducer) throws(CameraError) { log.note("start") }

    func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        guard let next = script.popLast() else {
            var polled = pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&polled, 1, 10_000)
            return .nothing
        }
        let outcome = try next.get()
        if case .published = outcome, let slot = producer.claim() {
            return .published(producer.publish(slot, FrameMetadata(time: .zero, byteCount: 256)))
        }
        return outcome
    }

    func stop() { log.note("stop") }

    var interrupt: @Sendable () -> Void {
        let wake = wake
        return { wake.raise() }
    }
}

@Suite struct CaptureLoopTests {
    private let log = ScriptedSource.Log()
    private let frame = Result<StepOutcome, CameraError>.success(.published(FrameID(epoch: 0, counter: 0)))
    private let small = RingCapacity(duration: .milliseconds(500), byteCap: 1 << 20)

    @Test func framesFlowUntilTheSourceEnds() throws {
        let loop = try CaptureLoop(ScriptedSource([frame, frame, .success(.ended)], log: log), capacity: small)
        #expect(loop.state == .idle)
        loop.start()
        #expect(loop.ring.wait(forCounter: 9) == .ended)
        #expect(loop.ring.nextCounter == 2)
        #expect(loop.state == .ended)
        loop.stop()
        #expect(log.all == ["start", "stop"])
    }

    @Test func aFailureEndsTheRingAndIsKept() throws {
        let loop = try CaptureLoop(
            ScriptedSource([frame, .failure(.disconnected(path: "/dev/video0"))], log: log), capacity: small)
        loop.start()
        #expect(loop.ring.wait(forCounter: 9) == .ended)
        #expect(loop.state == .failed(.disconnected(path: "/dev/video0")))
        loop.stop()
        #expect(log.all.last == "stop")
    }

    @Test func stoppingInterruptsAWaitingSource() throws {
        let loop = try CaptureLoop(ScriptedSource([frame], log: log), capacity: small)
        loop.start()
        #expect(loop.ring.wait(forCounter: 0) == .arrived)
        loop.stop()
        #expect(loop.state == .ended)
        #expect(loop.ring.isEnded)
        loop.stop()
        #expect(log.all == ["start", "stop"])
    }

    @Test func aLoopThatWasStoppedBeforeItsStartNeverRuns() throws {
        let log = ScriptedSource.Log()
        let loop = try CaptureLoop(ScriptedSource([.success(.ended)], log: log))
        loop.stop()
        loop.start()
        #expect(loop.state == .ended && loop.ring.isEnded)
        #expect(log.all == ["stop"])
    }

    @Test func releasingTheLoopStopsIt() throws {
        do {
            let loop = try CaptureLoop(ScriptedSource([frame], log: log), capacity: small)
            loop.start()
            #expect(loop.ring.wait(forCounter: 0) == .arrived)
        }
        #expect(log.all == ["start", "stop"])
    }

    @Test func eachRestartIsReportedOnce() throws {
        let restart = Result<StepOutcome, CameraError>.success(.restarted(reason: "no frame came"))
        let loop = try CaptureLoop(
            ScriptedSource([restart, frame, restart, .success(.ended)], log: log), capacity: small)
        loop.start()
        #expect(loop.ring.wait(forCounter: 9) == .ended)
        #expect(loop.notices == [.restarted(reason: "no frame came"), .recovered])
        let (number, after) = (loop.interruption?.number, loop.interruption?.firstFrameAfter)
        #expect(number == 2 && after == 1 && loop.interruption?.isAway == false)
    }
}
