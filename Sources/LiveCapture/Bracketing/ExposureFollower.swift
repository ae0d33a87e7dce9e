// SPDX-License-Identifier: MIT
// Follows a camera's frames while its exposure is changed.

import FrameRing
import LivecapDeveloping
import LivecapFrames

/// Reads the frames of a ring in order, and how bright they are. Its methods wait for frames.
/// - Throws: `streamEnded`; `cancelled` once `isOver` holds after a call of `wakeWaiters`.
struct ExposureFollower: ~Copyable {
    private var frames: FrameSubscription
    private let brightness: FrameBrightness?
    private let isOver: () -> Bool

    /// Begins with the next frame.
    init(_ ring: Ring, _ isOver: @escaping () -> Bool) {
        frames = FrameSubscription(to: ring)
        brightness = FrameBrightness(ring.format)
        self.isOver = isOver
    }

    /// Waits until the camera's own exposure has come to rest. Returns the brightness then.
    mutating func settle() throws(PhotoError) -> Double? {
        var settling = ExposureSettling()
        while true {
            let lease = try next(), level = level(of: lease)
            if settling.note(level, at: lease.metadata.time, epoch: lease.metadata.id.epoch) != .settling {
                return level
            }
        }
    }

    /// Waits until an exposure that was just set is in force, and for some more frames. Returns the last one, and the
    /// brightness.
    mutating func follow(
        _ arrival: ExposureArrival, thenFrames count: Int
    ) throws(PhotoError) -> (frame: FrameID, level: Double?) {
        var arrival = arrival
        var lease = try next(), level = level(of: lease)
        while !arrival.note(level, at: lease.metadata.time) {
            lease = try next()
            level = self.level(of: lease)
        }
        var left = count
        while left > 0 || !lease.metadata.isUsable {
            lease = try next()
            left -= 1
        }
        return (lease.metadata.id, self.level(of: lease) ?? level)
    }

    /// Waits for a number of frames.
    mutating func skip(_ count: Int) throws(PhotoError) {
        for _ in 0..<count { _ = try next() }
    }

    private func level(of lease: borrowing FrameLease) -> Double? {
        guard lease.metadata.isUsable, let brightness else { return nil }
        return lease.withBytes { brightness.mean(of: $0) }
    }

    private mutating func next() throws(PhotoError) -> FrameLease {
        let isOver = isOver
        guard !isOver() else { throw .cancelled }
        switch frames.next(until: .distantFuture, unless: isOver) {
        case .frame(let lease): return lease
        case .ended: throw .streamEnded(nil)
        case .timedOut: throw .cancelled
        }
    }
}
