// SPDX-License-Identifier: MIT
// Cases of the kernels for the plain mean of frames.

import LivecapReferenceKernels

extension KernelCase {
    static let addRow = KernelCase(
        "add_row",
        operands: { shape in
            [
                .input(UInt8.self, shape.width), .integer(shape.width),
                .output(UInt16.self, shape.width, in: 0...63 * 255),
            ]
        },
        call: { kernels, o in kernels.pointee.mean.add_row(o.pointer(0), o.integer(1), o.pointer(2)) },
        reference: { o in o.store(Reference.addRow(o.samples(0), to: o.samples(2)), 2) })

    /// Variants: the number of frames, 1 to 16 and the maximum.
    static let meanRow = KernelCase(
        "mean_row", shapes: Shape.rows.variants(17), workload: Shape(width: 1280, variant: 7),
        operands: { shape in
            let frames = shape.variant == 16 ? 64 : shape.variant + 1
            return [
                .input(UInt16.self, shape.width, in: 0...UInt16(frames * 255)), .integer(shape.width),
                .integer(frames), .output(UInt16.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.mean.mean_row(o.pointer(0), o.integer(1), o.integer(2), o.pointer(3))
        },
        reference: { o in o.store(Reference.meanRow(o.samples(0), frames: o.integer(2)), 3) })
}
