// SPDX-License-Identifier: MIT
// How far a person's eyes are open, from the points of the face.

import Glibc
import LivecapFrames

/// Finds 468 points of a face that was found before. Used by one thread at a time.
package final class FaceMesh {
    private let net: Net
    private let input: TurnedPicture
    private let points: UnsafeMutableBufferPointer<Float>
    private let presence: UnsafeMutableBufferPointer<Float>
    private let size: FrameSize
    /// Where the face was that was looked at last.
    private var square: TurnedSquare?

    private static let count = 468
    /// The face's box is enlarged by this, as mediapipe does it.
    private static let enlarged: Float = 1.5
    /// What mediapipe calls a face.
    private static let leastPresence: Float = 0.5
    /// The outer and the inner corner of an eye, and between them two points of the upper lid and, in the same order,
    /// those of the lower one.
    static let rightEye = Eye(corners: (33, 133), upper: (160, 158), lower: (144, 153))
    static let leftEye = Eye(corners: (263, 362), upper: (387, 385), lower: (373, 380))
    /// How high an eye is, as a share of its width, if it is closed, and if it is open. The mesh never closes a lid
    /// entirely, and eyes differ: most open ones have 0.25 to 0.35.
    private static let closed: Float = 0.1, open: Float = 0.28

    /// The points of an eye, by their numbers.
    struct Eye {
        let corners: (outer: Int, inner: Int)
        let upper: (Int, Int)
        let lower: (Int, Int)
    }

    /// For pictures of a kind.
    /// - Throws: what prevents the net from being loaded.
    package init(_ nets: Nets, of kind: PictureKind) throws(NetError) {
        net = try nets.open(.faceMesh)
        let outputs = net.outputs
        guard let points = outputs.first(where: { $0.values.count == 3 * Self.count }),
            let presence = outputs.first(where: { $0.values.count == 1 }), net.input.width == net.input.height
        else { throw .failed(NetModel.faceMesh.rawValue) }
        self.points = points.values
        self.presence = presence.values
        size = kind.size
        input = TurnedPicture(net.input, of: kind, values: 0...1)
    }

    /// How far the eyes of a face are open; nil if there is no face, or if the net fails.
    package func eyes(of face: Face, in picture: PicturePlanes) -> FaceFacts.Eyes? {
        guard look(at: face, in: picture) else { return nil }
        return FaceFacts.Eyes(right: Self.openness(ratio(Self.rightEye)), left: Self.openness(ratio(Self.leftEye)))
    }

    /// Looks for the points of a face. Returns false if there is none, or if the net fails.
    func look(at face: Face, in picture: PicturePlanes) -> Bool {
        let square = square(around: face)
        guard input.draw(picture, square), net.run() else { return false }
        self.square = square
        return 1 / (1 + exp(-presence[0])) >= Self.leastPresence
    }

    /// The square that the net looks at, turned so that the eyes are level.
    func square(around face: Face) -> TurnedSquare {
        let (right, left) = (SamplePoint(face.landmarks[0], in: size), SamplePoint(face.landmarks[1], in: size))
        let side = max(face.width * Float(size.width), face.height * Float(size.height)), along = left - right
        return TurnedSquare(
            middle: SamplePoint(face.middle, in: size), side: Self.enlarged * side,
            up: SamplePoint(x: along.y, y: -along.x))
    }

    /// A point of the face that was looked at last, in the square's samples.
    private func point(_ index: Int) -> SamplePoint { SamplePoint(x: points[3 * index], y: points[3 * index + 1]) }

    /// The same in the picture; nil before the first.
    func place(_ index: Int) -> SamplePoint? {
        let point = point(index), side = Float(net.input.width)
        return square?.place(x: point.x / side, y: point.y / side)
    }

    /// How high an eye is, as a share of its width: its "eye aspect ratio".
    func ratio(_ eye: Eye) -> Float {
        let width = (point(eye.corners.outer) - point(eye.corners.inner)).length
        let heights =
            (point(eye.upper.0) - point(eye.lower.0)).length + (point(eye.upper.1) - point(eye.lower.1)).length
        return width > 0 ? heights / (2 * width) : 0
    }

    /// How far an eye of this ratio is open.
    static func openness(_ ratio: Float) -> Float { min(max((ratio - closed) / (open - closed), 0), 1) }
}
