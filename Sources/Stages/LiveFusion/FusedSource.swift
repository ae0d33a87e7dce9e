// SPDX-License-Identifier: MIT
// A camera whose every frame is fused with its past, as a source like any other.

import Camera
import FrameRing
import Fusion
import LivecapDeveloping
import LivecapFrames
import LivecapPictures
import LivecapStreams

/// Fuses the frames of a capture, one by one, into a ring of its own: whatever reads a camera's ring can read this one.
///
/// Frames keep their times, epochs, sequence numbers and flags; what is lost or passed over is counted with the next
/// one. Frames that are damaged or cannot be decoded are passed over. A camera is never held up: if a frame takes
/// longer than the next needs to come, the newest goes on, and those in between are passed over.
///
/// The capture is started by `start`, or before that if its frames are compressed, because the first one shows what
/// they decode to. It is stopped with this source.
public final class FusedSource: FrameSource {
    /// The source and its frames, fused.
    public let description: SourceDescription
    /// What readers of the fused frames join to miss none, if the capture's frames come at the fast pace.
    public let gate: FollowerGate
    /// How long frames take, and what became of them.
    public let times: LiveTimes
    /// Which frames of the stream the fused ones were made of.
    let origins = FrameOrigins()
    private let input: StageInput
    /// What fills the stream, if it is this source's own.
    private let capture: CaptureLoop?
    /// Has it work on, if the stream is its own.
    private let wish: (any AnyObject & Sendable)?
    private let shape: FrameShape
    private let reader: FrameReader
    private let planes: PlaneReader
    private let fuser: LiveFuser
    private let alarm = Alarm()
    /// Nil while nobody wants its frames.
    private var frames: FrameSubscription?
    /// The frame that showed what frames decode to.
    private var first: FrameLease?
    private var hasStarted: Bool
    private var hasPublished = false
    private var seenMissed: UInt64 = 0
    /// Frames passed over under pressure since the last one.
    private var thinned: UInt64 = 0
    /// How many more frames may fail to show anything before it gives up; nil once one was published, or for no limit.
    private var attempts: Int?

    private var isPaced: Bool { input.gate != nil }

    /// Fuses the frames of `capture`, which has not been started. Waits for the first one if they are compressed: a
    /// stop of the capture ends that. `gate` is that of a file or scene at the fast pace: no frame is passed over then.
    /// - Throws: `badSettings` for formats that cannot be fused, `noMemory`, and what the capture ends with before its
    ///   first frame.
    public convenience init(
        _ capture: CaptureLoop, gate: FollowerGate? = nil, _ settings: LiveSettings = LiveSettings(),
        pool: any FusionPool = CallersThread()
    ) throws(CameraError) {
        let input = StageInput(capture.ring, capture.description, gate: gate, fromOldest: true)
        if capture.ring.format.pixelFormat.isJPEG { capture.start() }
        let start = try StreamStart(capture.ring, input.takeBeginning()!) { counter in
            _ = capture.ring.wait(forCounter: counter)
            return false
        }
        guard let start else {
            if case .failed(let error) = capture.state { throw error }
            throw .badSettings("stopped before the first frame", hint: "nothing was written")
        }
        try self.init(input, start: start, settings: settings, times: LiveTimes(), pool: pool, capture: capture)
    }

    /// Why frames of `format` cannot be fused, as far as is known before one is there.
    package static func refusal(of format: FrameFormat) -> CameraError? {
        let mayDo =
            format.pixelFormat.isJPEG
            ? Fuser.takes(FrameFormat(pixelFormat: .grey, size: format.size)) : FrameShape(raw: format) != nil
        return mayDo ? nil : .unsuitable(format, treated: "fused")
    }

    /// How many frames in a row may fail to show what they decode to, before the camera may rest, or it is given up.
    private static let maxAttempts = 300

    private static let nothingShown = CameraError.badSettings(
        "none of \(maxAttempts) frames can be decoded", hint: "choose another format of the camera, such as YUYV")

    /// Fuses the frames of a stage's input for as long as they are wanted. If they are compressed, it waits for the
    /// first one, and is nil if the stream ends without one. `isPatient`: frames that show nothing do not end the wait.
    /// - Throws: `badSettings` for formats and frames that cannot be fused, and `noMemory`.
    package convenience init?(
        _ input: StageInput, _ settings: LiveSettings, times: LiveTimes = LiveTimes(), isPatient: Bool = true,
        pool: any FusionPool
    ) throws(CameraError) {
        // So that the first frame comes. A camera is not kept on for ever for frames that show nothing.
        var wish: (any AnyObject)? = input.use()
        var attempts = Self.maxAttempts
        defer { withExtendedLifetime(wish) {} }
        guard let beginning = input.takeBeginning() else { return nil }
        let start = try StreamStart(
            input.ring, beginning,
            passed: { () throws(CameraError) in
                attempts -= 1
                guard attempts == 0 else { return }
                wish = nil
                if !isPatient { throw Self.nothingShown }
            }
        ) { counter in
            input.wait(forCounter: counter) { false }
            return input.isOver
        }
        guard let start else { return nil }
        try self.init(input, start: start, settings: settings, times: times, pool: pool, capture: nil)
        self.attempts = isPatient ? nil : Self.maxAttempts
    }

