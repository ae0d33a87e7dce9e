// SPDX-License-Identifier: MIT
// A camera without a device: it renders a synthetic scene into the ring, at a frame rate or as fast as followers read.

import FrameRing
import LivecapFrames
import LivecapJPEG

/// Fills a ring with frames of a synthetic scene.
///
/// A frame's sequence number is its number in the scene, which is also drawn into its pixels. Its time is that number
/// times the interval, counted from the start, unless its settings give it a clock that is wrong.
///
/// With prerendered frames, drawn in `init`, a step costs little more than copying a frame, so that measurements do not
/// include the drawing.
///
/// - At the real-time pace, a frame is started when it is due and published when it is rendered. Frames that fall due
///   in the meantime are skipped and counted as a gap: the clock never drifts.
/// - At the fast pace, times start at zero and every frame is rendered. Each is published once every follower of `gate`
///   has finished with all earlier frames, so every run has the same results.
public final class SyntheticCamera: FrameSource {
    /// The scene, with the ground truth about it.
    package let scene: SyntheticScene
    /// The camera and the format of its frames.
    public let description: SourceDescription
    /// The gate that readers join so as not to miss a frame at the fast pace.
    public let gate: FollowerGate
    private let pace: Pace
    private let alarm: Alarm
    private let frames: any PaintedFrames
    private let clock: SceneClock
    private let beginning: Timestamp?
    private var firstTime = Timestamp.zero
    private var next = 0
    /// Frames skipped or lost since the last published one.
    private var lostBefore: UInt32 = 0

    /// How many frames in a row were late, until that is said.
    private var lateFrames = 0
    private static let maxLateFrames = 8

    /// The formats of every scene.
    public static let pixelFormats = PixelFormat.readable

    /// The available formats of a scene: in that of a room whose distances are known, those of depth cameras, too.
    public static func pixelFormats(of scene: SyntheticSettings.Scene) -> [PixelFormat] {
        scene == .depth ? pixelFormats + PixelFormat.ofDepthCameras : pixelFormats
    }

    /// Creates a camera that looks at a scene. A rate in the settings takes precedence over `rate`.
    ///
    /// At the real-time pace the scene begins when the camera is started; or else at `beginning`, so that several
    /// cameras see the same at the same time.
    /// - Throws: `unsupported` for a format or size that cannot be painted, `badSettings`, and `noMemory`.
    public init(
        _ settings: SyntheticSettings, pixelFormat: PixelFormat = .yuyv,
        size: FrameSize = FrameSize(width: 1280, height: 720), rate: FrameRate = FrameRate(30),
        pace: Pace = .realtime, gate: FollowerGate = FollowerGate(), beginning: Timestamp? = nil
    ) throws(CameraError) {
        let offered = Self.pixelFormats(of: settings.scene)
        guard offered.contains(pixelFormat) else {
            throw .unsupported(asked: pixelFormat.description, offered: offered.map(\.description))
        }
        let rate = settings.rate ?? rate
        guard rate.interval.nanoseconds > 0 else {
            throw .badSettings("\(rate) frames per second are too many", hint: "at most one million")
        }
        var settings = settings
        // A compressed prerendered frame cannot be given a new number, and no number is better than a wrong one.
        if settings.prerenderedFrames > 0, pixelFormat.isCompressed { settings.isMarked = false }
        scene = try SyntheticScene(settings, size: size, rate: rate)
        clock = SceneClock(settings, rate: rate)
        self.beginning = beginning
        self.pace = pace
        self.gate = gate
        alarm = Alarm(gate)
        let format = FrameFormat(pixelFormat: pixelFormat, size: size)
        let painter = try FramePainter(scene, format: format)
        frames = settings.prerenderedFrames > 0 ? try PrerenderedFrames(painter, scene, format: format) : painter
        description = SourceDescription(
            name: "synthetic \(settings.scene.rawValue)", identity: "synthetic:\(settings)", format: format,
            rate: rate, clock: pace == .realtime ? .monotonic : .own,
            firstTime: pace == .fast ? .zero + (clock.stated(clock.first) ?? .zero) : nil,
            frameCount: settings.frameCount)
    }

