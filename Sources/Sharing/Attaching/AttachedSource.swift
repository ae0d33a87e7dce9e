// SPDX-License-Identifier: MIT
// A camera that another livecap has, as a source like any other.

import Camera
import FrameRing
import Glibc
import LivecapCShare
import LivecapFrames

/// Reads the frames of another livecap's ring into a ring of its own, those of the past first. The other one knows nothing
/// of it, and loses nothing by it.
///
/// Frames keep their times, epochs, sequence numbers and flags. Those that the other's ring drops before they are read are
/// counted as lost. Frames of a scene or recording, whose times are its own, get those at which they came.
///
/// The stream fails with `hostEnded` when the other livecap ends, or has another camera or format.
public final class AttachedSource: FrameSource {
    /// The camera that the other livecap has.
    public let description: SourceDescription
    package let rotation: RotationCoordinator?
    private let host: RunningHost
    private let ring: ForeignRing
    private let past: Duration?
    private let alarm = Alarm()
    /// How far back the first frame may be.
    private var reach = Duration.zero
    /// The counter of the next frame of the other's ring.
    private var next: UInt64 = 0
    private var lost: UInt32 = 0
    private var lastTime = Timestamp(nanoseconds: .min)
    private var epoch: UInt32?
    /// What makes times of a source's own clock those of this machine's.
    private var clockOffset: Duration?

    /// Begins `past` before now, as far as the other's ring reaches; by default as far as this one's will.
    /// - Throws: `hostEnded`.
    public init(_ host: RunningHost, past: Duration? = nil) throws(CameraError) {
        guard let ring = ForeignRing(at: host.path) else { throw .hostEnded(host: "\(host)", isChanged: false) }
        self.host = host
        self.ring = ring
        self.past = past
        var description = ring.source
        description.clock = .monotonic
        description.reserve = 1
        self.description = description
        let isCamera = ring.source.clock == .monotonic && !description.identity.isEmpty
        rotation =
            isCamera
            ? (try? CameraDirectory().camera(named: description.identity)).map { RotationCoordinator(camera: $0) } : nil
    }

    /// Creates a ring in our own memory.
    /// - Throws: `noMemory`, or `tooLittleMemory` if `capacity` allows less than the least ring.
    public func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        reach = past ?? capacity.duration
        return try makeSlabRing(capacity, format: description.format, rate: description.rate)
    }

    /// Looks up the first frame.
    /// - Throws: nothing.
    public func start(_ producer: inout RingProducer) throws(CameraError) {
        next = ring.nextCounter
        guard let newest = ring.newest?.record else { return }
        if ring.source.clock == .own { clockOffset = .now - Timestamp(nanoseconds: newest.time_ns) }
        let begin = Timestamp(nanoseconds: newest.time_ns) - reach
        var oldest = ring.frame(from: 0)
        while let frame = oldest, frame.record.time_ns < begin.nanoseconds {
            oldest = ring.frame(from: frame.record.counter + 1)
        }
        if reach > .zero, let oldest { next = min(next, oldest.record.counter) }
    }

    /// Waits for the next frame and copies it.
    /// - Throws: `hostEnded`.
    public func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        guard !alarm.isOff else { return .nothing }
        switch ring.wait(for: next) {
        case .timedOut: return .nothing
        case .ended: throw .hostEnded(host: "\(host)", isChanged: ring.isReplaced)
        case .arrived: break
        }
        guard let frame = ring.frame(from: next) else { return .nothing }
        noteLost(frame.record.counter - next)
        next = frame.record.counter + 1
        let byteCount = Int(clamping: frame.record.byte_count)
        let time = Timestamp(nanoseconds: frame.record.time_ns) + offset(of: frame.record)
        guard byteCount <= description.format.byteCount, time >= lastTime else { return skip(frame) }
        guard let slot = producer.claim(byteCount: max(1, byteCount)) else {
            producer.drop(lostBefore: lost)
            lost = 0
            return .dropped
        }
        memcpy(producer.bytes(of: slot).baseAddress!, frame.bytes, byteCount)
        guard frame.isIntact else {
            producer.discard(slot)
            return skip(frame)
        }
        producer.countCopied(byteCount)
        if frame.record.epoch != epoch {
            producer.beginEpoch(frame.record.epoch)
            epoch = frame.record.epoch
        }
        lastTime = time
        return .published(producer.publish(slot, metadata(frame.record, time, byteCount)))
    }

    /// What is known of a frame. The next one has lost none before it.
    private func metadata(_ record: livecap_record, _ time: Timestamp, _ byteCount: Int) -> FrameMetadata {
        var frame = FrameMetadata(
            time: time, byteCount: byteCount, sequence: record.sequence,
            timeSource: TimestampSource(rawValue: record.time_source) ?? .dequeue,
            uncertainty: .nanoseconds(max(0, record.uncertainty_ns)), flags: FrameFlags(rawValue: record.flags),
            damage: Damage(rawValue: record.damage) ?? .driverFlag)
        frame.flags.remove(.firstOfEpoch)
        if ring.source.clock == .own { frame.uncertainty = description.rate?.interval ?? .milliseconds(100) }
        if byteCount < max(1, description.format.neededBytes) { frame.markDamaged(.short) }
        frame.noteLoss(record.lost_before)
        frame.noteLoss(lost)
        lost = 0
        return frame
    }

    private func offset(of record: livecap_record) -> Duration {
        guard ring.source.clock == .own else { return .zero }
        if clockOffset == nil { clockOffset = .now - Timestamp(nanoseconds: record.time_ns) }
        return clockOffset!
    }

    private func skip(_ frame: livecap_frame) -> StepOutcome {
        noteLost(1 + UInt64(frame.record.lost_before))
        return .nothing
    }

    private func noteLost(_ count: UInt64) {
        let (sum, overflow) = lost.addingReportingOverflow(UInt32(clamping: count))
        lost = overflow ? .max : sum
    }

    /// Ends all waits.
    public func stop() { alarm.switchOff() }

    /// Ends the wait for the next frame.
    public var interrupt: @Sendable () -> Void {
        let (alarm, ring) = (alarm, ring)
        return {
            alarm.switchOff()
            ring.wake()
        }
    }
}

extension AttachedSource: CameraSource {
    /// None: its controls are the other's.
    package var settingsLeftOut: [ControlSetting] { [] }
}
