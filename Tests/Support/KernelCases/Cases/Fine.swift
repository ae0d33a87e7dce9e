// SPDX-License-Identifier: MIT
// Cases of the kernels for samples of more than 8 bits and for R'G'B'.

import LivecapCFusionKernels
import LivecapReferenceKernels

extension KernelCase {
    /// Y10 in full range, Y12 in limited range, and P010's chroma, whose words are two apart, in full range.
    private static let words = [
        fusion_words(shift: 0, mask: 1023, factor: 1_045_491, offset: 32768),
        fusion_words(shift: 0, mask: 4095, factor: 262_144, offset: 32768),
        fusion_words(shift: 6, mask: 1023, factor: 1_045_491, offset: 1_611_728),
    ]

    static let unpackWords = KernelCase(
        "unpack_words", shapes: Shape.rows.variants(3), workload: Shape(width: 1280),
        operands: { shape in
            let step = shape.variant == 2 ? 2 : 1
            return [
                .input(UInt8.self, 2 * (step * (shape.width - 1) + 1)), .integer(step), .integer(shape.width),
                .input([words[shape.variant]]), .output(Int16.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.unpack.unpack_words(o.pointer(0), o.integer(1), o.integer(2), o.pointer(3), o.pointer(4))
        },
        reference: { o in
            let how: [fusion_words] = o.samples(3)
            o.store(Reference.unpackWords(o.samples(0), step: o.integer(1), count: o.integer(2), how[0]), 4)
        })

    /// BT.601 in full range, red first; and factors that exceed what rows hold, on both sides.
    private static let pixels = [
        fusion_pixels(
            luma: (1_254_097, 2_462_057, 478_150, 32768), cb: (-353_892, -694_684, 1_048_576, 536_903_680),
            cr: (1_048_576, -878_035, -170_541, 536_903_680)),
        fusion_pixels(
            luma: (2_000_000, 2_000_000, 1_000_000, -50_000_000), cb: (-1_048_576, -1_048_576, 0, 536_903_680),
            cr: (1_048_576, 1_048_576, 0, 536_903_680)),
    ]

    static let unpackPixels = KernelCase(
        "unpack_pixels", shapes: Shape.rows.variants(2), workload: Shape(width: 1280),
        operands: { shape in
            [
                .input(UInt8.self, 3 * shape.width), .integer(shape.width), .input([pixels[shape.variant]]),
                .output(Int16.self, shape.width), .output(Int16.self, (shape.width + 1) / 2),
                .output(Int16.self, (shape.width + 1) / 2),
            ]
        },
        call: { kernels, o in
            kernels.pointee.unpack.unpack_pixels(
                o.pointer(0), o.integer(1), o.pointer(2), o.pointer(3), o.pointer(4), o.pointer(5))
        },
        reference: { o in
            let how: [fusion_pixels] = o.samples(2)
            let rows = Reference.unpackPixels(o.samples(0), width: o.integer(1), how[0])
            o.store(rows.luma, 3)
            o.store(rows.cb, 4)
            o.store(rows.cr, 5)
        })

    static let roundCodes = KernelCase(
        "round_codes", workload: Shape(width: 1280),
        operands: { shape in
            [.input(Int16.self, shape.width, in: 0...16383), .integer(shape.width), .output(UInt8.self, shape.width)]
        },
        call: { kernels, o in kernels.pointee.unpack.round_codes(o.pointer(0), o.integer(1), o.pointer(2)) },
        reference: { o in o.store(Reference.roundCodes(o.samples(0)), 2) })

    static let warpFineDifferences = KernelCase(
        "warp_fine_differences", shapes: warpShapes, workload: Shape(width: 160, height: 8), samples: 1280 * 8,
        operands: { shape in
            let samples = Shape(
                width: 8 * shape.width, height: shape.height, stride: 8 * shape.width + shape.height % 3)
            let src = Operand.inputPlane(Int16.self, samples, margin: margin, in: 0...16383)
            return [
                .inputPlane(Int16.self, samples, margin: margin, in: 0...16383), src.opposite, .integer(src.stride),
                .integer(shape.width), .integer(shape.height), .input(motion(shape)),
                .outputPlane(Int16.self, samples), .integer(samples.stride),
            ]
        },
        call: { kernels, o in
            kernels.pointee.merge.warp_fine_differences(
                o.pointer(0), o.pointer(1), o.integer(2), o.integer(3), o.integer(4), o.pointer(5), o.pointer(6),
                o.integer(7))
        },
        reference: { o in
            let rows = Reference.warpFineDifferences(
                o.grid(0), o.grid(1), cells: o.integer(3), rows: o.integer(4), motion: o.samples(5))
            var out: Grid<Int16> = o.grid(6)
            for (y, row) in rows.enumerated() { for (x, sample) in row.enumerated() { out[x, y] = sample } }
            o.store(out, 6)
        })
}
