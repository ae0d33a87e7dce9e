// SPDX-License-Identifier: MIT
// What takes a session's pictures without a hand on the shutter, as programs use it.

import Camera
import FrameRing
import LivecapDeveloping
import LivecapFrames
import LivecapStreams
import LivecapThreads
import LivecapTriggers

extension CaptureSession {
    /// Motion in the session's frames, as it is noticed: small things by the second frame that shows them, what is
    /// large or slow after about 0.6 s.
    ///
    /// ```swift
    /// for await case .began(let cause) in try session.triggerEvents(MotionTrigger(sensitivity: 0.7)) {
    ///     session.photoOutput.capture(at: cause.tap)
    /// }
    /// ```
    ///
    /// What began is in the session's history: photos can be taken of it, and movies with a past begin before it. The
    /// first two seconds of each stream only show what is usual. The camera stays on while the stream is followed.
    /// Events that are not taken wait. For loud sounds, see `SoundCapture`.
    /// - Throws: why frames cannot be looked at, such as an unsuitable format.
    public func triggerEvents(_ trigger: MotionTrigger) throws(CameraError) -> AsyncStream<TriggerEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: TriggerEvent.self)
        let leave = try followMotion(trigger, end: { _ in continuation.finish() }) { continuation.yield($0) }
        continuation.onTermination = { _ in leave() }
        return stream
    }

    /// A cause again and again, the first of them `interval` from now, which is at least a millisecond. Those that come
    /// while the last one was not taken yet are left out. The stream ends with the session.
    /// - Throws: the shortage, if there is no thread left for it.
    public func triggerEvents(every interval: Duration) throws(CameraError) -> AsyncStream<TriggerEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: TriggerEvent.self, bufferingPolicy: .bufferingNewest(1))
        let leave = try followTime(every: interval, end: { continuation.finish() }) { continuation.yield(.began($0)) }
        continuation.onTermination = { _ in leave() }
        return stream
    }

    /// Motion for callers on threads of their own: `take` is called by the watch's thread until the result is called.
    /// `end` is called if the session ends before that, or, with the reason, if frames cannot be looked at any more.
    package func followMotion(
        _ trigger: MotionTrigger, end: @escaping @Sendable (CameraError?) -> Void = { _ in },
        _ take: @escaping @Sendable (TriggerEvent) -> Void
    ) throws(CameraError) -> @Sendable () -> Void {
        if let refusal = MotionWatch.refusal(of: source.format) { throw refusal }
        let (found, isNew) = motion.withLock { motion in
            if let motion { return (motion, false) }
            let made = MotionWatch()
            motion = made
            return (made, true)
        }
        if isNew { _ = sinks.attach(found) }
        return try CameraError.wrapping { () throws(SystemShortage) in
            try found.follow(trigger, end: end, take)
        }
    }

    /// Regular times for callers on threads of their own, until the result is called. `end` is called at the first time
    /// at which the session is gone.
    package func followTime(
        every interval: Duration, end: @escaping @Sendable () -> Void = {},
        _ take: @escaping @Sendable (TriggerCause) -> Void
    ) throws(CameraError) -> @Sendable () -> Void {
        let timer = try CameraError.wrapping { () throws(SystemShortage) in
            try TriggerTimer(every: max(interval, .milliseconds(1))) { [weak self] due in
                guard let self else { return end() }
                // Sources with a clock of their own show the moment with their newest frame.
                let time = source.clock == .monotonic ? due : ring.newestTime
                if let time { take(TriggerCause(.time, time: time)) }
            }
        }
        return { timer.leave() }
    }

    /// Ends whatever watches for motion, and waits for it.
    package func endTriggers() { motion.withLock { $0.take() }?.close() }
}

extension TriggerCause {
    /// The moment to take a photo of, for causes on the clock of the session's frames.
    public var tap: Tap { .at(moment) }
}
