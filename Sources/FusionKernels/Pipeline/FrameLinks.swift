// SPDX-License-Identifier: MIT
// What is found between frames that follow each other: once, however many shots they are in, and whoever makes those.

import Threads

/// Remembers the motion from frame to frame, and the noise seen in their difference.
///
/// Any number of fusers of one format and level may share it, on any threads: what one has found, the others need not look
/// for. A link follows from its two frames alone, so pictures do not depend on who found it, nor on whether it was forgotten
/// and found again.
public final class FrameLinks: Sendable {
    /// The most remembered: the bursts of a few fusers that follow the same stream.
    private static let most = 4 * Fuser.mostFrames

    /// What lies between a frame and the next.
    struct Link: Sendable {
        let from: UInt64
        let to: UInt64
        let motion: AffineMotion
        /// Whether they show the same scene.
        let areAlike: Bool
        /// Of each plane; empty where it could not be told. Nil where it was not asked for.
        var noise: [NoiseModel]?

        init(_ from: FusionFrame, _ to: FusionFrame, _ motion: AffineMotion, areAlike: Bool) {
            (self.from, self.to, self.motion, self.areAlike) = (from.identity, to.identity, motion, areAlike)
        }

        func isBetween(_ from: FusionFrame, _ to: FusionFrame) -> Bool {
            self.from == from.identity && self.to == to.identity
        }
    }

    private struct Memory: Sendable {
        var links: [Link] = []
        /// Where the next one is put.
        var next = 0
    }

    private let memory = Guarded(Memory())

    /// Nothing is known yet.
    public init() { memory.withLock { $0.links.reserveCapacity(Self.most) } }

    /// What is remembered of two frames.
    func link(_ from: FusionFrame, _ to: FusionFrame) -> Link? {
        memory.withLock { memory in memory.links.first { $0.isBetween(from, to) } }
    }

    /// Remembers a link, for the oldest one, or more of one that is known.
    func remember(_ link: Link) {
        memory.withLock { memory in
            if let place = memory.links.firstIndex(where: { $0.from == link.from && $0.to == link.to }) {
                if link.noise != nil { memory.links[place].noise = link.noise }
                return
            }
            if memory.links.count < Self.most { memory.links.append(link) } else { memory.links[memory.next] = link }
            memory.next = (memory.next + 1) % Self.most
        }
    }
}
