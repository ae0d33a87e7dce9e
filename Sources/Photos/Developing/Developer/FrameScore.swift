// SPDX-License-Identifier: MIT
// Which frame of a moment shows people best.

import Fusion
import LivecapFrames

/// How good a frame is for a photo.
package struct FrameScore: Hashable, Sendable {
    /// How many people have an eye shut, or are not seen although other frames show them.
    package var shut = 0
    /// How sharp faces are, or the whole frame if there are none.
    package var sharpness: Double

    /// Frames of at least this share of the greatest sharpness count as equally sharp.
    private static let equal = 0.95

    /// A frame's score.
    package init(shut: Int = 0, sharpness: Double) {
        self.shut = shut
        self.sharpness = sharpness
    }

    /// The score of a frame with these faces, where the frames around it show as many as `people`.
    package init(_ frame: FusionFrame, _ faces: [FaceFacts], people: Int) {
        shut = faces.count { $0.eyesOpen?.areOpen == false } + max(0, people - faces.count)
        // Large faces count for more.
        var sum = 0.0, weight = 0.0
        for face in faces {
            let area = Double(max(0, face.box.width)) * Double(max(0, face.box.height))
            sum += area * frame.sharpness(in: face.box)
            weight += area
        }
        sharpness = weight > 0 ? sum / weight : 0
    }

    /// The index of the best frame: first by eyes, then by sharpness, then by which `isNearer`. Nil if there are none.
    package static func best(of scores: [FrameScore], isNearer: (Int, Int) -> Bool) -> Int? {
        let fewest = scores.map(\.shut).min()
        let open = scores.indices.filter { scores[$0].shut == fewest }
        let sharpest = open.map { scores[$0].sharpness }.max() ?? 0
        return open.filter { scores[$0].sharpness >= equal * sharpest }.min(by: isNearer)
    }
}
