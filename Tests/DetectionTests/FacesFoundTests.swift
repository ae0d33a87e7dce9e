// SPDX-License-Identifier: MIT
// How many faces are found, of those that are there.

import Fusion
import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import LivecapDetection

/// `make setup` fetches the nets, if it can.
private let areNetsInstalled = (try? Nets().open(.matte)) != nil && (try? Nets().open(.faces)) != nil

/// All numbers are seeded: every run sees the same pictures. Their only face is that of the one photograph there is.
@Suite(.enabled(if: areNetsInstalled, "'make effects' fetches the nets"))
struct FacesFoundTests {
    private let kind = PictureKind(FaceScene.size, .jpeg, .best)

    /// A picture of the `number`th kind of background, brightness and noise, with the face in any place.
    private func plan(_ number: Int, size: Float, _ random: inout SeededRandom) -> FacePlan {
        var plan = FacePlan(
            size: size, across: .random(in: 0...1, using: &random), down: .random(in: 0...1, using: &random))
        plan.isMirrored = random.next() % 2 == 0
        plan.backdrop = Backdrop.allCases[number % Backdrop.allCases.count]
        plan.gain = [1, 0.5, 0.7, 1.2][Int(random.next() % 4)]
        plan.noise = [0, 5, 10, 20][Int(random.next() % 4)]
        return plan
    }

    /// For each size, how many of 18 faces are found at least, whatever is behind them.
    @Test func facesAreFoundWhereverTheyAre() throws {
        let nets = try Nets(), finder = try FaceFinder(nets, of: kind), scene = try FaceScene(nets, kind)
        let map = QuadMap(FaceScene.size)
        var random = SeededRandom(seed: 80)
        for (size, least) in [(80, 9), (100, 13), (130, 16), (170, 17), (250, 18), (400, 18)] {
            var missed: [FacePlan] = []
            for number in 0..<18 {
                let plan = plan(number, size: Float(size), &random), face = scene.draw(plan, into: map, &random)
                let found = try #require(finder.faces(in: map))
                if !found.contains(where: { $0.overlap(with: face) > 0.5 }) { missed.append(plan) }
                #expect(found.allSatisfy { $0.overlap(with: face) > 0.1 }, "another face: \(plan)")
            }
            #expect(18 - missed.count >= least, "\(missed)")
        }
    }

    /// Now and then, a drawn circle is taken for a face.
    @Test func nobodyIsFoundWhereNobodyIs() throws {
        let finder = try FaceFinder(Nets(), of: kind), map = QuadMap(FaceScene.size)
        var random = SeededRandom(seed: 81)
        var wrong: [FacePlan] = []
        for number in 0..<72 {
            let plan = plan(number, size: 0, &random)
            FaceScene.draw(plan, alone: map, &random)
            if try #require(finder.faces(in: map)) != [] { wrong.append(plan) }
        }
        #expect(wrong.count <= 1 && wrong.allSatisfy { $0.backdrop == .spots }, "\(wrong)")
    }

    @Test func drawnHandsAreNoFaces() throws {
        let finder = try FaceFinder(Nets(), of: kind), map = QuadMap(FaceScene.size)
        let planes = PicturePlanes(FaceScene.size)
        for codes in try [TestPicture.hands.planes(), TestPicture.hands.mirroredPlanes()] {
            planes.fill(codes)
            planes.gather(into: map, kind.kernels)
            #expect(finder.faces(in: map) == [])
        }
    }
}
