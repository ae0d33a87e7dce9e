// SPDX-License-Identifier: MIT
// A camera that another livecap has, as a source like any other.

import Camera
import FrameRing
import Glibc
import LivecapCShare
import LivecapFrames

/// Reads the frames of another livecap's ring into a ring of its own, those of the past first. The other one knows
/// nothing of it, and loses nothing by it.
///
/// Frames keep their times, epochs, sequence numbers and flags. Those that the other's ring drops before they are read
/// are counted as lost. Times of a scene or recording, which are its own, become times of this machine.
///
/// The stream fails with `hostEnded` when the other livecap ends, or has another camera or format.
public final class AttachedSource: FrameSource {
    /// The camera that the other livecap has.
    public let description: SourceDescription
    package let rotation: RotationCoordinator?
    package let hasSettled: Bool
    private let host: RunningHost
    private let ring: ForeignRing
    private let past: Duration?
    private let gate: FollowerGate?
    private let alarm = Alarm()
    /// How far back the first frame may be.
    private var reach = Duration.zero
    /// The counter of the next frame of the other's ring.
    private var next: UInt64 = 0
    /// The counter of the first frame that is not of the past.
    private var present: UInt64 = 0
    private var lost: UInt32 = 0
    private var lastTime = Timestamp(nanoseconds: .min)
    private var epoch: UInt32?
    /// What makes times of a source's own clock those of this machine's.
    private var clockOffset: Duration?

    /// Begins `past` before now, as far as the other's ring reaches; by default as far as this one's will. Frames of
    /// the past, which are there at once, wait for the followers that join `gate`.
    /// - Throws: `hostEnded`; `badSettings` if the other's ring does not reach as far back as is `needed`.
    public init(
        _ host: RunningHost, past: Duration? = nil, needed: Duration = .zero, gate: FollowerGate? = nil
    ) throws(CameraError) {
        guard let ring = ForeignRing(at: host.path) else { throw .hostEnded(host: "\(host)", isChanged: false) }
        let (begin, end) = ring.extent
        guard needed <= .zero || begin >= needed else {
            let hundredths = Duration.nanoseconds(begin.nanoseconds / 10_000_000 * 10_000_000)
            throw .badSettings(
                "\(needed.inSeconds) back exceeds the history of \(host), which holds \(hundredths.inSeconds)",
                hint: "choose a later moment; if it has only just begun, wait; or let it keep more")
        }
        let interval = ring.source.rate?.interval ?? .milliseconds(100)
        guard needed <= .zero || end <= needed + interval * 2 && Self.hasFrame(ring, needed, interval) else {
            throw .badSettings(
                "\(host) has no frame of \(needed.inSeconds) ago: its camera was off",
                hint: "leave the moment out to switch it on")
        }
        hasSettled = begin - end >= Self.settling && end < Self.settling
        self.host = host
        self.ring = ring
        self.past = past
        self.gate = gate
        var description = ring.source
        description.clock = .monotonic
        description.reserve = 1
        self.description = description
        let isCamera = ring.source.clock == .monotonic && !description.identity.isEmpty
        rotation =
            isCamera
            ? (try? CameraDirectory().camera(named: description.identity)).map { RotationCoordinator(camera: $0) } : nil
    }

    /// Whether the ring has a frame of about `past` ago. It has none of a time in which its camera was off; scenes and
    /// recordings never are.
    private static func hasFrame(_ ring: ForeignRing, _ past: Duration, _ interval: Duration) -> Bool {
        guard ring.source.clock == .monotonic else { return true }
        let moment = Timestamp.now - past, distance = max(interval * 2, .milliseconds(500))
        let next = ring.records(below: ring.nextCounter, from: moment - distance).first
        return next.map { $0.time <= moment + distance } ?? false
    }

    /// How long a camera has to run until its exposure has surely settled.
    private static let settling = Duration.seconds(1)

    /// Creates a ring in our own memory.
    /// - Throws: `noMemory`, or `tooLittleMemory` if `capacity` allows less than the least ring.
    public func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        reach = past ?? capacity.duration
        // The other ring shows how large frames usually are.
        return try makeSlabRing(
            capacity, format: description.format, rate: description.rate, usualBytes: ring.meanBytes * 5 / 4)
    }

    /// Looks up the first frame.
    /// - Throws: nothing.
    public func start(_ producer: inout RingProducer) throws(CameraError) {
        present = ring.nextCounter
        next = present
        guard reach > .zero, let newest = ring.newest?.record else { return }
        let isOwnClock = ring.source.clock == .own
        let now = isOwnClock ? Timestamp(nanoseconds: newest.time_ns) : .now
        if isOwnClock { clockOffset = .now - now }
        let begin = now - reach
        var oldest: UInt64 = 0
        // No ring has more frames.
        for _ in 0..<RingCapacity.maxSlots {
            guard let frame = ring.frame(from: oldest), frame.record.counter < present else { return }
            if frame.record.time_ns >= begin.nanoseconds { return next = frame.record.counter }
            oldest = frame.record.counter + 1
        }
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
        // Read first: a frame below the limit that is not found is gone.
        let limit = ring.nextCounter
        guard let frame = ring.frame(from: next) else {
            if limit > next { noteLost(limit - next) }
            next = max(next, limit)
            return .nothing
        }
        noteLost(frame.record.counter - next)
        next = frame.record.counter + 1
        if frame.record.epoch != epoch, ring.identity != ring.source.identity {
            throw .hostEnded(host: "\(host)", isChanged: true)
        }
        if next <= present { gate?.wait(untilFinishedBelow: producer.ring.nextCounter) }
        guard !alarm.isOff else { return .nothing }
        let byteCount = Int(clamping: frame.record.byte_count)
        let time = time(of: frame.record)
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
        var frame = record.metadata(time, byteCount)
        if ring.source.clock == .own { frame.uncertainty = description.rate?.interval ?? .milliseconds(100) }
        if byteCount < max(1, description.format.neededBytes) { frame.markDamaged(.short) }
        frame.noteLoss(record.lost_before)
        frame.noteLoss(lost)
        lost = 0
        return frame
    }

    private func time(of record: livecap_record) -> Timestamp {
        let time = Timestamp(nanoseconds: record.time_ns)
        guard ring.source.clock == .own else { return time }
        if clockOffset == nil { clockOffset = .now - time }
        // A scene at the fast pace is ahead of the clock.
        return min(time + clockOffset!, .now)
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
        let (alarm, gate, ring) = (alarm, gate, ring)
        return {
            alarm.switchOff()
            gate?.open()
            ring.wake()
        }
    }
}

extension AttachedSource: CameraSource {
    /// None: its controls are the other's.
    package var settingsLeftOut: [ControlSetting] { [] }
}

extension livecap_record {
    /// What is known of the frame, but for its place in a ring.
    func metadata(_ time: Timestamp, _ byteCount: Int) -> FrameMetadata {
        var frame = FrameMetadata(
            time: time, byteCount: byteCount, sequence: sequence,
            timeSource: TimestampSource(rawValue: time_source) ?? .dequeue,
            uncertainty: .nanoseconds(max(0, uncertainty_ns)), flags: FrameFlags(rawValue: flags),
            damage: Damage(rawValue: damage) ?? .driverFlag)
        frame.flags.remove(.firstOfEpoch)
        return frame
    }
}
