// SPDX-License-Identifier: MIT
// Follows a camera's frames while its exposure is changed.

import FrameRing
import LivecapDeveloping
import LivecapFrames

/// Reads the frames of a ring in order, and how bright they are. Its methods wait for frames.
/// - Throws: `streamEnded`; `cameraAway` if frames stay away, or the camera has begun anew; `cancelled` once `isOver`
///   holds after a call of `wakeWaiters`.
struct ExposureFollower: ~Copyable {
    private var frames: FrameSubscription
    private let brightness: FrameBrightness?
    private let isOver: () -> Bool
    private let patience: Duration
    private var epoch: UInt32?

    /// Longer than any camera exposes, or takes to be switched on.
    static let usualPatience = Duration.seconds(10)

    /// Begins with the next frame.
    init(_ ring: Ring, patience: Duration = usualPatience, _ isOver: @escaping () -> Bool) {
        frames = FrameSubscription(to: ring)
        brightness = FrameBrightness(ring.format)
        self.patience = patience
        self.isOver = isOver
    }

    /// Waits until the camera's own exposure has come to rest. Returns the brightness then.
    mutating func settle() throws(PhotoError) -> Double? {
        var settling = ExposureSettling()
        while true {
            let lease = try next(), level = level(of: lease)
            if settling.note(level, at: lease.metadata.time, epoch: 0) != .settling { return level }
        }
    }

    /// Waits until an exposure that was just set is in force, and for `count` more usable frames and one. Returns the
    /// last one, and the brightness.
    mutating func follow(
        _ arrival: ExposureArrival, thenFrames count: Int
    ) throws(PhotoError) -> (frame: FrameID, level: Double?) {
        var arrival = arrival
        while true {
            let lease = try next()
            if arrival.note(level(of: lease), at: lease.metadata.time) { break }
        }
        var left = count + 1
        while true {
            let lease = try next()
            guard lease.metadata.isUsable else { continue }
            left -= 1
            if left == 0 { return (lease.metadata.id, level(of: lease)) }
        }
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
        switch frames.next(until: .now + patience, unless: isOver) {
        case .frame(let lease):
            // A camera that has begun anew has the exposure that it was given before.
            guard lease.metadata.id.epoch == epoch ?? lease.metadata.id.epoch else { throw .cameraAway }
            epoch = lease.metadata.id.epoch
            return lease
        case .ended: throw .streamEnded(nil)
        case .timedOut: throw isOver() ? .cancelled : .cameraAway
        }
    }
}
