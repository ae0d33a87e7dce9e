// SPDX-License-Identifier: MIT
// Reads a square of a plane at a position between samples.

import LivecapCFusionKernels

/// Reads squares of 16x16 samples with the interpolation of the merge. Only the latest one is kept.
final class MovedSquare {
    static let side = 16
    let stride = MovedSquare.side
    private let kernels: UnsafePointer<fusion_kernels>
    private let samples = Scratch<UInt8>(side * side, filledWith: 0)
    /// Half a square in Q5, and a row of zeros to subtract.
    private let half = Scratch<Int16>(side * side / 2, filledWith: 0)
    private let nothing = Scratch<Int16>(side, filledWith: 0)

    init(_ kernels: UnsafePointer<fusion_kernels>) { self.kernels = kernels }

    /// Whether every sample that reading needs is inside the plane. `x` and `y` are in eighths of a sample.
    static func isWithin(_ plane: SamplePlane, _ x: Int, _ y: Int) -> Bool {
        func isWithin(_ place: Int, _ length: Int) -> Bool {
            place & 7 == 0
                ? place >= 0 && place >> 3 + side <= length : place >> 3 >= 1 && place >> 3 + side + 2 <= length
        }
        return isWithin(x, plane.width) && isWithin(y, plane.height)
    }

    /// The square whose first sample is at (`x`, `y`), in eighths of a sample. At whole samples it is the plane's own
    /// memory.
    func read(_ plane: SamplePlane, _ x: Int, _ y: Int) -> SampleBlock {
        let source = UnsafePointer(plane.row(y >> 3) + x >> 3)
        if (x | y) & 7 == 0 { return SampleBlock(source, stride: plane.stride) }
        var motions = (Int16(x & 7), Int16(y & 7), Int16(x & 7), Int16(y & 7))
        let (half, samples, nothing, kernels, side) = (half.base, samples.base, nothing.base, kernels, Self.side)
        withUnsafeMutablePointer(to: &motions) { motions in
            motions.withMemoryRebound(to: Int16.self, capacity: 4) { motions in
                for row in Swift.stride(from: 0, to: side, by: 8) {
                    var moved = fusion_warp_parameters(
                        reference: nothing, reference_stride: 0, src: source + row * plane.stride,
                        stride: plane.stride, cells: 2, rows: 8, motion: motions, out: half, out_stride: side)
                    kernels.pointee.merge.warp_differences(&moved)
                    for place in 0..<8 {
                        let codes = UnsafeRawPointer(half + place * side).loadUnaligned(as: SIMD16<Int16>.self)
                        let rounded = ((codes &+ 16) &>> 5).clamped(
                            lowerBound: .zero, upperBound: .init(repeating: 255))
                        UnsafeMutableRawPointer(samples + (row + place) * side).storeBytes(
                            of: SIMD16<UInt8>(truncatingIfNeeded: rounded), as: SIMD16<UInt8>.self)
                    }
                }
            }
        }
        return SampleBlock(UnsafePointer(samples), stride: side)
    }
}
