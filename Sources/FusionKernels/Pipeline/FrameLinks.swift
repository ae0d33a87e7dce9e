// SPDX-License-Identifier: MIT
// What is found between frames that follow each other: once, however many shots they are in.

/// Remembers the motion from frame to frame, and the noise seen in their difference.
final class FrameLinks: @unchecked Sendable {
    /// The most remembered: two bursts' worth.
    private static let most = 2 * Fuser.mostFrames
    private var links: [Link] = []
    /// Where the next one is put.
    private var next = 0

    /// What lies between a frame and the next.
    struct Link {
        fileprivate var from: UInt64
        fileprivate var to: UInt64
        var motion: AffineMotion
        /// Whether they show the same scene.
        var areAlike: Bool
        /// Of each plane; empty where it was not asked for, or could not be told.
        var noise: [NoiseModel] = []
        var isNoiseKnown = false
    }

    init() { links.reserveCapacity(Self.most) }

    /// What is remembered of two frames.
    func link(_ from: FusionFrame, _ to: FusionFrame) -> Link? {
        for link in links where link.from == from.identity && link.to == to.identity { return link }
        return nil
    }

    /// Remembers their motion, for the oldest one.
    func remember(_ from: FusionFrame, _ to: FusionFrame, _ motion: AffineMotion, areAlike: Bool) {
        let link = Link(from: from.identity, to: to.identity, motion: motion, areAlike: areAlike)
        if links.count < Self.most { links.append(link) } else { links[next] = link }
        next = (next + 1) % Self.most
    }

    /// Remembers the noise of two frames whose motion is.
    func remember(_ from: FusionFrame, _ to: FusionFrame, noise: [NoiseModel]) {
        for index in links.indices where links[index].from == from.identity && links[index].to == to.identity {
            (links[index].noise, links[index].isNoiseKnown) = (noise, true)
        }
    }
}
