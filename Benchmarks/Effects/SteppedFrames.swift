// SPDX-License-Identifier: MIT
// A source that waits for all who read its frames, and notes what each of them has cost.

import Camera
import FrameRing
import LivecapFrames
import LivecapThreads

/// Publishes frames again and again, the next one when everybody has finished with those before.
final class SteppedFrames: FrameSource {
    let description: SourceDescription
    let gate: FollowerGate
    private let frames: [[UInt8]]
    private let count: Int
    private let costs: FrameCosts
    private let alarm = Alarm()
    private var next = 0

    /// `count` frames of 30 a second, which are those of a person.
    init(_ frames: [[UInt8]], count: Int, gate: FollowerGate, _ costs: FrameCosts) {
        self.frames = frames
        self.count = count
        self.gate = gate
        self.costs = costs
        description = SourceDescription(
            name: "stepped", identity: "bench:stepped", format: PersonFrames.format, rate: FrameRate(30), clock: .own,
            firstTime: .zero, frameCount: count)
    }

    func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        try makeSlabRing(capacity, format: description.format, rate: description.rate)
    }

    func start(_ producer: inout RingProducer) throws(CameraError) {}

    func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        gate.wait(untilFinishedBelow: producer.ring.nextCounter)
        guard !alarm.isOff else { return .nothing }
        costs.note(ProcessorTime.now)
        guard next < count else { return .ended }
        let bytes = frames[next % frames.count]
        let frame = FrameMetadata(
            time: Timestamp(nanoseconds: Int64(next) * 33_333_333), byteCount: bytes.count,
            sequence: UInt32(next), timeSource: .scene)
        let id = producer.publish { room in
            room.withUnsafeMutableBytes { $0.copyBytes(from: bytes) }
            return frame
        }
        next += 1
        guard let id else {
            producer.drop()
            return .dropped
        }
        return .published(id)
    }

    func stop() {
        alarm.switchOff()
        gate.open()
    }

    var interrupt: @Sendable () -> Void {
        return { [alarm, gate] in
            alarm.switchOff()
            gate.open()
        }
    }
}

/// The processor time of the process before each frame, and after the last one.
final class FrameCosts: Sendable {
    private let times = Guarded<[Duration]>([])

    func note(_ time: Duration) { times.withLock { $0.append(time) } }

    /// What each frame has cost, without the first ones.
    func costs(without first: Int) -> [Duration] {
        times.withLock { times in zip(times.dropFirst(first), times.dropFirst(first + 1)).map { $1 - $0 } }
    }
}
