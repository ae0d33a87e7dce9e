// SPDX-License-Identifier: MIT
// Which gesture a hand makes, from its points.

import Glibc
import LivecapFrames

/// Rules on the points of a hand. They are strict: rather none than a wrong one, since a gesture has effects.
package enum GestureRules {
    /// The gesture of a hand with 21 points in a picture that is `aspect` times as wide as high; nil if it makes none
    /// of those that are known.
    package static func gesture(of landmarks: [PicturePoint], aspect: Float) -> HandGesture? {
        guard landmarks.count == 21, let hand = HandShape(landmarks, aspect) else { return nil }
        if hand.isThumbUp(1) { return .thumbUp }
        if hand.isThumbUp(-1) { return .thumbDown }
        if hand.isVictory { return .victory }
        if hand.isHorns { return .horns }
        return hand.isHalfHeart ? .halfHeart : nil
    }
}

/// The points of a hand, and what is made of them. Lengths are in `size`, the hand's own.
private struct HandShape {
    private let points: [SamplePoint]
    /// From the wrist to the root of the middle finger; if the palm is seen from the side or from below, its width says
    /// how long that would be.
    private let size: Float

    /// The roots of the first, middle, third and little finger. Three points follow each: two joints and the tip.
    private static let roots = [5, 9, 13, 17]
    private static let first = 5, middle = 9, third = 13, little = 17
    /// The palm is this many times as long as it is wide.
    private static let palmShape: Float = 1.25

    init?(_ landmarks: [PicturePoint], _ aspect: Float) {
        points = landmarks.map { SamplePoint(x: $0.x * aspect, y: $0.y) }
        let length = (points[Self.middle] - points[0]).length
        size = max(length, Self.palmShape * (points[Self.first] - points[Self.little]).length)
        guard size > 0, size.isFinite else { return nil }
    }

    private func distance(_ a: Int, _ b: Int) -> Float { (points[a] - points[b]).length / size }

    /// The angle between two ways, in degrees.
    private func angle(_ a: SamplePoint, _ b: SamplePoint) -> Float {
        let lengths = a.length * b.length
        return lengths > 0 ? acos(min(max((a.x * b.x + a.y * b.y) / lengths, -1), 1)) * 180 / .pi : 0
    }

    /// The angle at a joint, in degrees: 180 if it is stretched.
    private func joint(_ before: Int, _ at: Int, _ after: Int) -> Float {
        angle(points[before] - points[at], points[after] - points[at])
    }

    /// How far from upright a way is, in degrees.
    private func lean(_ way: SamplePoint) -> Float { angle(way, SamplePoint(x: 0, y: -1)) }

    // MARK: Fingers

    /// The tip is far from the wrist, and the finger straight.
    private func isStretched(_ root: Int) -> Bool {
        joint(root, root + 1, root + 3) > 150 && joint(root + 1, root + 2, root + 3) > 140
            && distance(root + 3, 0) > 1.15 * distance(root + 1, 0)
    }

    /// The tip is back at the palm.
    private func isCurled(_ root: Int) -> Bool {
        joint(root, root + 1, root + 3) < 110 || distance(root + 3, 0) < 0.95 * distance(root + 1, 0)
    }

    /// The tip is even nearer to the wrist than the root is, or hardly farther.
    private func isInFist(_ root: Int) -> Bool { isCurled(root) && distance(root + 3, 0) < 1.15 * distance(root, 0) }

    private func way(_ from: Int, _ to: Int) -> SamplePoint { points[to] - points[from] }

    /// The thumb is straight, and its tip away from the fingers.
    private var isThumbOut: Bool {
        joint(1, 2, 3) > 120 && joint(2, 3, 4) > 140 && min(distance(4, 6), distance(4, 10)) > 0.45
            && distance(4, 5) > 0.4
    }

    /// The tip of the thumb lies on the middle or the third finger, or before the palm.
    private var isThumbFolded: Bool {
        let fingers = [10, 11, 12, 13, 14, 15, 16].map { distance(4, $0) }
        return fingers.min()! < 0.45 && distance(4, Self.little) < distance(2, Self.little)
    }

    // MARK: Gestures

    /// A fist with the thumb up, or down if `sign` is -1: within 35 degrees, and beyond all other points.
    func isThumbUp(_ sign: Float) -> Bool {
        guard Self.roots.allSatisfy(isInFist), isThumbOut else { return false }
        let way = self.way(2, 4), others = points[5...].map { -$0.y * sign }.max()!
        guard lean(SamplePoint(x: way.x, y: way.y * sign)) < 35, way.length > 0.4 * size else { return false }
        // The thumb goes off to the side of the palm, on that of the first finger: the points of a fist seen from the
        // front have none there.
        let fromPalm = angle(self.way(0, Self.middle), way)
        let fromKnuckles = angle(self.way(Self.little, Self.first), way)
        guard (35..<145).contains(fromPalm), fromKnuckles < 70 else { return false }
        return -points[4].y * sign > max(others, -points[0].y * sign) + 0.25 * size
    }

    /// Two fingers up and apart. A thumb beside them would be a three.
    var isVictory: Bool {
        guard isStretched(Self.first), isStretched(Self.middle), isCurled(Self.third), isCurled(Self.little),
            isThumbFolded
        else { return false }
        let (first, middle) = (way(5, 8), way(9, 12)), (roots, tips) = (way(5, 9), way(8, 12))
        // Crossed fingers are apart, too, but the other way round.
        let areInOrder = roots.x * tips.x + roots.y * tips.y > 0
        return areInOrder && tips.length > 1.3 * roots.length && angle(first, middle) > 12 && lean(first + middle) < 50
    }

    /// The first and the little finger up. With the thumb, too, it would be a sign of another meaning.
    var isHorns: Bool {
        guard isStretched(Self.first), isStretched(Self.little), isCurled(Self.middle), isCurled(Self.third),
            isThumbFolded
        else { return false }
        return lean(way(5, 8) + way(17, 20)) < 50 && angle(way(5, 8), way(17, 20)) < 60
    }

    /// An upright half of a heart: the fingers go up, and bend over to the other hand and down again; the thumb goes
    /// there, too, and further down.
    var isHalfHeart: Bool {
        let bent = [Self.first, Self.middle].allSatisfy { root in
            (50..<165).contains(joint(root, root + 1, root + 3)) && distance(root, root + 3) > 0.35
        }
        // The palm is seen from the side, or aslant.
        guard bent, joint(2, 3, 4) > 130, distance(4, 8) > 0.5, distance(Self.first, Self.little) < 0.55 else {
            return false
        }
        let finger = way(5, 8), thumb = way(2, 4)
        // To the same side.
        guard finger.x * thumb.x > 0, min(abs(finger.x), abs(thumb.x)) > 0.2 * size else { return false }
        let areBows = [Self.first, Self.middle].allSatisfy { root in
            way(root, root + 1).y < 0 && way(root + 1, root + 3).y > 0.15 * size
        }
        return areBows && thumb.y > 0.1 * size && way(8, 4).y > 0.4 * size
    }
}
