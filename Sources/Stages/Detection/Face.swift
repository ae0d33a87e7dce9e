// SPDX-License-Identifier: MIT
// A face in a picture.

import LivecapFrames

/// A face that was found in a picture.
package struct Face: Hashable, Sendable {
    /// The corner of its box at the upper left, which may lie outside of the picture.
    package var origin: PicturePoint
    /// The width and height of its box, as shares of the picture's.
    package var width: Float
    package var height: Float
    /// How sure it is, from 0 to 1.
    package var confidence: Float
    /// The person's right eye and left eye, the tip of the nose, the middle of the mouth, the right ear and the left
    /// ear.
    package var landmarks: [PicturePoint]

    package init(
        origin: PicturePoint, width: Float, height: Float, confidence: Float, landmarks: [PicturePoint]
    ) {
        self.origin = origin
        self.width = width
        self.height = height
        self.confidence = confidence
        self.landmarks = landmarks
    }

    /// The middle of its box.
    package var middle: PicturePoint { PicturePoint(x: origin.x + width / 2, y: origin.y + height / 2) }

    /// The share that two boxes have in common of what they cover together.
    func overlap(with other: Face) -> Float {
        let across = min(origin.x + width, other.origin.x + other.width) - max(origin.x, other.origin.x)
        let down = min(origin.y + height, other.origin.y + other.height) - max(origin.y, other.origin.y)
        guard across > 0, down > 0 else { return 0 }
        let common = across * down
        return common / (width * height + other.width * other.height - common)
    }
}
