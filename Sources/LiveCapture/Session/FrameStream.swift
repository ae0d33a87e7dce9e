// SPDX-License-Identifier: MIT
// A session's frames for asynchronous code.

import FrameRing
import LivecapFrames
import LivecapThreads

/// Follows a session's frames as they arrive.
///
/// ```swift
/// let frames = session.frames()
/// while let frame = await frames.next() {
///     frame.withBytes { show($0) }
/// }
/// ```
///
/// The camera stays on while the stream exists. Release each frame before asking for the next: leased frames shorten
/// the history. Several tasks may share a stream; each frame goes to one of them.
public final class FrameStream: Sendable {
    private let run: SessionRun
    private let delivery: FrameDelivery
    /// Locked for as long as it takes to lease a frame.
    private let subscription: Guarded<FrameSubscription>
    /// Whoever follows the frames needs the camera.
    private let use: CameraUse

    init(_ run: SessionRun, _ delivery: FrameDelivery) {
        self.run = run
        self.delivery = delivery
        use = CameraUse(run.desk)
        // A source at the fast pace waits for those who want every frame.
        subscription = Guarded(FrameSubscription(to: run.ring, gate: delivery == .every ? run.gate : nil))
    }

    /// The next frame, as soon as there is one; nil once the stream has ended, or if the task is cancelled.
    public func next(isolation: isolated (any Actor)? = #isolation) async -> FrameLease? {
        while true {
            switch subscription.withLock({ $0.poll(delivery) }) {
            case .frame(let lease): return lease
            case .ended: return nil
            case .timedOut: break
            }
            let (run, next) = (run, subscription.withLock { $0.nextCounter })
            let mayGoOn = await run.arrivals.wait(isolation: isolation) {
                run.ring.nextCounter > next || run.desk.hasEnded
            }
            guard mayGoOn, run.ring.nextCounter > next || !run.desk.hasEnded else { return nil }
        }
    }

    /// How many frames this stream has passed over: those that left the history before they were asked for, and with
    /// `newest` those that a newer one replaced. Frames that the source lost are counted in each frame's metadata.
    public var missed: Int { subscription.withLock { Int(clamping: $0.missed) } }
}
