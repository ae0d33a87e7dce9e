// SPDX-License-Identifier: MIT
// A recording that plays the camera: its frames in a ring, at their own pace or as fast as they are followed.

import FrameRing
import Frames

/// Fills a ring from a file of frames.
///
/// Times, epochs, sequence numbers, flags and damage are the recorded ones; an id's counter is the frame's number in the
/// file. Frames are read straight into their slots.
///
/// - At the recorded pace a frame is published when its time has come, counted from the first frame; a pause of more
///   than `longestPause` is cut short. Readers that are too slow miss frames, as with a camera.
/// - At the fast pace a frame is published once every follower of `gate` has finished with all frames before it. While
///   a follower looks at a frame, that frame is the ring's newest: results are the same on every run.
public final class ReplayCamera: FrameSource {
    /// The longest time waited for one frame at the recorded pace.
    public static let longestPause = TimeSpan.milliseconds(10_000)

    /// Who took the frames and what they are.
    public let description: SourceDescription
    /// Where readers join that must not miss a frame at the fast pace.
    public let gate: FollowerGate
    private let file: any FrameFile
    private let pace: Pace
    private let alarm: Alarm
    private var schedule = ReplaySchedule()
    private var next = 0

    /// Plays `file`, from its first frame to its last, once.
    public init(_ file: any FrameFile, pace: Pace = .realtime, gate: FollowerGate = FollowerGate()) {
        self.file = file
        self.pace = pace
        self.gate = gate
        alarm = Alarm(gate)
        var description = file.description
        description.clock = .own
        // Slots for what is there, not for what a header claims.
        description.format.byteCount = min(description.format.byteCount, max(1, file.largestFrame))
        self.description = description
    }

    /// Makes a ring in memory of our own.
    public func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: FrameRing, granted: GrantedCapacity) {
        try makeSlabRing(capacity, format: description.format, rate: description.rate)
    }

    /// Begins with the file's first frame.
    public func start(_ producer: inout RingProducer) throws(CameraError) {
        next = 0
        schedule = ReplaySchedule()
        if file.frameCount > 0 { producer.epoch = file.metadata(0).id.epoch }
    }

    /// Waits for the next frame's time, or for the followers, and publishes it.
    public func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        guard next < file.frameCount else { return .ended }
        var frame = file.metadata(next)
        schedule.settle(&frame)
        switch pace {
        case .fast: gate.wait(untilFinishedBelow: producer.ring.nextCounter)
        case .realtime: alarm.wait(until: schedule.due(frame.time, now: .now))
        }
        guard !alarm.isOff else { return .nothing }
        guard let slot = producer.claim(byteCount: frame.byteCount) else { return missed(frame, &producer) }
        do throws(CameraError) {
            frame.take(try file.read(next, into: producer.bytes(of: slot)))
        } catch {
            producer.discard(slot)
            throw error
        }
        next += 1
        producer.countCopied(frame.byteCount)
        if frame.id.epoch != producer.epoch { producer.beginEpoch(frame.id.epoch) }
        return .published(producer.publish(slot, frame))
    }

    /// Holds nobody up any more.
    public func stop() { alarm.switchOff() }

    /// Ends a wait for the next frame's time or for the followers.
    public var interrupt: @Sendable () -> Void {
        let alarm = alarm
        return { alarm.switchOff() }
    }

    /// Every slot is pinned. A fast replay waits until one is not; at the recorded pace the frame is lost.
    private func missed(_ frame: FrameMetadata, _ producer: inout RingProducer) -> StepOutcome {
        if pace == .fast {
            alarm.wait(until: .now + .milliseconds(1))
            return .nothing
        }
        next += 1
        producer.drop(lostBefore: frame.lostBefore)
        return .dropped
    }
}

extension FrameMetadata {
    /// Takes over what reading a frame's bytes proved.
    fileprivate mutating func take(_ proven: FrameMetadata) {
        if !proven.isUsable { markDamaged(proven.damage) }
    }

    /// Adds to what is known to be lost before the frame.
    package mutating func noteLoss(_ count: UInt32) {
        guard count > 0 else { return }
        let (sum, overflow) = lostBefore.addingReportingOverflow(count)
        lostBefore = overflow ? .max : sum
        flags.insert(.gapBefore)
    }
}

/// When a replay's frames are due, and times that a ring can live with.
struct ReplaySchedule {
    private var last: Timestamp?
    /// Where on CLOCK_MONOTONIC the recording's clock has its origin.
    private var origin: TimeSpan?

    /// A ring's frames are in the order of their times, so one that goes back is refused, and the frame says so.
    mutating func settle(_ frame: inout FrameMetadata) {
        if let last, frame.time < last {
            frame.time = last
            frame.timeSource = .file
            frame.flags.insert(.distrustedTime)
        }
        last = frame.time
    }

    /// When the frame of `time` is due, on CLOCK_MONOTONIC; never later than the longest pause from `now`.
    mutating func due(_ time: Timestamp, now: Timestamp) -> Timestamp {
        let due = origin.map { time + $0 } ?? now
        let latest = now + ReplayCamera.longestPause
        guard origin == nil || due > latest else { return due }
        // Begins here, or the pause is cut short: the frames behind it move up with it.
        let settled = min(due, latest)
        origin = settled - time
        return settled
    }
}
