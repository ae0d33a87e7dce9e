// SPDX-License-Identifier: MIT
// Finds faces with the full-range face detector.

import Glibc
import LivecapFrames

/// Finds faces from about a sixteenth of the picture's width. Used by one thread at a time.
package final class FaceFinder {
    private let net: Net
    private let input: NetPicture
    private let boxes: UnsafeMutableBufferPointer<Float>
    private let scores: UnsafeMutableBufferPointer<Float>
    /// Cells on a side of the net's grid. Each has one box.
    private let cells: Int
    private let area: NetArea

    /// Numbers for each cell: middle, width and height of its box, and six landmarks, in the input's samples and
    /// relative to the middle of the cell.
    private static let numbers = 16, landmarks = 6
    /// What mediapipe's full-range detector calls a face.
    private static let leastConfidence: Float = 0.6
    /// Boxes that have more than this in common are of the same face.
    private static let sameFace: Float = 0.3

    /// For pictures of a kind.
    /// - Throws: what prevents the net from being loaded.
    package init(_ nets: Nets, of kind: PictureKind) throws(NetError) {
        net = try nets.open(.faces)
        let outputs = net.outputs
        guard let boxes = outputs.first(where: { $0.values.count % Self.numbers == 0 && $0.channels == Self.numbers }),
            let scores = outputs.first(where: { $0.values.count * Self.numbers == boxes.values.count })
        else { throw .failed(NetModel.faces.rawValue) }
        self.boxes = boxes.values
        self.scores = scores.values
        cells = Int(Float(scores.values.count).squareRoot().rounded())
        guard cells * cells == scores.values.count, net.input.width == net.input.height else {
            throw .failed(NetModel.faces.rawValue)
        }
        // The whole picture, with bars above and below, or at the sides.
        area = .wholeSquare(of: kind.size)
        input = NetPicture(net.input, of: kind, values: -1...1)
    }

    /// The faces in a picture, the surest first; nil if the net fails.
    package func faces(in picture: QuadMap) -> [Face]? {
        input.draw(picture, area)
        guard net.run() else { return nil }
        var found: [Face] = []
        let least = log(Self.leastConfidence / (1 - Self.leastConfidence))
        for cell in scores.indices where scores[cell] >= least { found.append(face(cell)) }
        return Self.merged(found)
    }

    private func face(_ cell: Int) -> Face {
        let first = cell * Self.numbers, side = Float(net.input.width)
        let middleX = (Float(cell % cells) + 0.5) / Float(cells), middleY = (Float(cell / cells) + 0.5) / Float(cells)
        func point(_ index: Int) -> PicturePoint {
            area.place(
                x: boxes[first + index] / side + middleX, y: boxes[first + index + 1] / side + middleY)
        }
        let middle = point(0)
        let width = boxes[first + 2] / side * area.width, height = boxes[first + 3] / side * area.height
        return Face(
            origin: PicturePoint(x: middle.x - width / 2, y: middle.y - height / 2), width: width, height: height,
            confidence: 1 / (1 + exp(-scores[cell])),
            landmarks: (0..<Self.landmarks).map { point(4 + 2 * $0) })
    }

    /// One face for all boxes of it: their mean, weighted by how sure they are.
    static func merged(_ found: [Face]) -> [Face] {
        var left = found.sorted { $0.confidence > $1.confidence }
        var faces: [Face] = []
        while let best = left.first {
            let same = left.filter { $0.overlap(with: best) > sameFace }
            left.removeAll { $0.overlap(with: best) > sameFace }
            // A box without area has nothing in common with any, not even itself.
            guard !same.isEmpty else {
                left.removeFirst()
                continue
            }
            faces.append(mean(same, confidence: best.confidence))
        }
        return faces
    }

    private static func mean(_ faces: [Face], confidence: Float) -> Face {
        let total = faces.reduce(0) { $0 + $1.confidence }
        func mean(_ of: (Face) -> Float) -> Float { faces.reduce(0) { $0 + of($1) * $1.confidence } / total }
        return Face(
            origin: PicturePoint(x: mean(\.origin.x), y: mean(\.origin.y)), width: mean(\.width),
            height: mean(\.height), confidence: confidence,
            landmarks: faces[0].landmarks.indices.map { index in
                PicturePoint(x: mean { $0.landmarks[index].x }, y: mean { $0.landmarks[index].y })
            })
    }
}
