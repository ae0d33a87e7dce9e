// SPDX-License-Identifier: MIT
// Plays a recording as if it were a camera, at its own pace or as fast as its followers read.

import FrameRing
import LivecapFrameFiles
import LivecapFrames

/// Fills a ring from a file of frames.
///
/// Times, epochs, sequence numbers, flags and damage are those recorded. The counter of an id is the frame's number in
/// the file, as long as no frame had to be dropped. Frames are read straight into their slots.
///
/// - At the real-time pace, each frame is published when it is due, counted from the first frame. A pause of more than
///   `longestPause` is shortened. Readers that are too slow miss frames, as with a camera.
/// - At the fast pace, a frame is published once every follower of `gate` has finished with all earlier frames. While a
///   follower reads a frame, that frame is the newest in the ring, so every run has the same results.
public final class ReplayCamera: FrameSource {
    /// The maximum wait for one frame at the real-time pace.
    public static let longestPause = Duration.milliseconds(10_000)

    /// The source of the frames and their format.
    public let description: SourceDescription
    /// The gate that readers join so as not to miss a frame at the fast pace.
    public let gate: FollowerGate
    private let file: any FrameFile
    private let pace: Pace
    private let alarm: Alarm
    private var schedule = ReplaySchedule()
    private var next = 0

    /// Creates a camera that plays the file at `path` once, from its first frame to its last: a recording, or another
    /// file of frames.
    /// - Throws: what is wrong with the file, or with the settings that say how to read it.
    public convenience init(
        path: String, _ settings: ImportSettings = ImportSettings(), pace: Pace = .realtime,
        gate: FollowerGate = FollowerGate()
    ) throws(FrameFileError) {
        self.init(try openFrameFile(path, settings), pace: pace, gate: gate)
    }

    /// Creates a camera that plays `file` once, from its first frame to its last.
    package init(_ file: any FrameFile, pace: Pace = .realtime, gate: FollowerGate = FollowerGate()) {
        self.file = file
        self.pace = pace
        self.gate = gate
        alarm = Alarm(gate)
        var description = file.description
        description.clock = .own
        // Size slots by the frames present rather than by the header's claim.
        description.format.byteCount = min(description.format.byteCount, max(1, file.largestFrame))
        self.description = description
    }

    /// Creates a ring in our own memory.
    /// - Throws: `noMemory`, or `tooLittleMemory` if `capacity` allows less than the least ring.
    public func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        try makeSlabRing(capacity, format: description.format, rate: description.rate)
    }

    /// Starts with the file's first frame.
    /// - Throws: nothing.
    public func start(_ producer: inout RingProducer) throws(CameraError) {
        next = 0
        schedule = ReplaySchedule()
        if file.frameCount > 0 { producer.epoch = file.metadata(0).id.epoch }
    }

    /// Waits until the next frame is due, or for the followers, and publishes it.
    /// - Throws: `file`, if the file cannot be read any more.
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
            let read = try CameraError.wrapping { () throws(FrameFileError) in
                try file.read(next, into: producer.bytes(of: slot))
            }
            frame.take(read)
        } catch {
            producer.discard(slot)
            throw error
        }
        next += 1
        producer.countCopied(frame.byteCount)
        if frame.id.epoch != producer.epoch { producer.beginEpoch(frame.id.epoch) }
        return .published(producer.publish(slot, frame))
    }

    /// Ends all waits for good.
    public func stop() { alarm.switchOff() }

    /// Ends a wait for the next frame's time or for the followers.
    public var interrupt: @Sendable () -> Void {
        let alarm = alarm
        return { alarm.switchOff() }
    }

    /// Every slot is pinned. At the fast pace, waits briefly and tries again; at the real-time pace, the frame is lost.
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
    /// Adds any damage found when the frame's bytes were read.
    fileprivate mutating func take(_ proven: FrameMetadata) {
        if !proven.isUsable { markDamaged(proven.damage) }
    }
}

/// Computes when a replay's frames are due, and keeps their times in order, as a ring requires.
struct ReplaySchedule {
    private var last: Timestamp?
    /// The origin of the recording's clock on CLOCK_MONOTONIC.
    private var origin: Duration?

    /// Keeps times from going backwards, because a ring's frames must be in the order of their times. A frame whose
    /// time is changed is flagged `distrustedTime`.
    mutating func settle(_ frame: inout FrameMetadata) {
        if let last, frame.time < last {
            frame.time = last
            frame.timeSource = .file
            frame.flags.insert(.distrustedTime)
        }
        last = frame.time
    }

    /// When the frame of `time` is due on CLOCK_MONOTONIC, but no later than the longest pause from `now`.
    mutating func due(_ time: Timestamp, now: Timestamp) -> Timestamp {
        let due = origin.map { time + $0 } ?? now
        let latest = now + ReplayCamera.longestPause
        guard origin == nil || due > latest else { return due }
        // The replay begins here, or the pause is shortened; later frames move up accordingly.
        let settled = min(due, latest)
        origin = settled - time
        return settled
    }
}
