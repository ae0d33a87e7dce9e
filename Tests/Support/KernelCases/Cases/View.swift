// SPDX-License-Identifier: MIT
// Cases of the kernels that show a picture through a moved frame.

import LivecapReferenceKernels

extension KernelCase {
    /// Where the line begins, and its slope: level, a little inclined, and as steep as it may be, both ways.
    private static let lines: [(start: Int, slope: Int)] = [
        (12345, 0), (65536 - 512, 1), (60000, -300), (-9000, 700), (65535 / 2, 4095), (20000, -4095),
    ]

    /// Widths count samples, in whole blocks. Variants are lines.
    static let viewDown = KernelCase(
        "view_down", shapes: [1, 2, 3, 7].map { Shape(width: 16 * $0, height: 1, stride: 16 * $0 + 3) }.variants(6),
        workload: Shape(width: 1152, height: 1, stride: 1344, variant: 2),
        operands: { shape in
            let samples = Operand.inputPlane(UInt8.self, shape, margin: 10)
            return [
                samples, .integer(samples.stride), .integer(shape.width / 16), .integer(lines[shape.variant].start),
                .integer(lines[shape.variant].slope), .output(Int16.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.view.view_down(
                o.pointer(0), o.integer(1), o.integer(2), o.integer(3), o.integer(4), o.pointer(5))
        },
        reference: { o in
            let from: Grid<UInt8> = o.grid(0), start: Int = o.integer(3), slope: Int = o.integer(4)
            o.store(
                (0..<16 * o.integer(2)).map { x in
                    let first = start + x / 16 * 16 * slope
                    return Reference.viewDown(first: first, last: first + 16 * slope, column: x % 16) { from[x, $0] }
                }, 5)
        })

    /// Steps: enlarged a little, as they are, and made smaller.
    private static let steps = [58982, 65536, 71000]

    /// Variants are steps.
    static let viewAcross = KernelCase(
        "view_across", shapes: Shape.rows.variants(3), workload: Shape(width: 1280, variant: 0),
        operands: { shape in
            let step = steps[shape.variant], start = 65536 + 30000
            let last = (start + 512 + (shape.width - 1) * step) >> 16
            return [
                .input(Int16.self, last + 3, in: -2500...18800), .integer(shape.width), .integer(start),
                .integer(step), .output(UInt8.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.view.view_across(o.pointer(0), o.integer(1), o.integer(2), o.integer(3), o.pointer(4))
        },
        reference: { o in
            let row: [Int16] = o.samples(0), start: Int = o.integer(2), step: Int = o.integer(3)
            o.store((0..<o.integer(1)).map { x in Reference.viewAcross(start + x * step) { row[$0] } }, 4)
        })
}
