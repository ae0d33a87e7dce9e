// SPDX-License-Identifier: MIT
// What nets find in a photograph, compared with what mediapipe 0.10.21 itself finds there, given the same picture at
// the size that its net takes.

import Foundation
import Fusion
import LivecapFrames
import LivecapJPEG
import Testing

@testable import LivecapDetection

/// `make setup` fetches the nets, if it can.
private let areNetsInstalled = (try? Nets().open(.matte)) != nil && (try? Nets().open(.faces)) != nil

@Suite(.enabled(if: areNetsInstalled, "'make effects' fetches the nets"))
struct PhotographTests {
    private static let size = FrameSize(width: 1280, height: 720)
    private let kind = PictureKind(size, .jpeg, .best)

    /// The map of a photograph of a woman, from her shoulders up, which is in the public domain, at 1280x720.
    private func photograph() throws -> QuadMap {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Support/Pictures/astronaut.jpg")
        let layout = try #require(PlanarLayout(size: FrameSize(width: 640, height: 360), sampling: .s420))
        var planes = [UInt8](repeating: 0, count: layout.byteCount)
        var decoder = try JPEGDecoder()
        let jpeg = try Array(Data(contentsOf: path))
        try planes.withUnsafeMutableBytes { _ = try decoder.decode(jpeg.span.bytes, to: layout, in: $0) }
        // Twice as large: each sample four times.
        let doubled = layout.planes.flatMap { plane in
            (0..<2 * plane.rows).flatMap { y in
                (0..<2 * plane.rowBytes).map { planes[plane.offset + y / 2 * plane.stride + $0 / 2] }
            }
        }
        return map(doubled)
    }

    private func map(_ planes: [UInt8]) -> QuadMap {
        let map = QuadMap(Self.size), (width, half) = (Self.size.width, Self.size.width / 2)
        planes.withUnsafeBufferPointer { planes in
            let cb = planes.baseAddress! + Self.size.area, cr = cb + Self.size.area / 4
            for y in 0..<map.height {
                kind.kernels.pointee.effects.gather_quads(
                    planes.baseAddress! + 4 * y * width, width, cb + 2 * y * half, cr + 2 * y * half, half, map.width,
                    map.row(y))
            }
        }
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
