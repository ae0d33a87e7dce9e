// SPDX-License-Identifier: MIT
// A turned part of a picture.

import Glibc
import LivecapFrames

/// A place in a picture in samples, or a way between two. Unlike a `PicturePoint`, it has lengths and angles.
package struct SamplePoint: Hashable, Sendable {
    package var x: Float
    package var y: Float

    package init(x: Float, y: Float) {
        self.x = x
        self.y = y
    }

    /// A place in a picture of this size.
    init(_ point: PicturePoint, in size: FrameSize) {
        x = point.x * Float(size.width)
        y = point.y * Float(size.height)
    }

    /// The same as shares of the picture's width and height.
    func share(of size: FrameSize) -> PicturePoint {
        PicturePoint(x: x / Float(size.width), y: y / Float(size.height))
    }

    package var length: Float { (x * x + y * y).squareRoot() }

    package static func + (a: SamplePoint, b: SamplePoint) -> SamplePoint { SamplePoint(x: a.x + b.x, y: a.y + b.y) }
    package static func - (a: SamplePoint, b: SamplePoint) -> SamplePoint { SamplePoint(x: a.x - b.x, y: a.y - b.y) }
    package static func * (a: SamplePoint, b: Float) -> SamplePoint { SamplePoint(x: a.x * b, y: a.y * b) }
}

/// A turned square of a picture, which may lie partly outside of it.
struct TurnedSquare: Hashable {
    var middle: SamplePoint
    /// Its width and height, in samples.
    var side: Float
    /// Of the angle that it is turned by, clockwise.
    var cosine: Float
    var sine: Float

    /// A square whose upper edge is in the direction `up`, which need not have a length of 1; upright if it has none.
    init(middle: SamplePoint, side: Float, up: SamplePoint) {
        self.middle = middle
        self.side = side
        let length = up.length
        cosine = length > 0 ? -up.y / length : 1
        sine = length > 0 ? up.x / length : 0
    }

    /// A way within the square, as one in the picture.
    func turned(_ way: SamplePoint) -> SamplePoint {
        SamplePoint(x: cosine * way.x - sine * way.y, y: sine * way.x + cosine * way.y)
    }

    /// A way in the picture, as one within the square.
    func turnedBack(_ way: SamplePoint) -> SamplePoint {
        SamplePoint(x: cosine * way.x + sine * way.y, y: cosine * way.y - sine * way.x)
    }

    /// A place in the square, of which 0 and 1 are the edges.
    func place(x: Float, y: Float) -> SamplePoint {
        middle + turned(SamplePoint(x: (x - 0.5) * side, y: (y - 0.5) * side))
    }

    /// The upright square around the same middle that covers as much.
    private var box: Face {
        Face(
            origin: PicturePoint(x: middle.x - side / 2, y: middle.y - side / 2), width: side, height: side,
            confidence: 1, landmarks: [])
    }

    /// The share that two squares would have in common of what they cover together, if both were upright.
    func overlap(with other: TurnedSquare) -> Float { box.overlap(with: other.box) }
}
