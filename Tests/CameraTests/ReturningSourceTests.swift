// SPDX-License-Identifier: MIT
// A camera that goes away and comes back fills the same ring, whatever it does on the way.

import FrameRing
import Glibc
import LivecapFrames
import LivecapThreads
import Synchronization
import Testing

@testable import Camera

@Suite(.timeLimit(.minutes(getenv("LIVECAP_SANITIZER") == nil ? 10 : 60))) struct ReturningSourceTests {
    /// The life of a plugged camera: how many frames it delivers before it is unplugged, and how many slots its driver
    /// has meanwhile.
    private struct Life {
        var frames: Int
        var slots = 3
        /// Why it cannot start, if it cannot.
        var trouble: CameraError?
        var size = FrameSize(width: 16, height: 4)
    }

    private static let gone = CameraError.disconnected(path: "/dev/video7")

    /// A camera whose driver holds slots, as V4L2's do.
    private final class PluggedCamera: JoiningSource {
        let description: SourceDescription
        let transport: Transport? = .copied
        private let life: Life
        private var slots: [SlotIndex] = []
        private var delivered = 0
        private let alarm = Alarm()

        init(_ life: Life) {
            self.life = life
            description = SourceDescription(
                name: "fake", identity: "fake", format: FrameFormat(pixelFormat: .grey, size: life.size),
                rate: FrameRate(100), clock: .monotonic, reserve: life.slots)
        }

        func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
            try makeSlabRing(capacity, format: description.format, rate: FrameRate(100))
        }
        func start(_ producer: inout RingProducer) throws(CameraError) {
            if let trouble = life.trouble { throw trouble }
            for _ in 0..<life.slots { slots.append(producer.claimFree()!) }
        }
        func fits(_ ring: Ring) -> Bool { ring.format == description.format }
        func join(_ producer: inout RingProducer) throws(CameraError) { try start(&producer) }
        func takeSlots() -> [SlotIndex] {
            defer { slots = [] }
            return slots
        }
        func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
            if alarm.isOff { return .nothing }
            guard delivered < life.frames else { throw gone }
            delivered += 1
            guard let next = producer.claim() else { return .dropped }
            slots.append(next)
            return .published(producer.publish(slots.removeFirst(), FrameMetadata(time: .now, byteCount: 64)))
        }
        func stop() {}
        var interrupt: @Sendable () -> Void { { [alarm] in alarm.switchOff() } }
    }

    /// A source that lives these lives one after the other, with a look in vain before each.
    private func source(_ lives: [Life], onUnplug policy: UnplugPolicy = .wait()) -> ReturningSource {
        var left = lives.dropFirst().flatMap { [nil, $0] }
        let same = SameSource { _ throws(CameraError) in
            guard let next = left.isEmpty ? nil : left.removeFirst() else {
                throw .noSuchDevice("fake", available: [])
            }
            return PluggedCamera(next)
        }
        return ReturningSource(PluggedCamera(lives[0]), onUnplug: policy, same)
    }

    /// Runs a source on this thread until `isOver`, and returns what came of each step.
    private func run(
        _ source: ReturningSource, until isOver: (borrowing RingProducer, [StepOutcome]) -> Bool
    ) throws -> (outcomes: [StepOutcome], ring: Ring, free: Int) {
        let (ring, _) = try source.makeRing(.standard)
        var producer = RingProducer(filling: ring)
        try source.start(&producer)
        var outcomes: [StepOutcome] = []
        while !isOver(producer, outcomes) {
            outcomes.append(try source.step(&producer))
        }
        return (outcomes, ring, producer.freeSlots)
    }

    private func interruptions(_ outcomes: [StepOutcome]) -> Int {
        outcomes.count { if case .interrupted = $0 { true } else { false } }
    }

    @Test func framesGoOnInTheSameRing() throws {
        let end = try run(source([Life(frames: 5), Life(frames: 4)])) { producer, _ in
            producer.ring.nextCounter == 9
        }
        #expect(interruptions(end.outcomes) == 1)
        var frames = FrameSubscription(to: end.ring, fromOldest: true)
        var epochs: [UInt32] = []
        while case .frame(let frame) = frames.next(until: .now) { epochs.append(frame.metadata.id.epoch) }
        #expect(epochs == [0, 0, 0, 0, 0, 1, 1, 1, 1])
    }

    @Test func noSlotIsLostOverManyReturns() throws {
        let lives = [Life](repeating: Life(frames: 2), count: 12)
        let end = try run(source(lives)) { _, outcomes in interruptions(outcomes) == 12 }
        // Every slot is free or has a frame of the history.
        #expect(end.free + 24 == end.ring.slotCount)
    }

    @Test func aReturnThatFailsIsTriedAgain() throws {
        let lives = [
            Life(frames: 2), Life(frames: 0, trouble: .permissionDenied(path: "/dev/video7", group: nil)),
            Life(frames: 0, trouble: .streamFailed(path: "/dev/video7", call: "VIDIOC_STREAMON", errno: 5)),
            Life(frames: 3),
        ]
        let end = try run(source(lives)) { producer, _ in producer.ring.nextCounter == 5 }
        #expect(interruptions(end.outcomes) == 1)
    }

    @Test func itIsGivenUpAfterItsLimit() throws {
        #expect(throws: Self.gone) {
            try run(source([Life(frames: 1)], onUnplug: .wait(limit: .milliseconds(1)))) { _, _ in false }
        }
    }

    @Test func anotherFormatDoesNotFit() throws {
        let other = Life(frames: 9, size: FrameSize(width: 32, height: 8))
        #expect(throws: CameraError.self) {
            try run(source([Life(frames: 1), other])) { producer, _ in producer.ring.nextCounter > 1 }
        }
    }

    @Test func switchedOffItReleasesItsDriverAndGoesOnInTheSameRing() throws {
        // Once it is off it is switched on again; its first look finds nothing to wait for.
        var lives = [Life(frames: .max), Life(frames: 3)].makeIterator()
        let first = PluggedCamera(lives.next()!)
        let same = SameSource { _ throws(CameraError) in PluggedCamera(lives.next()!) }
        let source = ReturningSource(first, onUnplug: .end, same)
        let end = try run(source) { producer, outcomes in
            if producer.ring.nextCounter == 4, !outcomes.contains(.switchedOff) { source.power.switchOff() }
            if outcomes.last == .switchedOff {
                #expect(producer.freeSlots + 4 == producer.ring.slotCount)
                #expect(source.power.switchOn())
            }
            return producer.ring.nextCounter == 7
        }
        #expect(end.outcomes.count { $0 == .switchedOff } == 1)
        let newest = end.ring.lease(id: FrameID(epoch: 1, counter: 6))?.metadata.id.counter
        let oldest = end.ring.lease(id: FrameID(epoch: 0, counter: 0))?.metadata.id.counter
        #expect(newest == 6 && oldest == 0)
    }

    @Test func switchedOnBeforeItHasLeftItStays() throws {
        let source = source([Life(frames: 9)])
        source.power.switchOff()
        #expect(!source.power.switchOn())
        let end = try run(source) { producer, _ in producer.ring.nextCounter == 9 }
        #expect(!end.outcomes.contains(.switchedOff))
    }

    @Test func anotherProgramsUseIsReportedOnceAndWaitedOut() throws {
        let busy = CameraError.busy(path: "/dev/video7", holder: "cheese (pid 7)")
        let lives = [
            Life(frames: 2), Life(frames: 0, trouble: busy), Life(frames: 0, trouble: busy), Life(frames: 3),
        ]
        var left = lives[1...]
        let same = SameSource { _ throws(CameraError) in PluggedCamera(left.removeFirst()) }
        let source = ReturningSource(PluggedCamera(lives[0]), onUnplug: .wait(), same)
        let end = try run(source) { producer, _ in producer.ring.nextCounter == 5 }
        #expect(end.outcomes.count { $0 == .busy(busy) } == 1)
    }

    @Test func aCameraThatIsGoneWhenItIsNeededIsWaitedFor() throws {
        let source = source([Life(frames: .max), Life(frames: 2)])
        let end = try run(source) { producer, outcomes in
            if producer.ring.nextCounter == 3, !outcomes.contains(.switchedOff) { source.power.switchOff() }
            if outcomes.last == .switchedOff { _ = source.power.switchOn() }
            return producer.ring.nextCounter == 5
        }
        #expect(interruptions(end.outcomes) == 1)
    }

    /// A camera whose return is reported.
    private final class ReportedCamera: Succession, Sendable {
        private struct State: Sendable {
            var event: WakeEvent?
            var isBack = false
            var looks = 0
        }

        private let state = Guarded(State())
        let isSuperseded = false
        let hasSource = false
        let nodes: String? = nil

        var looks: Int { state.withLock { $0.looks } }

        func reportArrivals(by event: WakeEvent) -> Bool {
            state.withLock { $0.event = event }
            return true
        }
        func comeBack() {
            let event = state.withLock { state in
                state.isBack = true
                return state.event
            }
            event?.raise()
        }
        func open(_ transport: Transport?) throws(CameraError) -> any JoiningSource {
            let isBack = state.withLock { state in
                state.looks += 1
                return state.isBack
            }
            guard isBack else { throw .noSuchDevice("fake", available: []) }
            return PluggedCamera(Life(frames: .max))
        }
        func replaces(after error: CameraError) -> Bool { false }
        func goesOn(after error: CameraError) -> Bool { true }
    }

    @Test func aReturnThatIsReportedIsNotLookedForBefore() throws {
        let reported = ReportedCamera()
        let loop = try CaptureLoop(
            ReturningSource(PluggedCamera(Life(frames: 2)), onUnplug: .wait(), reported), isRealTime: false)
        loop.start()
        // It is tried once when it is gone.
        while reported.looks == 0 { sched_yield() }
        reported.comeBack()
        while loop.ring.nextCounter < 5 { sched_yield() }
        #expect(reported.looks == 2)
        loop.stop()
    }

    @Test func theEndOfAHoldIsAReasonToLook() throws {
        let (reported, hold) = (ReportedCamera(), CameraHold())
        let source = ReturningSource(PluggedCamera(Life(frames: 2)), onUnplug: .wait(), hold: hold, reported)
        let loop = try CaptureLoop(source, isRealTime: false)
        var holder: AnyObject? = hold.take()
        loop.start()
        while reported.looks == 0 { sched_yield() }
        #expect(reported.looks == 1)
        withExtendedLifetime(holder) {}
        holder = nil
        while reported.looks == 1 { sched_yield() }
        loop.stop()
    }

    @Test func theNodesOfAMachineAreWatchedForTheReturn() throws {
        let machine = MachineTree()
        let looks = Atomic(0)
        let same = SameSource(among: machine.directory.devices) { _ throws(CameraError) in
            looks.add(1, ordering: .relaxed)
            guard machine.directory.nodes().contains("video0") else { throw .noSuchDevice("fake", available: []) }
            return PluggedCamera(Life(frames: .max))
        }
        let loop = try CaptureLoop(
            ReturningSource(PluggedCamera(Life(frames: 2)), onUnplug: .wait(), same), isRealTime: false)
        loop.start()
        // It is tried once when it is gone.
        while looks.load(ordering: .relaxed) == 0 { sched_yield() }
        machine.plug(0)
        while loop.ring.nextCounter < 5 { sched_yield() }
        loop.stop()
    }

    @Test func aStopEndsTheSleepOfACameraThatIsOff() throws {
        let loop = try CaptureLoop(source([Life(frames: .max)]), isRealTime: false)
        loop.start()
        let power = try #require(loop.power)
        power.switchOff()
        while loop.interruption?.cause != .switchedOff { sched_yield() }
        loop.stop()
        #expect(loop.state == .ended)
    }

    @Test func aStopEndsTheWait() throws {
        let loop = try CaptureLoop(source([Life(frames: 1)]), isRealTime: false)
        loop.start()
        while loop.interruption?.isAway != true { sched_yield() }
        loop.stop()
        #expect(loop.state == .ended)
        #expect(loop.interruption?.number == 1)
    }
}
