// SPDX-License-Identifier: MIT
// The motion between frames that follow each other: found once, however many shots they are in.

/// Remembers the motion from frame to frame.
final class MotionLinks {
    /// The most remembered: two bursts' worth.
    private static let most = 2 * Fuser.mostFrames
    private var links: [(from: UInt64, to: UInt64, motion: AffineMotion)] = []
    /// Where the next one is put.
    private var next = 0

    init() { links.reserveCapacity(Self.most) }

    /// The motion from one frame to another, if it is remembered.
    func motion(_ from: FusionFrame, _ to: FusionFrame) -> AffineMotion? {
        for link in links where link.from == from.identity && link.to == to.identity { return link.motion }
        return nil
    }

    /// Remembers it, for the oldest one.
    func remember(_ from: FusionFrame, _ to: FusionFrame, _ motion: AffineMotion) {
        let link = (from.identity, to.identity, motion)
        if links.count < Self.most { links.append(link) } else { links[next] = link }
        next = (next + 1) % Self.most
    }
}
