// SPDX-License-Identifier: MIT
// What is known of hands and faces in pictures, compared with what mediapipe 0.10.21 itself finds there, given the same
// pictures.

import Fusion
import LivecapFrames
import Testing

@testable import LivecapDetection

/// `make setup` fetches the nets, if it can.
private let areNetsInstalled =
    [NetModel.faces, .faceMesh, .palms, .hand].allSatisfy { model in (try? Nets().open(model)) != nil }

@Suite(.enabled(if: areNetsInstalled, "'make effects' fetches the nets"))
struct FactReaderTests {
    private let kind = PictureKind(TestPicture.size, .jpeg, .best)

    private func reader(
        _ wanted: Set<FactKind>, _ codes: [UInt8], _ backend: Nets.Backend? = nil
    ) throws -> FactReader {
        let reader = try FactReader(kind, wanted, Nets(wanted: backend))
        reader.planes.fill(codes)
        return reader
    }

    // MARK: Faces

    @Test(arguments: Nets.Backend.allCases) func openEyesAreOpen(_ backend: Nets.Backend) throws {
        guard (try? Nets(wanted: backend)) != nil else { return }
        let facts = try reader([.faces], TestPicture.astronaut.planes(), backend).read(after: 0)
        #expect(facts.hands == nil)
        let faces = try #require(facts.faces)
        try #require(faces.count == 1)
        #expect(faces[0].id == 1)
        #expect(try #require(faces[0].eyesOpen).areOpen)
        #expect(abs(faces[0].roll - 2.0) < 0.5, "\(faces[0].roll)")
        #expect(faces[0].landmarks.count == 6)
    }

    @Test func theMeshIsMediapipes() throws {
        let nets = try Nets(), mesh = try FaceMesh(nets, of: kind), planes = PicturePlanes(TestPicture.size)
        planes.fill(try TestPicture.astronaut.planes())
        let map = QuadMap(TestPicture.size)
        planes.gather(into: map, kind.kernels)
        let face = try #require(try FaceFinder(nets, of: kind).faces(in: map)?.first)
        #expect(mesh.place(1) == nil)
        #expect(mesh.look(at: face, in: planes))
        let known: [Int: (Float, Float)] = [
            1: (560.4, 327.4), 33: (486.0, 253.1), 133: (534.8, 260.5), 263: (643.2, 260.4), 362: (593.6, 263.3),
            61: (503.6, 347.2), 291: (616.6, 352.6), 10: (569.2, 177.8), 152: (554.4, 437.3),
        ]
        for (index, known) in known {
            let found = try #require(mesh.place(index))
            #expect(abs(found.x - known.0) < 5 && abs(found.y - known.1) < 5, "\(index) \(found) \(known)")
        }
        #expect(abs(mesh.ratio(FaceMesh.rightEye) - 0.333) < 0.03, "\(mesh.ratio(FaceMesh.rightEye))")
        #expect(abs(mesh.ratio(FaceMesh.leftEye) - 0.338) < 0.03, "\(mesh.ratio(FaceMesh.leftEye))")
    }

    @Test func eyesAreClosedBelowAndOpenAboveTheirRatios() {
        #expect([0, 0.1, 0.19, 0.28, 0.4].map { (FaceMesh.openness($0) * 10).rounded() } == [0, 0, 5, 10, 10])
    }

    /// The face is where a wall is.
    @Test func whereIsNoFaceAreNoEyes() throws {
        let nets = try Nets(), mesh = try FaceMesh(nets, of: kind), planes = PicturePlanes(TestPicture.size)
        planes.fill([UInt8](repeating: 128, count: TestPicture.size.area * 3 / 2))
        let face = Face(
            origin: PicturePoint(x: 0.4, y: 0.4), width: 0.2, height: 0.2, confidence: 1,
            landmarks: [PicturePoint(x: 0.45, y: 0.45), PicturePoint(x: 0.55, y: 0.45)])
        #expect(mesh.eyes(of: face, in: planes) == nil)
    }

    // MARK: Hands

    /// The points that mediapipe finds of both hands, by their numbers.
    private static let known: [(gesture: HandGesture, points: [Int: (Float, Float)])] = [
        (
            .victory,
            [
                0: (262, 520), 4: (270, 398), 5: (333, 367), 8: (380, 246), 12: (292, 226), 16: (263, 416),
                17: (211, 394), 20: (232, 422),
            ]
        ),
        (
            .horns,
            [
                0: (927, 508), 4: (934, 393), 5: (992, 366), 8: (1005, 223), 12: (958, 397), 16: (924, 404),
                17: (873, 377), 20: (849, 262),
            ]
        ),
    ]

