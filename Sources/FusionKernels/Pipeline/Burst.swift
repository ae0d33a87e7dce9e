// SPDX-License-Identifier: MIT
// The frames of one fusion, around their reference.

/// A reference and the frames to be merged into it, nearest in order first.
struct Burst {
    let reference: FusionFrame
    /// All frames in the order given, and where the reference is among them.
    let frames: [FusionFrame]
    let referencePlace: Int
    let others: [FusionFrame]
    /// Where each of the others is among the frames given.
    let places: [Int]
    /// For each of the others, which of them lies between it and the reference, next to it; and how many times farther
    /// it is itself.
    let between: [(other: Int, factor: Float)?]

    /// Whether all frames are one, again and again: a picture that stands still, or a camera that does.
    var isOneFrame: Bool { !others.isEmpty && others.allSatisfy { $0.isSame(as: reference) } }

    init(_ frames: [FusionFrame], reference: Int) {
        self.reference = frames[reference]
        (self.frames, referencePlace) = (frames, reference)
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
