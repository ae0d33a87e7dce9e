// SPDX-License-Identifier: MIT
// The points of a hand.

import LivecapFrames

/// A hand that was found in a picture.
package struct Hand: Sendable {
    /// How sure it is, from 0 to 1.
    package var confidence: Float
    /// Whether it is the person's right one.
    package var isRight: Bool
    /// The wrist, and four points of each finger from its root to its tip, beginning with the thumb.
    package var points: [SamplePoint]
    /// Where it was looked for.
    var square: TurnedSquare
}

extension Hand {
    /// Points of the wrist, the thumb without its tip, and the two of each finger next to its root. They move less
    /// than the whole hand does when a gesture changes.
    private static let steady = [0, 1, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18]
    /// The points that, seen from the wrist, are up: the roots of the first, middle and third finger.
    private static let firstRoot = 5, middleRoot = 9, thirdRoot = 13
    /// How large a hand is, as a multiple of what is around the steady points, and how far its middle is from theirs.
    private static let enlarged: Float = 2, shift: Float = 0.1

    /// Where to look for the hand in the next picture, as mediapipe does it.
    var next: TurnedSquare {
        let sides = (points[Self.firstRoot] + points[Self.thirdRoot]) * 0.5
        let up = (sides + points[Self.middleRoot]) * 0.5 - points[0]
        var square = TurnedSquare(middle: points[0], side: 1, up: up)
        var (least, most) = (SamplePoint(x: 0, y: 0), SamplePoint(x: 0, y: 0))
        for index in Self.steady {
            let way = square.turnedBack(points[index] - points[0])
            least = SamplePoint(x: min(least.x, way.x), y: min(least.y, way.y))
            most = SamplePoint(x: max(most.x, way.x), y: max(most.y, way.y))
        }
        let extent = most - least, middle = (least + most) * 0.5
        square.middle = points[0] + square.turned(SamplePoint(x: middle.x, y: middle.y - Self.shift * extent.y))
        square.side = Self.enlarged * max(extent.x, extent.y)
        return square
    }
}

/// Finds the points of a hand, given about where it is. Used by one thread at a time.
final class HandReader {
    private let net: Net
    private let input: TurnedPicture
    private let points: UnsafeMutableBufferPointer<Float>
    private let presence: UnsafeMutableBufferPointer<Float>
    private let handedness: UnsafeMutableBufferPointer<Float>

    private static let count = 21
    /// What mediapipe calls a hand.
    private static let leastPresence: Float = 0.5

    /// For pictures of a kind.
    /// - Throws: what prevents the net from being loaded.
    init(_ nets: Nets, of kind: PictureKind) throws(NetError) {
        net = try nets.open(.hand)
        // The points in the input's samples come before those in the world, and the presence before the handedness.
        let numbers = net.outputs.filter { $0.values.count == 1 }
        guard let points = net.outputs.first(where: { $0.values.count == 3 * Self.count }), numbers.count == 2,
            net.input.width == net.input.height
        else { throw .failed(NetModel.hand.rawValue) }
        self.points = points.values
        presence = numbers[0].values
        handedness = numbers[1].values
        input = TurnedPicture(net.input, of: kind, values: 0...1)
    }

    /// The hand in a square of a picture; nil if there is none, or if the net fails.
    func hand(in square: TurnedSquare, of picture: PicturePlanes) -> Hand? {
        guard input.draw(picture, square), net.run(), presence[0] >= Self.leastPresence else { return nil }
        let side = Float(net.input.width)
        let places = (0..<Self.count).map { square.place(x: points[3 * $0] / side, y: points[3 * $0 + 1] / side) }
        guard places.allSatisfy({ $0.length.isFinite }) else { return nil }
        // The net gives how likely it is a left hand, but as in a mirror, which pictures of a camera are not.
        return Hand(confidence: presence[0], isRight: handedness[0] >= 0.5, points: places, square: square)
    }
}