    private func check(_ hands: [HandFacts]?, isMirrored: Bool) throws {
        let hands = try #require(hands).sorted { ($0.box.origin.x < $1.box.origin.x) != isMirrored }
        try #require(hands.count == 2)
        for (hand, known) in zip(hands, Self.known) {
            #expect(hand.gesture == known.gesture)
            #expect(hand.isRight != isMirrored)
            #expect(hand.confidence > 0.9)
            for (index, known) in known.points {
                let (x, y) = (hand.landmarks[index].x * 1280, hand.landmarks[index].y * 720)
                // A twentieth of the hand's height.
                let expected = isMirrored ? 1280 - known.0 : known.0
                #expect(abs(x - expected) < 15 && abs(y - known.1) < 15, "\(index) \(x) \(y) \(known)")
            }
        }
    }

    @Test(arguments: Nets.Backend.allCases) func handsAreWhereMediapipeFindsThem(_ backend: Nets.Backend) throws {
        guard (try? Nets(wanted: backend)) != nil else { return }
        let reader = try reader([.hands], TestPicture.hands.planes(), backend)
        let first = reader.read(after: 0)
        #expect(first.faces == nil)
        // Then they are followed, and keep their numbers.
        let next = reader.read(after: 0.1)
        try check(next.hands, isMirrored: false)
        #expect(next.hands?.map(\.id) == first.hands?.map(\.id))
        #expect(Set(next.hands?.map(\.id) ?? []) == [1, 2])
    }

    @Test func inAMirrorTheyAreLeftHands() throws {
        let reader = try reader([.hands], TestPicture.hands.mirroredPlanes())
        _ = reader.read(after: 0)
        try check(reader.read(after: 0.1).hands, isMirrored: true)
    }

    @Test func handsThatAreGoneAreDropped() throws {
        let reader = try reader([.hands], TestPicture.hands.planes())
        #expect(reader.read(after: 0).hands?.count == 2)
        reader.planes.fill([UInt8](repeating: 128, count: TestPicture.size.area * 3 / 2))
        for _ in 0..<4 { #expect(reader.read(after: 0.1).hands == []) }
    }

    /// To look for palms takes longer than anything else.
    @Test func palmsAreLookedForInEveryThirdPicture() throws {
        let reader = try reader([.hands], [UInt8](repeating: 128, count: TestPicture.size.area * 3 / 2))
        #expect(reader.read(after: 0).hands == [])
        reader.planes.fill(try TestPicture.hands.planes())
        #expect((0..<3).map { _ in reader.read(after: 0.1).hands?.count } == [0, 0, 2])
    }

    @Test func whatWasForgottenHasOtherNumbers() throws {
        let reader = try reader([.faces], TestPicture.astronaut.planes())
        #expect(reader.read(after: 0).faces?.map(\.id) == [1])
        reader.forget()
        #expect(reader.read(after: 0.1).faces?.map(\.id) == [2])
    }

    // MARK: Parts

    /// mediapipe's list begins so.
    @Test func palmsHaveMediapipesAnchors() {
        let anchors = PalmFinder.anchors(side: 192)
        #expect(anchors.count == 2016)
        #expect(anchors[0] == anchors[1])
        #expect(anchors[2] == PicturePoint(x: 1.5 / 24, y: 0.5 / 24))
        #expect(anchors[48] == PicturePoint(x: 0.5 / 24, y: 1.5 / 24))
        #expect(anchors[1152] == PicturePoint(x: 0.5 / 12, y: 0.5 / 12))
        #expect(anchors[1157] == anchors[1152])
        #expect(anchors[2015] == PicturePoint(x: 11.5 / 12, y: 11.5 / 12))
    }

    @Test func aTurnedSquareLeadsThereAndBack() {
        let square = TurnedSquare(
            middle: SamplePoint(x: 100, y: 200), side: 40, up: SamplePoint(x: 3, y: 0))
        // Its upper edge is on the right.
        #expect((square.place(x: 0.5, y: 0) - SamplePoint(x: 120, y: 200)).length < 0.001)
        #expect((square.place(x: 0, y: 0.5) - SamplePoint(x: 100, y: 180)).length < 0.001)
        let way = SamplePoint(x: 7, y: -2)
        #expect((square.turnedBack(square.turned(way)) - way).length < 0.001)
        let upright = TurnedSquare(middle: SamplePoint(x: 0, y: 0), side: 1, up: SamplePoint(x: 0, y: 0))
        #expect(upright.turned(way) == way)
    }

    @Test func squaresThatAreOfNoUseAreNotDrawn() throws {
        let net = try Nets().open(.hand), input = TurnedPicture(net.input, of: kind, values: 0...1)
        let planes = PicturePlanes(TestPicture.size), up = SamplePoint(x: 0, y: -1)
        func isDrawn(_ x: Float, _ side: Float) -> Bool {
            input.draw(planes, TurnedSquare(middle: SamplePoint(x: x, y: 100), side: side, up: up))
        }
        #expect(isDrawn(100, 300) && isDrawn(-5000, 300))
        #expect(!isDrawn(100, 0) && !isDrawn(40000, 300) && !isDrawn(.nan, 300) && !isDrawn(100, .infinity))
    }
}