    /// Creates a ring in our own memory.
    /// - Throws: `noMemory`, or `tooLittleMemory` if `capacity` allows less than the least ring.
    public func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        try makeSlabRing(capacity, format: description.format, rate: description.rate)
    }

    /// Starts with the scene's frame 0, now; or with the next one of a scene that has begun.
    /// - Throws: nothing.
    public func start(_ producer: inout RingProducer) throws(CameraError) {
        (next, lostBefore) = (0, 0)
        firstTime = pace == .realtime ? beginning ?? .now : .zero
        if pace == .fast {
            next = clock.first
        } else if beginning != nil {
            next = max(0, Int((Timestamp.now - firstTime).nanoseconds / scene.rate.interval.nanoseconds) + 1)
        }
    }

    /// Waits until the next frame is due, or for the followers, and publishes it.
    /// - Throws: why a frame could not be encoded, for compressed formats.
    public func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        guard next < scene.settings.frameCount ?? .max else { return .ended }
        switch pace {
        case .fast:
            gate.wait(untilFinishedBelow: producer.ring.nextCounter)
        case .realtime:
            alarm.wait(until: due(next))
            skipMissed()
            if lateFrames == Self.maxLateFrames {
                lateFrames += 1
                return .slow(reason: slowness)
            }
        }
        guard !alarm.isOff else { return .nothing }
        guard next < scene.settings.frameCount ?? .max else { return .ended }
        if comesEvery(scene.settings.gapEvery, next) {
            next += 1
            lostBefore += 1
            return .nothing
        }
        guard let slot = try frames.paint(next, into: &producer) else { return missed(&producer) }
        var frame = FrameMetadata(
            time: time(of: next), byteCount: frames.byteCount, sequence: UInt32(truncatingIfNeeded: next),
            timeSource: .scene, flags: lostBefore > 0 ? .gapBefore : [], damage: .none, lostBefore: lostBefore)
        if comesEvery(scene.settings.damageEvery, next) { cut(&frame) }
        (next, lostBefore) = (next + 1, 0)
        return .published(producer.publish(slot, frame))
    }

    /// Ends all waits for good.
    public func stop() { alarm.switchOff() }

    /// Ends a wait for the next frame's time or for the followers.
    public var interrupt: @Sendable () -> Void {
        let alarm = alarm
        return { alarm.switchOff() }
    }

    /// The time that a frame states.
    private func time(of frame: Int) -> Timestamp {
        // A stream of three hundred years would overflow; it stops the clock.
        clock.stated(frame).map { firstTime + $0 } ?? .distantFuture
    }

    /// When a frame is due at the real-time pace: once its light is there, and not before the time it states.
    private func due(_ frame: Int) -> Timestamp {
        clock.light(frame).map { max(firstTime + $0, time(of: frame)) } ?? .distantFuture
    }

    /// Skips frames whose successor is already due.
    private func skipMissed() {
        let late = Timestamp.now - due(next)
        let behind = late.nanoseconds / scene.rate.interval.nanoseconds
        guard behind > 0 else {
            // Said once.
            if lateFrames < Self.maxLateFrames { lateFrames = 0 }
            return
        }
        lateFrames += 1
        next += Int(behind)
        lostBefore += UInt32(clamping: behind)
    }

    private var slowness: String {
        "the scene cannot be painted \(scene.rate) times a second: "
            + "choose a smaller size or a lower rate, or frames painted before the start"
    }

    private func comesEvery(_ count: Int, _ frame: Int) -> Bool { count > 0 && frame % count == count - 1 }

    /// Cuts a frame in half, as a faulty cable might.
    private func cut(_ frame: inout FrameMetadata) {
        frame.byteCount /= 2
        frame.damage = description.format.pixelFormat.isCompressed ? .jpegNoEnd : .short
        frame.flags.insert(.damaged)
    }

    /// Every slot is pinned. At the fast pace, waits briefly and tries again; at the real-time pace, the frame is lost.
    private func missed(_ producer: inout RingProducer) -> StepOutcome {
        if pace == .fast {
            alarm.wait(until: .now + .milliseconds(1))
            return .nothing
        }
        next += 1
        producer.drop()
        return .dropped
    }
}
