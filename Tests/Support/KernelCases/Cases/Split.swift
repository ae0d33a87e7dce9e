// SPDX-License-Identifier: MIT
// Cases of the kernels that separate packed samples into planes.

import LivecapReferenceKernels

extension KernelCase {
    static let splitPacked422 = KernelCase(
        "split_packed422", shapes: Shape.rows.variants(2),
        workload: Shape(width: 640), samples: 1280,
        operands: { shape in
            [
                .input(UInt8.self, 4 * shape.width), .integer(shape.variant), .integer(shape.width),
                .output(UInt8.self, 2 * shape.width), .output(UInt8.self, shape.width),
                .output(UInt8.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.unpack.split_packed422(
                o.pointer(0), o.integer(1), o.integer(2), o.pointer(3), o.pointer(4), o.pointer(5))
        },
        reference: { o in
            let parts = Reference.splitPacked422(o.samples(0), firstLuma: o.integer(1), pairs: o.integer(2))
            o.store(parts.luma, 3)
            o.store(parts.a, 4)
            o.store(parts.b, 5)
        })

    static let splitPairs = KernelCase(
        "split_pairs",
        operands: { shape in
            [
                .input(UInt8.self, 2 * shape.width), .integer(shape.width), .output(UInt8.self, shape.width),
                .output(UInt8.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.unpack.split_pairs(o.pointer(0), o.integer(1), o.pointer(2), o.pointer(3))
        },
        reference: { o in
            let parts = Reference.splitPairs(o.samples(0), count: o.integer(1))
            o.store(parts.a, 2)
            o.store(parts.b, 3)
        })
}
