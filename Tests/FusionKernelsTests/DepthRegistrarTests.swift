// SPDX-License-Identifier: MIT
// Depth as another camera sees it, against what is true there; and its colours.

import Camera
import Fusion
import LivecapFrames
import Testing

@Suite struct DepthRegistrarTests {
    private func lens(_ scene: DepthScene) -> DepthLens {
        DepthLens(
            focal: SIMD2(repeating: Float(scene.focalLength)),
            center: SIMD2(Float(scene.center.x), Float(scene.center.y)))
    }

    private func registered(_ depth: [UInt16], _ registrar: DepthRegistrar) -> [UInt16] {
        var out = [UInt16](repeating: 77, count: registrar.target.area)
        out.withUnsafeMutableBufferPointer { out in
            registrar.register(
                depth, stride: registrar.size.width, into: out.baseAddress!, outStride: registrar.target.width)
        }
        return out
    }

    /// A colour camera 6 cm to the right, with pictures of the same size, smaller and larger ones.
    @Test(arguments: [(320, 240), (160, 120), (500, 375)]) func whatBothCamerasSeeIsWhereItBelongs(
        width: Int, height: Int
    ) throws {
        let size = FrameSize(width: 320, height: 240), target = FrameSize(width: width, height: height)
        let first = DepthRoom(seed: 6, size: size, strength: 0)
        let second = DepthRoom(seed: 6, size: target, baseline: 0.06, strength: 0)
        let registrar = try DepthRegistrar(
            from: size, lens(first.scene), to: target, lens(second.scene),
            pose: DepthPose(translation: SIMD3(-0.06, 0, 0)))
        let out = registered(first.frames(1)[0], registrar), truth = second.scene.truth(at: 0)
        let edges = DepthRoom.edges(of: truth, target)
        // A strip on the right is beyond the first camera's view.
        let seen = truth.indices.filter { !edges[$0] && $0 % width < width * 9 / 10 }
        let right = seen.filter { abs(Double(out[$0]) / 1000 - Double(truth[$0])) < 0.03 }
        let wrong = seen.filter { out[$0] > 0 && abs(Double(out[$0]) / 1000 - Double(truth[$0])) > 0.1 }
        #expect(Double(right.count) > 0.94 * Double(seen.count), "\(right.count) of \(seen.count)")
        #expect(Double(wrong.count) < 0.003 * Double(seen.count), "\(wrong.count) of \(seen.count)")
        // What is beyond the first camera's view is not made up.
        #expect((0..<height).allSatisfy { out[$0 * width + width - 1] == 0 || truth[$0 * width + width - 1] > 3.9 })
    }

    @Test func whatIsNearerHidesWhatIsBehind() throws {
        let size = FrameSize(width: 40, height: 3)
        let lens = DepthLens(focal: SIMD2(100, 100), center: SIMD2(20, 1))
        let registrar = try DepthRegistrar(
            from: size, lens, to: size, lens, pose: DepthPose(translation: SIMD3(-0.1, 0, 0)))
        // 10 pixels to the left at 1 m, 5 at 2 m: near pixels 10 to 19 get to 0 to 9, far ones from 5 on to 0 on.
        let row = (0..<40).map { UInt16((10..<20).contains($0) ? 1000 : 2000) }
        let out = registered(row + row + row, registrar)
        #expect(out[40..<50].allSatisfy { $0 == 1000 } && out[55..<75].allSatisfy { $0 == 2000 })
        // The far camera's shadow, and what is beyond the edge.
        #expect(out[51..<54].allSatisfy { $0 == 0 } && out[76..<80].allSatisfy { $0 == 0 })
    }

    @Test func distortionOfBothLensesIsMinded() throws {
        let size = FrameSize(width: 64, height: 48)
        let plain = DepthLens(focal: SIMD2(60, 61), center: SIMD2(31, 24))
        let bent = plain.distorted(k1: -0.2, k2: 0.05, p1: 0.001, p2: -0.002, k3: 0.01)
        let depth = (0..<size.area).map { index -> UInt16 in
            let x = index % 64, y = index / 64
            return UInt16(1500 + x + y)
        }
        // The same camera: every pixel comes back to where it was.
        let same = try DepthRegistrar(from: size, bent, to: size, bent, pose: DepthPose(translation: .zero))
        let out = registered(depth, same)
        #expect(zip(out, depth).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
        // Seen by a lens without distortion, what is at the edge of a barrel lies farther out.
        let corner = bent.ray(0, 0), straight = plain.ray(0, 0)
        #expect(corner.x < straight.x && corner.y < straight.y)
    }

    @Test func whatIsNearIsWarmAndHolesAreBlack() throws {
        let colors = try DepthColors(near: 0.5, far: 4)
        var rgb = [UInt8](repeating: 77, count: 21)
        colors.draw([0, 100, 500, 2000, 3990, 4000, 60000], count: 7, into: &rgb)
        let color = stride(from: 0, to: 21, by: 3).map { Array(rgb[$0..<$0 + 3]) }
        #expect(color[0] == [0, 0, 0] && color[1] == color[2] && color[5] == color[6])
        #expect(color[2][0] > 150 && color[2][2] == 0 && color[5][2] > 80 && color[5][0] == 0)
        #expect(color[3][1] > 150)
        // Steps differ little, but differ.
        let palette = colors.palette.map { Int($0) }
        let steps = (0..<255).map { step -> Int in
            let changes = (3 * step..<3 * step + 3).map { abs(palette[$0 + 3] - palette[$0]) }
            return changes.max()!
        }
        #expect(steps.max()! <= 8 && steps.filter { $0 == 0 }.count <= 8, "\(steps)")
    }
}
