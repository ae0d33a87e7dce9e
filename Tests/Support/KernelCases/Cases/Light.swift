// SPDX-License-Identifier: MIT
// Cases of the kernels that blend rows of the picture, and make them lighter or darker.

import LivecapCFusionKernels
import LivecapReferenceKernels

extension KernelCase {
    private static func input(_ shape: Shape) -> Operand { .input(UInt8.self, shape.width) }
    private static func output(_ shape: Shape) -> Operand { .output(UInt8.self, shape.width) }
    /// A row with two samples for each of the shape's.
    private static func pairs(_ shape: Shape) -> Operand { .input(UInt8.self, 2 * shape.width) }

    /// Variants: the result elsewhere, in the place of the front, and of the back.
    static let blendBytes = KernelCase(
        "blend_bytes", shapes: Shape.rows.variants(3),
        operands: { shape in
            [
                shape.variant == 1 ? output(shape) : input(shape), shape.variant == 2 ? output(shape) : input(shape),
                input(shape), .integer(shape.width), shape.variant == 0 ? output(shape) : .same(as: shape.variant - 1),
            ]
        },
        call: { kernels, o in
            kernels.pointee.effects.blend_bytes(
                o.pointer(0), o.pointer(1), o.pointer(2), o.integer(3), o.pointer(4))
        },
        reference: { o in o.store(Reference.blendBytes(o.samples(0), o.samples(1), o.samples(2)), 4) })

    /// A picture of 20 by 12 samples, each a number and its alpha.
    private static let sprite: [UInt32] = (0..<240).map { place in
        let alpha = [255, 0, 90, 200, 17][place % 5], share = place * 37 % 256
        return UInt32(alpha * share / 255 | alpha << 16)
    }

    /// Variants: upright, turned, turned half round, and faint. Rows are long or short, and never leave the sprite.
    static let drawSprite = KernelCase(
        "draw_sprite", shapes: Shape.rows.variants(4), workload: Shape(width: 128, variant: 1),
        operands: { shape in
            let most = (x: 19 * 65536 - 1, y: 11 * 65536 - 1), steps = max(1, shape.width - 1)
            let step = [
                (x: most.x / steps, y: 0), (x: most.x / steps, y: most.y / steps), (x: -most.x / steps, y: 0),
                (x: 1234, y: -most.y / steps),
            ][shape.variant]
            let start = (x: step.x < 0 ? most.x : 0, y: step.y < 0 ? most.y : shape.variant == 1 ? 0 : 40000)
            return [
                .input(sprite), .integer(20), .integer(start.x), .integer(start.y), .integer(step.x),
                .integer(step.y), .integer(shape.variant == 3 ? 97 : 256), input(shape), .integer(shape.width),
                output(shape),
            ]
        },
        call: { kernels, o in
            var row = fusion_sprite_row_parameters(
                samples: o.pointer(0), stride: o.integer(1), x: o.integer(2), y: o.integer(3), step_x: o.integer(4),
                step_y: o.integer(5), opacity: o.integer(6), mask: o.pointer(7), count: o.integer(8),
                out: o.pointer(9))
            kernels.pointee.effects.draw_sprite(&row)
        },
        reference: { o in
            let row = Reference.SpriteRow(
                o.samples(0), stride: o.integer(1), opacity: o.integer(6), start: (o.integer(2), o.integer(3)),
                step: (o.integer(4), o.integer(5)))
            o.store(Reference.drawSprite(row, o.samples(7), o.samples(9)), 9)
        })

    static let pairAlphas = KernelCase(
        "pair_alphas", workload: Shape(width: 640),
        operands: { shape in [pairs(shape), pairs(shape), .integer(shape.width), output(shape)] },
        call: { kernels, o in
            kernels.pointee.effects.pair_alphas(o.pointer(0), o.pointer(1), o.integer(2), o.pointer(3))
        },
        reference: { o in o.store(Reference.pairAlphas(o.samples(0), o.samples(1)), 3) })

    private static let spans: [(black: Int, white: Int)] = [(0, 255), (16, 235)]

    /// Variants: full and limited range, then the result in the place of the row.
    static let lightLuma = KernelCase(
        "light_luma", shapes: Shape.rows.variants(4), workload: Shape(width: 1280, variant: 1),
        operands: { shape in
            let span = spans[shape.variant % 2], isInPlace = shape.variant >= 2
            return [
                isInPlace ? output(shape) : input(shape), input(shape), .integer(shape.width), .integer(span.black),
                .integer(span.white), isInPlace ? .same(as: 0) : output(shape),
            ]
        },
        call: { kernels, o in
            kernels.pointee.effects.light_luma(
                o.pointer(0), o.pointer(1), o.integer(2), o.integer(3), o.integer(4), o.pointer(5))
        },
        reference: { o in
            let span = Reference.CodeSpan(black: o.integer(3), white: o.integer(4))
            o.store(Reference.lightLuma(o.samples(0), o.samples(1), span), 5)
        })

    /// Variants as for `lightLuma`.
    static let lightChroma = KernelCase(
        "light_chroma", shapes: Shape.rows.variants(4), workload: Shape(width: 640, variant: 1),
        operands: { shape in
            let span = spans[shape.variant % 2], isInPlace = shape.variant >= 2
            return [
                isInPlace ? output(shape) : input(shape), pairs(shape), pairs(shape), input(shape),
                .integer(shape.width), .integer(span.black), .integer(span.white),
                isInPlace ? .same(as: 0) : output(shape),
            ]
        },
        call: { kernels, o in
            kernels.pointee.effects.light_chroma(
                o.pointer(0), o.pointer(1), o.pointer(2), o.pointer(3), o.integer(4), o.integer(5), o.integer(6),
                o.pointer(7))
        },
        reference: { o in
            let span = Reference.CodeSpan(black: o.integer(5), white: o.integer(6))
            o.store(
                Reference.lightChroma(
                    o.samples(0), upper: o.samples(1), lower: o.samples(2), o.samples(3), span), 7)
        })
}
