// SPDX-License-Identifier: MIT
// The select thread: looks at each frame as it arrives, and serves the taps that waited for it.

import Camera
import FrameRing
import LivecapCSystem
import LivecapFrames
import LivecapThreads

/// Follows the ring.
final class FrameWatch: Sendable {
    private let desk: Desk
    private let loop: CaptureLoop
    private let gate: FollowerGate?
    private let isRealTime: Bool
    private let events: EventLog<SessionEvent>
    private let arrivals: AsyncBell
    /// How often to look while the camera is off: taps switch it on by themselves, and moments to come can wait.
    private let restingPatience: Duration
    /// Joined before the source starts, so that a source at the fast pace waits from its first frame on.
    private let subscription = Guarded<FrameSubscription?>(nil)

    init(
        _ desk: Desk, loop: CaptureLoop, gate: FollowerGate?, isRealTime: Bool,
        events: EventLog<SessionEvent>, arrivals: AsyncBell, takesPhotos: Bool
    ) {
        self.desk = desk
        self.loop = loop
        self.gate = gate
        self.events = events
        self.arrivals = arrivals
        restingPatience = takesPhotos ? .seconds(1) : .seconds(3600)
        self.isRealTime = isRealTime && desk.description.clock == .monotonic
    }

    /// Subscribes to the ring.
    func join() {
        subscription.withLock { $0 = FrameSubscription(to: desk.ring, fromOldest: true, gate: gate) }
    }

    /// Reports that no frames will come, and why.
    func fail(_ error: CameraError) {
        end(error)
        events.add(.failed(error))
    }

    /// Runs until the stream has ended.
    func run() {
        guard var frames = subscription.withLock({ $0.take() }) else { preconditionFailure("nobody joined") }
        if isRealTime { _ = lc_thread_realtime(selectPriority) }
        var exposure = ExposureSettling()
        if loop.hasSettled { _ = desk.exposureChanged(isSettled: true, isDone: true) }
        let brightness = FrameBrightness(desk.description.format)
        var seen = Seen()
        // An interruption is noticed when a frame is due and does not come.
        let patience = min(desk.interval, .milliseconds(100))
        while true {
            switch frames.next(until: .now + (desk.isCameraOff ? restingPatience : patience)) {
            case .frame(let lease):
                // First: a restart that this frame ends was recorded before the frame was published.
                reportMishaps(&seen)
                note(lease.metadata, &seen)
                settle(&exposure, lease, brightness)
                desk.frameArrived(lease.metadata)
                arrivals.ring()
                // At the fast pace the source waits until this thread asks for the next frame.
                if gate != nil { desk.bell.wait { !desk.isHoldingUp } }
            case .timedOut:
                reportMishaps(&seen)
                desk.tick()
            case .ended:
                reportMishaps(&seen)
                let failure: CameraError? = if case .failed(let error) = loop.state { error } else { nil }
                // The session goes on with another source.
                let isEnd = !desk.isRetired
                // Who hears of the end finds that the session has ended.
                end(failure)
                if isEnd { events.add(failure.map(SessionEvent.failed) ?? .ended) }
                return
            }
        }
    }

    private func end(_ failure: CameraError?) {
        desk.streamEnded(failure)
        arrivals.ring()
    }

    /// What the thread has seen of the stream so far.
    private struct Seen {
        var notices = 0, interruptions = 0
        /// The interruption that has not ended yet.
        var interruption: CaptureLoop.Interruption?
        var hasBegun = false
    }

    private func note(_ frame: FrameMetadata, _ seen: inout Seen) {
        if !seen.hasBegun { events.add(.running) }
        seen.hasBegun = true
        // Frames from before it may still arrive.
        if let interruption = seen.interruption, frame.id.counter >= interruption.firstFrameAfter {
            seen.interruption = nil
            desk.streamResumed(at: frame.time)
            events.add(.interruptionEnded)
        }
    }

    /// Measures the exposure until it has settled, and again after a restart.
    private func settle(
        _ exposure: inout ExposureSettling, _ lease: borrowing FrameLease, _ brightness: FrameBrightness?
    ) {
        guard !loop.hasSettled else { return }
        let (frame, before) = (lease.metadata, exposure.state)
        // A restarted stream is measured again.
        let mean = before == .settling || frame.flags.contains(.firstOfEpoch) ? self.mean(of: lease, brightness) : nil
        let now = exposure.note(mean, at: frame.time, epoch: frame.id.epoch)
        guard now != before || frame.flags.contains(.firstOfEpoch) else { return }
        // Frames without measurable brightness have nothing to settle.
        let isDone = now != .settling || brightness == nil
        let wasDone =
            desk.exposureChanged(isSettled: now == .settled, isDone: isDone) && !frame.flags.contains(.firstOfEpoch)
        if isDone, !wasDone, let deadline = exposure.deadline {
            let after = frame.time - (deadline - ExposureSettling.longest)
            events.add(.exposureSettled(measured: now == .settled, after: after))
        }
    }

    private func mean(of lease: borrowing FrameLease, _ brightness: FrameBrightness?) -> Double? {
        guard lease.metadata.isUsable, let brightness else { return nil }
        return lease.withBytes { brightness.mean(of: $0) }
    }

    /// Reports every interruption, and each of the loop's notices once.
    private func reportMishaps(_ seen: inout Seen) {
        if let latest = loop.interruption, latest.number > seen.interruptions {
            (seen.interruptions, seen.interruption) = (latest.number, latest)
            desk.streamInterrupted(by: latest.cause)
            events.add(latest.cause == .switchedOff ? .switchedOff : .interrupted(reason: latest.reason))
        }
        for notice in loop.notices(since: seen.notices) {
            seen.notices += 1
            switch notice {
            case .restarted, .unplugged, .busy, .recovered: break
            case .moved(let source, let firstFrame):
                let camera = try? CameraDirectory().camera(named: source.identity)
                desk.streamMoved(
                    to: source, camera.map { RotationCoordinator(camera: $0) }, firstFrame: firstFrame)
                events.add(.notice(notice))
            default: events.add(.notice(notice))
            }
        }
    }
}

/// Just below the capture thread, and above everything else.
private let selectPriority: Int32 = 9
