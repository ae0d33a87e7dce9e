// SPDX-License-Identifier: MIT
// The case of the kernel that compares frames with each other.

import LivecapReferenceKernels

extension KernelCase {
    /// Widths count frames; rows are `stride` apart.
    static let spreadSums = KernelCase(
        "spread_sums", shapes: [1, 2, 3, 7, 15].map { Shape(width: $0, height: 8, stride: 8 + $0 % 3) }.variants(2),
        workload: Shape(width: 7, height: 8, stride: 32), samples: 7 * 64,
        operands: { shape in
            let rows = Shape(width: 8, height: 8 * shape.width, stride: shape.stride)
            return [
                .inputPlane(Int16.self, rows, in: -10500...10500), .integer(shape.stride), .integer(8 * shape.stride),
                .integer(shape.width),
                .inputPlane(Int16.self, Shape(width: 8, height: 8, stride: shape.stride), in: 0...255 * 32),
                .integer(shape.variant == 0 ? 8191 : 300), .output(Int64.self, 4),
            ]
        },
        call: { kernels, o in
            kernels.pointee.merge.spread_sums(
                o.pointer(0), o.integer(1), o.integer(2), o.integer(3), o.pointer(4), o.integer(5), o.pointer(6))
        },
        reference: { o in
            let difference: Grid<Int16> = o.grid(0), own: Grid<Int16> = o.grid(4)
            func cell(_ grid: Grid<Int16>, from row: Int) -> [Int16] {
                (0..<64).map { grid[$0 % 8, row + $0 / 8] }
            }
            let frames = (0..<o.integer(3)).flatMap { cell(difference, from: 8 * $0) }
            o.store(Reference.spreadSums(frames, reference: cell(own, from: 0), most: o.integer(5)), 6)
        })
}
