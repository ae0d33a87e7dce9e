// SPDX-License-Identifier: MIT
// Cases of the kernels that convert one frame's colours to another's.

import LivecapReferenceKernels

extension KernelCase {
    /// The rows of a match, by variant: a realistic drift, no change, and values that leave the scale at both ends.
    private static func row(_ shape: Shape) -> [Float] {
        [[1.03, -0.02, 0.015, -1.7], [1, 0, 0, 0], [-2.1, 3, -1.3, 200]][shape.variant]
    }
    private static let pairRows = Shape.rows.variants(3)

    private static func matchOperands(_ shape: Shape, samples: Int) -> [Operand] {
        let chroma = Operand.input(UInt8.self, shape.width)
        return [
            .input(UInt8.self, 2 * shape.width), chroma, chroma, .integer(shape.width), .input(row(shape)),
            .output(UInt8.self, samples * shape.width),
        ]
    }

    /// Widths count pairs of brightness samples.
    static let matchLuma = KernelCase(
        "match_luma", shapes: pairRows, workload: Shape(width: 640), samples: 1280,
        operands: { shape in matchOperands(shape, samples: 2) },
        call: { kernels, o in
            kernels.pointee.color.match_luma(
                o.pointer(0), o.pointer(1), o.pointer(2), o.integer(3), o.pointer(4), o.pointer(5))
        },
        reference: { o in
            o.store(Reference.matchLuma(o.samples(0), o.samples(1), o.samples(2), Reference.Row(o.samples(4))), 5)
        })

    static let matchChroma = KernelCase(
        "match_chroma", shapes: pairRows, workload: Shape(width: 640), samples: 1280,
        operands: { shape in matchOperands(shape, samples: 1) },
        call: { kernels, o in
            kernels.pointee.color.match_chroma(
                o.pointer(0), o.pointer(1), o.pointer(2), o.integer(3), o.pointer(4), o.pointer(5))
        },
        reference: { o in
            o.store(Reference.matchChroma(o.samples(0), o.samples(1), o.samples(2), Reference.Row(o.samples(4))), 5)
        })

    /// The same with channels before the row: a different exposure, and a channel that is clipped nearly everywhere.
    private static func clippedOperands(_ shape: Shape, samples: Int) -> [Operand] {
        var operands = matchOperands(shape, samples: samples)
        let channels: [Float] = [
            0.0052, 0, 0.008, -0.01, 0.0052, -0.0018, -0.004, -0.01, 0.0052, 0.009, 0, shape.variant == 2 ? 1 : -0.01,
        ]
        let rows: [[Float]] = [[65.5, 128.6, 25, 16], [-37.8, -74.2, 112, 0], [900, -700, 350, -60]]
        operands[4] = .input(rows[shape.variant])
        operands.insert(.input(channels), at: 4)
        return operands
    }

    private static func channels(_ o: Operands) -> [Reference.Row] {
        let all: [Float] = o.samples(4)
        return [0, 4, 8].map { Reference.Row(Array(all[$0..<$0 + 4])) }
    }

    static let matchClippedLuma = KernelCase(
        "match_clipped_luma", shapes: pairRows, workload: Shape(width: 640), samples: 1280,
        operands: { shape in clippedOperands(shape, samples: 2) },
        call: { kernels, o in
            kernels.pointee.color.match_clipped_luma(
                o.pointer(0), o.pointer(1), o.pointer(2), o.integer(3), o.pointer(4), o.pointer(5), o.pointer(6))
        },
        reference: { o in
            let row = Reference.Row(o.samples(5))
            o.store(
                Reference.matchClippedLuma(o.samples(0), o.samples(1), o.samples(2), channels(o), row), 6)
        })

    static let matchClippedChroma = KernelCase(
        "match_clipped_chroma", shapes: pairRows, workload: Shape(width: 640), samples: 1280,
        operands: { shape in clippedOperands(shape, samples: 1) },
        call: { kernels, o in
            kernels.pointee.color.match_clipped_chroma(
                o.pointer(0), o.pointer(1), o.pointer(2), o.integer(3), o.pointer(4), o.pointer(5), o.pointer(6))
        },
        reference: { o in
            let row = Reference.Row(o.samples(5))
            o.store(
                Reference.matchClippedChroma(o.samples(0), o.samples(1), o.samples(2), channels(o), row), 6)
        })

    static let matchGrey = KernelCase(
        "match_grey", shapes: pairRows,
        operands: { shape in
            [
                .input(UInt8.self, shape.width), .integer(shape.width), .real(row(shape)[0]), .real(row(shape)[3]),
                .output(UInt8.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.color.match_grey(o.pointer(0), o.integer(1), o.real(2), o.real(3), o.pointer(4))
        },
        reference: { o in o.store(Reference.matchGrey(o.samples(0), gain: o.real(2), lift: o.real(3)), 4) })
}
