// SPDX-License-Identifier: MIT
// What is known of the people in a picture.

import Glibc
import LivecapCFusionKernels
import LivecapFrames

/// Finds faces and hands in a stream of pictures of one size. It owns its working memory. Used by one thread.
package final class FactReader {
    /// The picture to look at. The caller fills it.
    package let planes: PicturePlanes
    private let kernels: UnsafePointer<fusion_kernels>
    private let size: FrameSize
    private let picture: QuadMap
    private let faces: (finder: FaceFinder, mesh: FaceMesh)?
    private let hands: HandFinder?
    private var faceTracks = FactTracks()
    private var handTracks = FactTracks()
    private var eyes = SteadyEyes()

    /// The eyes of so many faces are looked at, the largest ones.
    private static let mostEyes = 4

    /// For pictures of a kind, of which `wanted` is to be known.
    /// - Throws: what prevents a net from being loaded.
    package init(_ kind: PictureKind, _ wanted: Set<FactKind>, _ nets: Nets) throws(NetError) {
        size = kind.size
        kernels = kind.kernels
        planes = PicturePlanes(kind.size)
        picture = QuadMap(kind.size)
        faces = wanted.contains(.faces) ? (try FaceFinder(nets, of: kind), try FaceMesh(nets, of: kind)) : nil
        hands = wanted.contains(.hands) ? try HandFinder(nets, of: kind) : nil
    }

    /// The next picture has nothing to do with the one before.
    package func forget() {
        hands?.forget()
        faceTracks.forget()
        handTracks.forget()
        eyes.forget()
    }

    /// Looks at `planes`, which come `seconds` after the ones before: the faces, the largest first, and the hands. Nil
    /// for what is not wanted, and if a net fails.
    package func read(after seconds: Double) -> (faces: [FaceFacts]?, hands: [HandFacts]?) {
        planes.gather(into: picture, kernels)
        return (readFaces(after: seconds), readHands(after: seconds))
    }

    private func readFaces(after seconds: Double) -> [FaceFacts]? {
        guard let faces, var found = faces.finder.faces(in: picture) else { return nil }
        found.sort { $0.width * $0.height > $1.width * $1.height }
        let boxes = found.map { PictureBox(origin: $0.origin, width: $0.width, height: $0.height) }
        let ids = faceTracks.ids(of: boxes, after: seconds)
        let fresh = found.enumerated().map { place, face in
            place < Self.mostEyes ? faces.mesh.eyes(of: face, in: planes) : nil
        }
        let steady = eyes.next(ids, fresh, after: seconds)
        return found.indices.map { place in
            FaceFacts(
                id: ids[place], box: boxes[place], confidence: found[place].confidence, roll: roll(found[place]),
                eyesOpen: steady[place], landmarks: found[place].landmarks)
        }
    }

    /// How far a face leans to the right of the picture, in degrees, from the line of its eyes.
    private func roll(_ face: Face) -> Float {
        let along = SamplePoint(face.landmarks[1], in: size) - SamplePoint(face.landmarks[0], in: size)
        return atan2(along.y, along.x) * 180 / .pi
    }

    private func readHands(after seconds: Double) -> [HandFacts]? {
        guard let hands else { return nil }
        let found = hands.hands(in: planes, picture)
        let places = found.map { hand in hand.points.map { $0.share(of: size) } }
        let boxes = places.map(Self.box)
        let ids = handTracks.ids(of: boxes, after: seconds)
        let aspect = Float(size.width) / Float(size.height)
        return found.indices.map { place in
            HandFacts(
                id: ids[place], box: boxes[place], confidence: found[place].confidence,
                isRight: found[place].isRight, gesture: GestureRules.gesture(of: places[place], aspect: aspect),
                landmarks: places[place])
        }
    }

    /// What is around points.
    private static func box(_ points: [PicturePoint]) -> PictureBox {
        let first = points[0]
        var (least, most) = (first, first)
        for point in points {
            least = PicturePoint(x: min(least.x, point.x), y: min(least.y, point.y))
            most = PicturePoint(x: max(most.x, point.x), y: max(most.y, point.y))
        }
        return PictureBox(origin: least, width: most.x - least.x, height: most.y - least.y)
    }
}
