// SPDX-License-Identifier: MIT
// What nets find in a photograph, compared with what mediapipe 0.10.21 itself finds there, given the same picture at
// the size that its net takes.

import Foundation
import Fusion
import LivecapFrames
import Testing

@testable import LivecapDetection

/// `make setup` fetches the nets, if it can.
private let areNetsInstalled = (try? Nets().open(.matte)) != nil && (try? Nets().open(.faces)) != nil

@Suite(.enabled(if: areNetsInstalled, "'make effects' fetches the nets"))
struct PhotographTests {
    private static let size = TestPicture.size
    private let kind = PictureKind(size, .jpeg, .best)

    /// The map of the photograph.
    private func photograph() throws -> QuadMap { map(try TestPicture.astronaut.planes()) }

    private func map(_ codes: [UInt8]) -> QuadMap {
        let map = QuadMap(Self.size), planes = PicturePlanes(Self.size)
        planes.fill(codes)
        planes.gather(into: map, kind.kernels)
        return map
    }

    @Test(arguments: Nets.Backend.allCases) func aFaceIsWhereMediapipeFindsIt(_ backend: Nets.Backend) throws {
        guard let nets = try? Nets(wanted: backend) else { return }
        let faces = try #require(try FaceFinder(nets, of: kind).faces(in: photograph()))
        try #require(faces.count == 1)
        let face = faces[0], known: [Float] = [0.33714, 0.23516, 0.20022, 0.35601]
        let found = [face.origin.x, face.origin.y, face.width, face.height]
        // Two pixels of 1280x720.
        for (found, (known, pixels)) in zip(found, zip(known, [1280, 720, 1280, 720] as [Float])) {
            #expect(abs(found - known) * pixels <= 2, "\(found) \(known)")
        }
        let landmarks: [(Float, Float)] = [
            (0.39413, 0.35900), (0.48086, 0.36429), (0.43584, 0.45133), (0.43411, 0.50934), (0.34430, 0.37416),
            (0.52728, 0.39661),
        ]
        for (found, known) in zip(face.landmarks, landmarks) {
            #expect(abs(found.x - known.0) * 1280 <= 2 && abs(found.y - known.1) * 720 <= 2, "\(found) \(known)")
        }
    }

    @Test func whereNothingIsNoFaceIsFound() throws {
        let planes = (0..<Self.size.area * 3 / 2).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
        let faces = try FaceFinder(Nets(), of: kind).faces(in: map(planes))
        #expect(faces == [])
    }

    @Test(arguments: Nets.Backend.allCases) func asMuchIsAPersonAsMediapipeSays(_ backend: Nets.Backend) throws {
        guard let nets = try? Nets(wanted: backend) else { return }
        let matte = try PersonMatte(nets, of: kind), picture = try photograph()
        #expect(matte.look(at: picture))
        var (row, sum) = ([Float](repeating: 0, count: picture.width), Float(0))
        for y in 0..<picture.height {
            row.withUnsafeMutableBufferPointer { matte.draw(row: y, of: picture, into: $0.baseAddress!) }
            sum += Float(row.count { $0 > 0.5 })
        }
        let share = sum / Float(picture.width * picture.height)
        #expect(abs(share - 0.2996) < 0.01, "\(share)")
    }
}
