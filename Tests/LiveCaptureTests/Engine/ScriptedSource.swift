// SPDX-License-Identifier: MIT
// A camera that does what a test says, when it says so.

import Camera
import FrameRing
import Frames
import Glibc
import Synchronization
import Threads

@testable import LiveCapture

/// What a scripted source does, a step each.
final class Script: Sendable {
    /// One step.
    enum Act: Sendable {
        /// Publishes a frame at so many milliseconds; its bytes, where they are to be special.
        case frame(Double, Damage = .none, lostBefore: UInt32 = 0, bytes: [UInt8]? = nil)
        /// Begins a new epoch.
        case restart(String)
        /// Gives up.
        case fail(CameraError)
        /// Comes to its end.
        case end
    }

    private let acts = Guarded<[Act]>([])
    fileprivate let isStopped = Atomic<Bool>(false)
    private let given = Atomic<Int>(0)
    private let begun = Atomic<Int>(0)
    private let done = Atomic<Int>(0)
    private let bell = Doorbell(wakefulNanoseconds: 0)

    /// Has these done, and returns when they are.
    func play(_ all: Act...) {
        acts.withLock { $0 += all }
        let last = given.wrappingAdd(all.count, ordering: .relaxed).newValue
        bell.ring()
        while done.load(ordering: .acquiring) < last { sched_yield() }
    }

    /// Publishes frames `numbers`, one every 10 ms.
    func frames(_ numbers: Range<Int>) { for number in numbers { play(.frame(Double(10 * number))) } }

    /// The next act; nil when there will be none.
    fileprivate func next() -> Act? {
        finish()
        bell.wait { acts.withLock { !$0.isEmpty } || isStopped.load(ordering: .acquiring) }
        return acts.withLock { acts in
            guard !acts.isEmpty else { return nil }
            begun.wrappingAdd(1, ordering: .relaxed)
            return acts.removeFirst()
        }
    }

    /// All that was begun is done.
    fileprivate func finish() { done.store(begun.load(ordering: .relaxed), ordering: .releasing) }

    fileprivate func interrupt() {
        isStopped.store(true, ordering: .releasing)
        bell.ring()
    }
}

/// Frames come when the script says so. A step without an act waits, as a stalled camera does.
final class ScriptedSource: FrameSource {
    let description: SourceDescription
    private let script: Script
    /// The time of millisecond 0.
    private let begin: Timestamp

    /// A source of 100 frames a second, as far as it says. On the clock of this machine, millisecond 0 is `begin`.
    init(
        _ script: Script, clock: SourceClock = .own, begin: Timestamp = .zero,
        format: FrameFormat = HandFilledRing.format
    ) {
        (self.script, self.begin) = (script, begin)
        description = SourceDescription(
            name: "script", identity: "script", format: format, rate: FrameRate(100), clock: clock)
    }

    func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: FrameRing, granted: GrantedCapacity) {
        guard let plan = capacity.plan(format: description.format, rate: description.rate),
            let made = FrameRing.slabs(plan, format: description.format)
        else { throw .noMemory(bytes: capacity.byteCap) }
        return made
    }

    func start(_ producer: inout RingProducer) throws(CameraError) {}

    func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        switch script.next() {
        case .frame(let milliseconds, let damage, let lostBefore, let bytes):
            guard let slot = producer.claim() else {
                producer.drop(lostBefore: lostBefore)
                return .dropped
            }
            let format = description.format
            let bytes =
                bytes ?? HandFilledRing.picture(number: Int(producer.ring.nextCounter), byteCount: format.byteCount)
            producer.bytes(of: slot).copyBytes(from: bytes)
            return .published(
                producer.publish(
                    slot,
                    FrameMetadata(
                        time: begin + (moment(milliseconds) - .zero), byteCount: bytes.count,
                        flags: lostBefore > 0 ? .gapBefore : [], damage: damage, lostBefore: lostBefore)))
        case .restart(let reason):
            producer.beginEpoch()
            return .restarted(reason: reason)
        case .fail(let error): throw error
        case .end: return .ended
        case nil: return .nothing
        }
    }

    func stop() { script.finish() }

    var interrupt: @Sendable () -> Void {
        let script = script
        return { script.interrupt() }
    }
}

/// A session of a scripted source, and the script.
func scripted(
    clock: SourceClock = .own, begin: Timestamp = .zero, format: FrameFormat = HandFilledRing.format,
    _ change: (inout SessionOptions) -> Void = { _ in }
) throws -> (session: CaptureSession, script: Script) {
    var options = SessionOptions()
    (options.threads, options.memory, options.level, options.formats) = (2, 8 << 20, .portable, [.jpeg, .png])
    options.history = .milliseconds(400)
    change(&options)
    let script = Script()
    let source = ScriptedSource(script, clock: clock, begin: begin, format: format)
    return (try CaptureSession(source, options), script)
}

/// Waits for another thread to get somewhere, and lets it.
func wait(until isThere: () -> Bool) { while !isThere() { sched_yield() } }
