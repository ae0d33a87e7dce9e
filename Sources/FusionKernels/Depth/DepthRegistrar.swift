// SPDX-License-Identifier: MIT
// Depth as the camera beside it would have measured it.

import LivecapCFusionKernels
import LivecapFrames

/// Where a camera's pixels look: a pinhole with the distortion of Brown and Conrady.
package struct DepthLens: Hashable, Sendable {
    /// The distance of the image plane, in pixels across and down.
    package var focal: SIMD2<Float>
    /// The pixel that looks straight ahead; (0, 0) is the middle of the first one.
    package var center: SIMD2<Float>
    /// k1, k2, p1, p2 and k3.
    package var distortion: (k1: Float, k2: Float, p1: Float, p2: Float, k3: Float) {
        (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])
    }
    private var numbers: SIMD8<Float> = .zero

    /// A lens without distortion.
    package init(focal: SIMD2<Float>, center: SIMD2<Float>) {
        self.focal = focal
        self.center = center
    }

    /// The same lens with distortion.
    package func distorted(k1: Float, k2: Float, p1: Float, p2: Float, k3: Float) -> DepthLens {
        var lens = self
        lens.numbers = SIMD8(k1, k2, p1, p2, k3, 0, 0, 0)
        return lens
    }

    /// What the kernel takes.
    var parameters: [Float] { [focal.x, focal.y, center.x, center.y] + (0..<5).map { numbers[$0] } }

    /// Where the ray of a pixel is at a distance of 1. Distortion is undone by iteration, which converges for lenses
    /// whose pixels look in different directions.
    package func ray(_ x: Int, _ y: Int) -> SIMD2<Float> {
        let seen = (SIMD2(Float(x), Float(y)) - center) / focal, (k1, k2, p1, p2, k3) = distortion
        var ray = seen
        guard numbers != .zero else { return ray }
        for _ in 0..<20 {
            let square = ray.x * ray.x + ray.y * ray.y, bend = 1 + square * (k1 + square * (k2 + square * k3))
            let product = 2 * ray.x * ray.y
            let aside = SIMD2(
                p1 * product + p2 * (square + 2 * ray.x * ray.x), p2 * product + p1 * (square + 2 * ray.y * ray.y))
            ray = (seen - aside) / bend
        }
        return ray
    }
}

/// How points of one camera are seen by another: turned by three rows, then moved by metres.
package struct DepthPose: Hashable, Sendable {
    /// The rows of the rotation.
    package var rows: [SIMD3<Float>]
    /// The translation in metres.
    package var translation: SIMD3<Float>

    /// A pose; by default not turned.
    package init(
        rows: [SIMD3<Float>] = [SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)], translation: SIMD3<Float>
    ) {
        precondition(rows.count == 3, "a rotation has three rows")
        self.rows = rows
        self.translation = translation
    }
}

/// Registers frames of depth to another camera's picture: each point is projected there, and the nearest one at a pixel
/// counts. What only the other camera sees has no depth. Memory is allocated once. It is used by one thread at a time.
package final class DepthRegistrar: @unchecked Sendable {  // its owner decides which thread uses it
    /// The size of frames of depth.
    package let size: FrameSize
    /// The size of the other camera's picture.
    package let target: FrameSize
    private let kernels: UnsafePointer<fusion_kernels>
    private let across: Scratch<Float>
    private let down: Scratch<Float>
    private let x: Scratch<Int32>
    private let y: Scratch<Int32>
    private let z: Scratch<UInt16>
    private let pose: [Float]
    private let lens: [Float]
    /// The size of a point in the other picture, in 16ths of a pixel: a little more than the pixels of depth are apart
    /// there, so that surfaces that face the camera have no gaps.
    private let side: SIMD2<UInt32>

    /// From a depth camera with a lens to another camera, for which the depth camera's points are at `pose`.
    package init(
        from size: FrameSize, _ lens: DepthLens, to target: FrameSize, _ targetLens: DepthLens, pose: DepthPose,
        unit: DepthUnit = .millimetre, level: KernelLevel? = nil
    ) throws(FusionError) {
        kernels = try KernelLevel.kernels(of: level)
        self.size = size
        self.target = target
        self.lens = targetLens.parameters
        let counts = Float(1 / unit.metres)
        self.pose = (0..<3).flatMap { row in
            [pose.rows[row].x, pose.rows[row].y, pose.rows[row].z, pose.translation[row] * counts]
        }
        across = Scratch(size.area, filledWith: 0)
        down = Scratch(size.area, filledWith: 0)
        x = Scratch(size.width, filledWith: 0)
        y = Scratch(size.width, filledWith: 0)
        z = Scratch(size.width, filledWith: 0)
        let scale = targetLens.focal / lens.focal
        func held(_ scale: Float) -> UInt32 { UInt32(min(max(16 * scale * 1.15, 16), 4096).rounded(.up)) }
        side = SIMD2(held(scale.x), held(scale.y))
        for row in 0..<size.height {
            for column in 0..<size.width {
                let ray = lens.ray(column, row)
                across[row * size.width + column] = ray.x
                down[row * size.width + column] = ray.y
            }
        }
    }

    /// Registers a frame, `stride` samples from row to row, and writes depth for each pixel of the other camera,
    /// `outStride` samples from row to row. Depth is measured along the other camera's axis.
    package func register(
        _ depth: UnsafePointer<UInt16>, stride: Int, into out: UnsafeMutablePointer<UInt16>, outStride: Int
    ) {
        for row in 0..<target.height {
            (out + row * outStride).update(repeating: DepthUnit.unknown, count: target.width)
        }
        for row in 0..<size.height {
            pose.withUnsafeBufferPointer { pose in
                lens.withUnsafeBufferPointer { lens in
                    var points = fusion_depth_project_parameters(
                        depth: depth + row * stride, across: across.base + row * size.width,
                        down: down.base + row * size.width, count: size.width, pose: pose.baseAddress!,
                        lens: lens.baseAddress!, x: x.base, y: y.base, z: z.base)
                    kernels.pointee.depth.project_depth(&points)
                }
            }
            var laid = fusion_depth_lay_parameters(
                x: x.base, y: y.base, z: z.base, count: size.width, across: side.x, down: side.y,
                width: UInt32(target.width), height: UInt32(target.height), out: out, stride: outStride)
            kernels.pointee.depth.lay_depth(&laid)
        }
    }
}
