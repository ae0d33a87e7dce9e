// SPDX-License-Identifier: MIT
// The frames of one fusion, around their reference.

/// A reference and the frames to merge into it, nearest in time first.
struct Burst {
    let reference: FusionFrame
    /// All frames in the order given, and the index of the reference among them.
    let frames: [FusionFrame]
    let referencePlace: Int
    let others: [FusionFrame]
    /// The index in `frames` of each of the others.
    let places: [Int]
    /// For each of the others, its neighbour on the side of the reference (as an index of `others`), and how many
    /// times farther from the reference it is than that neighbour. Nil if the neighbour is the reference.
    let between: [(other: Int, factor: Float)?]

    /// Whether all frames are identical: a still picture was fed in, or the camera is stuck.
    var isOneFrame: Bool { !others.isEmpty && others.allSatisfy { $0.isSame(as: reference) } }

    init(_ frames: [FusionFrame], reference: Int) {
        self.reference = frames[reference]
        self.frames = frames
        referencePlace = reference
        let order = frames.indices.filter { $0 != reference }.sorted {
            (abs($0 - reference), $0) < (abs($1 - reference), $1)
        }
        places = order
        others = order.map { frames[$0] }
        between = order.map { place in
            let distance = place - reference, nearer = place - distance.signum()
            guard let other = order.firstIndex(of: nearer) else { return nil }
            return (other, Float(distance) / Float(nearer - reference))
        }
    }
}
