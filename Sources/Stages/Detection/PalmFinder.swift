// SPDX-License-Identifier: MIT
// Finds the palms of hands.

import Glibc
import LivecapFrames

/// Finds palms, which a hand has in whatever way its fingers are held. Used by one thread at a time.
final class PalmFinder {
    private let net: Net
    private let input: NetPicture
    private let boxes: UnsafeMutableBufferPointer<Float>
    private let scores: UnsafeMutableBufferPointer<Float>
    private let anchors: [PicturePoint]
    private let area: NetArea
    private let size: FrameSize

    /// Numbers for each anchor: middle, width and height of a box, and seven landmarks, in the input's samples and
    /// relative to the anchor.
    private static let numbers = 18, landmarks = 7
    /// The wrist, and the root of the middle finger, among the landmarks.
    private static let wrist = 0, middleRoot = 2
    /// What mediapipe calls a palm.
    private static let leastConfidence: Float = 0.5
    /// How large a hand is, as a multiple of its palm's box, and how far its middle is from the palm's, in boxes.
    private static let enlarged: Float = 2.6, shift: Float = 0.5

    /// For pictures of a kind.
    /// - Throws: what prevents the net from being loaded.
    init(_ nets: Nets, of kind: PictureKind) throws(NetError) {
        net = try nets.open(.palms)
        let anchors = Self.anchors(side: net.input.width)
        guard net.input.width == net.input.height,
            let boxes = net.outputs.first(where: { $0.values.count == Self.numbers * anchors.count }),
            let scores = net.outputs.first(where: { $0.values.count == anchors.count })
        else { throw .failed(NetModel.palms.rawValue) }
        self.boxes = boxes.values
        self.scores = scores.values
        self.anchors = anchors
        size = kind.size
        area = .wholeSquare(of: kind.size)
        input = NetPicture(net.input, of: kind, values: 0...1)
    }

    /// The middles of the boxes that the net moves, as shares of its input: two in each cell of 8 samples, and six in
    /// each of 16.
    static func anchors(side: Int) -> [PicturePoint] {
        [(cell: 8, each: 2), (cell: 16, each: 6)].flatMap { grid in
            let cells = side / grid.cell
            return (0..<cells * cells * grid.each).map { index in
                let cell = index / grid.each
                return PicturePoint(
                    x: (Float(cell % cells) + 0.5) / Float(cells), y: (Float(cell / cells) + 0.5) / Float(cells))
            }
        }
    }

    /// Squares around the hands of a picture, each turned so that its fingers would be up, the surest first; nil if the
    /// net fails.
    func hands(in picture: QuadMap) -> [TurnedSquare]? {
        input.draw(picture, area)
        guard net.run() else { return nil }
        var found: [Face] = []
        let least = log(Self.leastConfidence / (1 - Self.leastConfidence))
        for place in scores.indices where scores[place] >= least { found.append(palm(place)) }
        return FaceFinder.merged(found).map(square)
    }

    /// A palm is found as a face is.
    private func palm(_ place: Int) -> Face {
        let first = place * Self.numbers, side = Float(net.input.width), anchor = anchors[place]
        func point(_ index: Int) -> PicturePoint {
            area.place(x: boxes[first + index] / side + anchor.x, y: boxes[first + index + 1] / side + anchor.y)
        }
        let middle = point(0)
        let width = boxes[first + 2] / side * area.width, height = boxes[first + 3] / side * area.height
        return Face(
            origin: PicturePoint(x: middle.x - width / 2, y: middle.y - height / 2), width: width, height: height,
            confidence: 1 / (1 + exp(-scores[place])), landmarks: (0..<Self.landmarks).map { point(4 + 2 * $0) })
    }

    /// The square around the hand of a palm.
    private func square(_ palm: Face) -> TurnedSquare {
        let wrist = SamplePoint(palm.landmarks[Self.wrist], in: size)
        let up = SamplePoint(palm.landmarks[Self.middleRoot], in: size) - wrist
        let height = palm.height * Float(size.height), side = max(palm.width * Float(size.width), height)
        var square = TurnedSquare(middle: SamplePoint(palm.middle, in: size), side: Self.enlarged * side, up: up)
        square.middle = square.middle + square.turned(SamplePoint(x: 0, y: -Self.shift * height))
        return square
    }
}
