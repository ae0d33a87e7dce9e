// SPDX-License-Identifier: MIT
// Finds hands, and follows them from picture to picture.

/// Follows hands. Used by one thread at a time.
///
/// A hand is looked for where its points were in the picture before. To look for palms in the whole picture takes
/// longer, so that is done only while fewer hands are followed than are wanted, and not in every picture.
package final class HandFinder {
    private let palms: PalmFinder
    private let reader: HandReader
    /// While fewer hands than this are followed, others are looked for.
    private let wanted: Int
    /// Those of the last picture.
    private var hands: [Hand] = []
    /// Pictures until palms are looked for again.
    private var untilPalms = 0

    /// More hands than this are not followed.
    package static let most = 4
    /// Palms are looked for in every third picture at most.
    private static let palmsEvery = 3
    /// Squares that have more than this in common are of the same hand.
    private static let sameHand: Float = 0.5

    /// For pictures of a kind. Looks for more hands while it follows fewer than `wanted`.
    /// - Throws: what prevents a net from being loaded.
    package init(_ nets: Nets, of kind: PictureKind, wanted: Int = 2) throws(NetError) {
        palms = try PalmFinder(nets, of: kind)
        reader = try HandReader(nets, of: kind)
        self.wanted = min(wanted, Self.most)
    }

    /// The next picture has nothing to do with the one before.
    package func forget() {
        hands.removeAll(keepingCapacity: true)
        untilPalms = 0
    }

    /// The hands in the next picture, and `map`, which is the picture's. Those that were followed longest come first.
    package func hands(in picture: PicturePlanes, _ map: QuadMap) -> [Hand] {
        let before = hands
        hands.removeAll(keepingCapacity: true)
        for hand in before { follow(hand.next, picture) }
        untilPalms -= 1
        guard hands.count < wanted, untilPalms < 0 else { return hands }
        untilPalms = Self.palmsEvery - 1
        for square in palms.hands(in: map) ?? [] where !isFollowed(square) { follow(square, picture) }
        return hands
    }

    /// Adds the hand that is in a square, unless it was found before.
    private func follow(_ square: TurnedSquare, _ picture: PicturePlanes) {
        guard hands.count < Self.most, let hand = reader.hand(in: square, of: picture), !isFollowed(hand.next) else {
            return
        }
        hands.append(hand)
    }

    /// Whether a square is around a hand that is in the list.
    private func isFollowed(_ square: TurnedSquare) -> Bool {
        hands.contains { $0.next.overlap(with: square) > Self.sameHand }
    }
}
