// SPDX-License-Identifier: MIT
// Depth in colours, for people: what is near is warm.

import LivecapCFusionKernels
import LivecapFrames

/// Colours for distances: from red over orange, yellow, green and cyan to dark blue. Pixels without depth are black.
package struct DepthColors: Sendable {
    /// Red, green and blue of 256 steps from near to far, and of what is unknown.
    package let palette: [UInt8]
    /// A table of constants.
    private nonisolated(unsafe) let kernels: UnsafePointer<fusion_kernels>
    private let nearest: UInt16
    private let factor: UInt32

    /// Colours for distances in metres: what is nearer than `near` or farther than `far` has the color of that.
    package init(
        near: Double, far: Double, unit: DepthUnit = .millimetre, level: KernelLevel? = nil
    ) throws(FusionError) {
        kernels = try KernelLevel.kernels(of: level)
        palette = (0..<256).flatMap { Self.color(1 - Double($0) / 255) } + [0, 0, 0]
        func counts(_ metres: Double) -> Double { min(max((metres / unit.metres).rounded(), 0), 65534) }
        nearest = UInt16(counts(near))
        // The last step begins at `far`.
        factor = UInt32((255 * 65536 / max(1, counts(far) - Double(nearest))).rounded(.up))
    }

    /// Colours `count` depths: three bytes each.
    package func draw(_ depth: UnsafePointer<UInt16>, count: Int, into rgb: UnsafeMutablePointer<UInt8>) {
        palette.withUnsafeBufferPointer { palette in
            kernels.pointee.depth.color_depth(depth, count, nearest, factor, palette.baseAddress!, rgb)
        }
    }

    /// The colour of what is as warm as `warmth`, from 0 to 1: three overlapping hills, which neighbours differ little
    /// in.
    private static func color(_ warmth: Double) -> [UInt8] {
        func rise(_ low: Double, _ high: Double) -> Double {
            let t = min(max((warmth - low) / (high - low), 0), 1)
            return t * t * (3 - 2 * t)
        }
        let red = rise(0.42, 0.72) * (1 - 0.3 * rise(0.85, 1))
        let green = rise(0.06, 0.45) * (1 - rise(0.6, 1)) * 0.95
        let blue = (0.35 + 0.65 * rise(0, 0.22)) * (1 - rise(0.3, 0.6))
        return [red, green, blue].map { UInt8((255 * $0).rounded()) }
    }
}
