// SPDX-License-Identifier: MIT
// What was found between consecutive frames: computed once, however many shots and fusers use the frames.

import LivecapThreads

/// Remembers the motion between consecutive frames, and the noise measured from their difference.
///
/// Any number of fusers of one format and level may share it, on any threads, so that each need not find again what
/// another has found. A link depends on its two frames alone, so pictures do not depend on which fuser found it, or
/// whether it was forgotten and found again.
public final class FrameLinks: Sendable {
    /// The maximum number of links: enough for the bursts of a few fusers that follow the same stream.
    private static let most = 4 * Fuser.maxFrames

    /// What was found between a frame and the next.
    struct Link: Sendable {
        let from: UInt64
        let to: UInt64
        let motion: AffineMotion
        /// Whether the two frames show the same scene.
        let areAlike: Bool
        /// The noise of each plane; empty if it could not be measured, nil if it has not been asked for yet.
        var noise: [NoiseModel]?

        init(_ from: FusionFrame, _ to: FusionFrame, _ motion: AffineMotion, areAlike: Bool) {
            self.from = from.identity
            self.to = to.identity
            self.motion = motion
            self.areAlike = areAlike
        }

        func isBetween(_ from: FusionFrame, _ to: FusionFrame) -> Bool {
            self.from == from.identity && self.to == to.identity
        }
    }

    private struct Memory: Sendable {
        var links: [Link] = []
        /// The place of the next link, in a circle.
        var next = 0
    }

    private let memory = Guarded(Memory())

    /// Creates an empty memory of links.
    public init() { memory.withLock { $0.links.reserveCapacity(Self.most) } }

    /// The link between two frames, if it is remembered.
    func link(_ from: FusionFrame, _ to: FusionFrame) -> Link? {
        memory.withLock { memory in memory.links.first { $0.isBetween(from, to) } }
    }

    /// Adds a link, in place of the oldest one if there is no room; or adds the noise to a link that is already
    /// known.
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
