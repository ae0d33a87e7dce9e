// SPDX-License-Identifier: MIT
// A camera whose every frame is fused with its past, as a source like any other.

import Camera
import FrameRing
import Fusion
import LivecapDeveloping
import LivecapFrames

/// Fuses the frames of a capture, one by one, into a ring of its own: whatever reads a camera's ring can read this one.
///
/// Frames keep their times, epochs, sequence numbers and flags; what is lost or passed over is counted with the next one.
/// Frames that are damaged or cannot be decoded are passed over. A camera is never held up: if a frame takes longer than
/// the next needs to come, the newest goes on, and those in between are passed over.
///
/// The capture is started by `start`, or before that if its frames are compressed, because the first one shows what they
/// decode to. It is stopped with this source.
public final class FusedSource: FrameSource {
    /// The source and its frames, fused.
    public let description: SourceDescription
    /// What readers of the fused frames join to miss none, if the capture's frames come at the fast pace.
    public let gate: FollowerGate
    /// How long frames take, and what became of them.
    public let times = LiveTimes()
    private let capture: CaptureLoop
    private let isPaced: Bool
    private let shape: FrameShape
    private let reader: FrameReader
    private let fuser: LiveFuser
    private let alarm = Alarm()
    private var frames: FrameSubscription
    /// The frame that showed what frames decode to.
    private var first: FrameLease?
    private var hasStarted: Bool
    private var hasPublished = false
    private var seenMissed: UInt64 = 0

    /// Fuses the frames of `capture`, which has not been started. Waits for the first one if they are compressed, until
    /// `isUnwanted`. `gate` is that of a file or scene at the fast pace: no frame is passed over then.
    /// - Throws: `badSettings` for formats that cannot be fused, `noMemory`, and what the capture ends with before its first
    ///   frame.
    public init(
        _ capture: CaptureLoop, gate: FollowerGate? = nil, _ settings: LiveSettings = LiveSettings(),
        pool: any FusionPool = CallersThread(), unless isUnwanted: () -> Bool = { false }
    ) throws(CameraError) {
        self.capture = capture
        isPaced = gate != nil
        self.gate = FollowerGate()
        do throws(PhotoError) { reader = try FrameReader() } catch {
            throw .badSettings(error.message, hint: error.hint)
        }
        frames = FrameSubscription(to: capture.ring, fromOldest: true, gate: gate)
        let source = capture.ring.format
        let unsuitable = CameraError.badSettings(
            "\(source.pixelFormat) \(source.size) frames cannot be fused",
            hint: "choose another format of the camera, such as YUYV or MJPG")
        if source.pixelFormat.isJPEG {
            hasStarted = true
            capture.start()
            var lease: FrameLease?
            shape = try Self.judge(&frames, capture, unsuitable, isUnwanted, first: &lease)
            first = lease
        } else {
            hasStarted = false
            guard let found = FrameShape(raw: source) else { throw unsuitable }
            shape = found
            first = nil
        }
        do throws(FusionError) { fuser = try LiveFuser(shape.format, settings, pool: pool) } catch {
            if case .noMemory(let bytes) = error { throw .noMemory(bytes: bytes) }
            throw .badSettings(error.message, hint: error.hint)
        }
        var description = capture.description
        description.format = fuser.pictureFormat
        description.reserve = 1
        self.description = description
    }

    /// Waits for the first frame that shows what frames decode to.
    private static func judge(
        _ frames: inout FrameSubscription, _ capture: CaptureLoop, _ unsuitable: CameraError, _ isUnwanted: () -> Bool,
        first: inout FrameLease?
    ) throws(CameraError) -> FrameShape {
        guard let judge = try? FrameJudge() else { throw unsuitable }
        while !isUnwanted() {
            switch frames.next(until: .now + .milliseconds(100)) {
            case .timedOut: continue
            case .ended:
                if case .failed(let error) = capture.state { throw error }
                throw unsuitable
            case .frame(let lease):
                guard lease.metadata.isUsable else { continue }
                guard let shape = lease.withBytes({ judge.shape(of: $0, in: capture.ring.format) }) else { continue }
                first = consume lease
                return shape
            }
        }
        throw .badSettings("stopped before the first frame", hint: "nothing was written")
    }

    /// Creates a ring in our own memory.
    /// - Throws: `noMemory`, or `tooLittleMemory` if `capacity` allows less than the least ring.
    public func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        try makeSlabRing(capacity, format: description.format, rate: description.rate)
    }

    /// Starts the capture.
    /// - Throws: nothing.
    public func start(_ producer: inout RingProducer) throws(CameraError) {
        if !hasStarted { capture.start() }
        hasStarted = true
    }

    /// Waits for the next frame, fuses it and publishes it.
    /// - Throws: what the capture failed with.
    public func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        guard !alarm.isOff else { return .nothing }
        if let lease = first.take() { return use(lease, &producer) }
        switch frames.poll(isPaced ? .every : .newest) {
        case .ended:
            if case .failed(let error) = capture.state { throw error }
            return .ended
        case .timedOut:
            _ = capture.ring.wait(forCounter: frames.nextCounter, until: .now + Self.look)
            return .nothing
        case .frame(let lease): return use(lease, &producer)
        }
    }

    /// How often an interruption is looked for, when no frames come.
    private static let look = Duration.milliseconds(100)

    private func use(_ lease: borrowing FrameLease, _ producer: inout RingProducer) -> StepOutcome {
        let arrived = Timestamp.now
        var frame = lease.metadata
        let missed = frames.missed - seenMissed
        seenMissed = frames.missed
        if missed > 0 {
            times.countPassed(Int(clamping: missed))
            frame.lostBefore &+= UInt32(clamping: missed)
            frame.flags.insert(.gapBefore)
        }
        if frame.id.epoch != producer.epoch || !hasPublished {
            fuser.forget()
            producer.beginEpoch(frame.id.epoch)
            hasPublished = true
        }
        guard frame.isUsable, let report = fuse(lease) else {
            times.countPassed(1)
            producer.drop(lostBefore: frame.lostBefore)
            return .dropped
        }
        if isPaced {
            gate.wait(untilFinishedBelow: producer.ring.nextCounter)
            guard !alarm.isOff else { return .nothing }
        }
        guard let slot = producer.claim() else {
            producer.drop(lostBefore: frame.lostBefore)
            return .dropped
        }
        fuser.write(into: producer.bytes(of: slot))
        frame.byteCount = description.format.byteCount
        frame.flags.remove([.standardHuffmanTables, .firstOfEpoch])
        let id = producer.publish(slot, frame)
        times.count(.now - arrived)
        times.note(
            isBegun: report.outcome == .begun, isRepeated: report.outcome == .repeated, noise: report.noise,
            evidence: report.evidence)
        return .published(id)
    }

    /// Fuses a frame; nil if it cannot be decoded.
    private func fuse(_ lease: borrowing FrameLease) -> LiveReport? {
        lease.withBytes { bytes in
            try? reader.read(bytes, as: shape) { planes in try? fuser.fuse(planes) }
        } ?? nil
    }

    /// Stops the capture, and releases its device.
    public func stop() {
        alarm.switchOff()
        gate.open()
        capture.stop()
    }

    /// Ends a wait for the next frame or for the readers.
    public var interrupt: @Sendable () -> Void {
        let (alarm, gate) = (alarm, gate)
        return {
            alarm.switchOff()
            gate.open()
        }
    }
}