    private init(
        _ input: StageInput, start: consuming StreamStart, settings: LiveSettings, times: LiveTimes,
        pool: any FusionPool, capture: CaptureLoop?
    ) throws(CameraError) {
        self.input = input
        self.times = times
        self.capture = capture
        wish = capture == nil ? nil : input.use()
        planes = PlaneReader(of: input.planes)
        let gate = FollowerGate()
        self.gate = gate
        input.whenEnded { gate.open() }
        shape = start.shape
        do throws(PhotoError) { reader = try FrameReader() } catch {
            throw .badSettings(error.message, hint: error.hint)
        }
        do throws(FusionError) { fuser = try LiveFuser(start.shape.format, settings, pool: pool) } catch {
            if case .noMemory(let bytes) = error { throw .noMemory(bytes: bytes) }
            throw .badSettings(error.message, hint: error.hint)
        }
        hasStarted = start.first != nil
        var description = input.source
        description.format = fuser.pictureFormat
        description.reserve = 1
        self.description = description
        first = start.first.take()
        frames = consume start.frames
    }

    /// Creates a ring in our own memory.
    /// - Throws: `noMemory`, or `tooLittleMemory` if `capacity` allows less than the least ring.
    public func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        try makeSlabRing(capacity, format: description.format, rate: description.rate)
    }

    /// Starts the capture.
    /// - Throws: nothing.
    public func start(_ producer: inout RingProducer) throws(CameraError) {
        if !hasStarted { capture?.start() }
        hasStarted = true
        // What came while the stage was held is no loss.
        guard capture == nil, !isPaced else { return }
        frames = FrameSubscription(to: input.ring)
        seenMissed = 0
        let isNewest = first?.metadata.id.counter.advanced(by: 1) == input.ring.nextCounter
        if !isNewest { first = nil }
    }

    /// Waits for the next frame, fuses it and publishes it.
    /// - Throws: what the capture failed with.
    public func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        guard !alarm.isOff else { return .nothing }
        guard !input.isOver else { return .ended }
        guard input.isWanted else { return rest() }
        if let lease = first.take() { return use(lease, &producer) }
        if frames == nil {
            frames = FrameSubscription(to: input.ring, gate: input.gate)
            seenMissed = 0
            thinned = 0
            fuser.forget()
        }
        switch frames!.poll(isPaced ? .every : .newest) {
        case .ended:
            if case .failed(let error)? = capture?.state { throw error }
            return .ended
        case .timedOut:
            let next = frames?.nextCounter ?? .max
            input.wait(forCounter: next) { alarm.isOff || !input.isWanted }
            return .nothing
        case .frame(let lease):
            guard input.admits(lease.metadata.time) else {
                thinned += 1
                return .nothing
            }
            let outcome = use(lease, &producer)
            try countAttempt(outcome)
            return outcome
        }
    }

    private func countAttempt(_ outcome: StepOutcome) throws(CameraError) {
        guard let left = attempts else { return }
        attempts = if case .published = outcome { nil } else { left - 1 }
        if attempts == 0 { throw Self.nothingShown }
    }

    /// Sleeps until frames are wanted.
    private func rest() -> StepOutcome {
        frames = nil
        first = nil
        guard !input.ring.isEnded else { return .ended }
        input.wait(forCounter: .max) { alarm.isOff || input.isWanted }
        return .nothing
    }

    private func use(_ lease: borrowing FrameLease, _ producer: inout RingProducer) -> StepOutcome {
        let arrived = Timestamp.now
        var frame = lease.metadata
        let allMissed = frames?.missed ?? 0
        let missed = allMissed - seenMissed + thinned
        seenMissed = allMissed
        thinned = 0
        if missed > 0 {
            times.countPassed(Int(clamping: missed))
            frame.lostBefore &+= UInt32(clamping: missed)
            frame.flags.insert(.gapBefore)
        }
        if frame.id.epoch != producer.epoch || !hasPublished {
            fuser.forget()
            producer.beginEpoch(frame.id.epoch)
            origins.note(own: producer.ring.nextCounter, of: frame.id.counter)
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
            try? reader.read(bytes, lease.metadata.id, by: planes, as: shape) { planes in try? fuser.fuse(planes) }
        } ?? nil
    }

    /// Stops the capture, and releases its device.
    public func stop() {
        alarm.switchOff()
        gate.open()
        capture?.stop()
    }

    /// Ends a wait for the next frame or for the readers.
    public var interrupt: @Sendable () -> Void {
        let (alarm, gate, ring) = (alarm, gate, input.ring)
        return {
            alarm.switchOff()
            gate.open()
            ring.wakeWaiters()
        }
    }
}
