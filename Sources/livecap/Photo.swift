// SPDX-License-Identifier: MIT
// A photo and everything that is told of it.

import Frames
import FusionKernels

/// What became of a shot.
struct Photo {
    /// The picture file's bytes.
    var bytes: [UInt8] = []
    /// Counts the moments in the order they were asked for, from 1.
    let number: Int
    /// The moment, on the source's clock.
    let tap: Timestamp
    /// The frame whose moment the picture shows.
    var reference: FrameMetadata
    /// The frames in the picture, and the mean weight of each.
    var used: [(frame: FrameMetadata, weight: Double)] = []
    /// The frames that were there and are not in it, and why.
    var rejected: [(id: FrameID, reason: String)] = []
    /// The way it was made: what was asked for, or "single" where that could not be.
    var given: String
    /// The fusion's account of itself; nil for a frame as it came.
    var fusion: FusionReport?
    /// What people should know beside that.
    var notes: [String] = []
    /// How long each part of the work took.
    var stages: [(name: String, time: TimeSpan)] = []

    /// Adds to the time of a stage.
    mutating func took(_ time: TimeSpan, in name: String) {
        if let place = stages.firstIndex(where: { $0.name == name }) {
            stages[place].time = stages[place].time + time
        } else {
            stages.append((name, time))
        }
    }
}
