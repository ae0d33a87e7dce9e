// SPDX-License-Identifier: MIT
// Frames prepared for fusion, kept for the next shot, which shares most of them.

import Frames
import FusionKernels

/// The newest prepared frames, by their ids. Memory of those that are let go is used again.
struct PreparedFrames {
    private var kept: [FrameID: FusionFrame] = [:]
    private var spare: [FusionFrame] = []
    /// How many are kept.
    private let limit: Int

    /// Keeps up to `limit` frames, which is as many as one shot may need.
    init(limit: Int) { self.limit = limit }

    /// The frame with this id, if it is kept.
    subscript(id: FrameID) -> FusionFrame? { kept[id] }

    /// Memory to prepare a frame into: that of the oldest kept ones when there are enough, except those with ids from
    /// `needed` on, which the shot in work uses.
    mutating func memory(needed: FrameID, of fuser: Fuser) -> FusionFrame {
        while kept.count >= limit, let oldest = kept.keys.min(), oldest < needed {
            spare.append(kept.removeValue(forKey: oldest)!)
        }
        return spare.popLast() ?? fuser.makeFrame()
    }

    /// Keeps a frame that was prepared.
    mutating func keep(_ frame: FusionFrame, as id: FrameID) { kept[id] = frame }

    /// Takes memory back that nothing was prepared into.
    mutating func giveBack(_ frame: FusionFrame) { spare.append(frame) }
}
