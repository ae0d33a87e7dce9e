// SPDX-License-Identifier: MIT
// Cases of the kernels that compute with quads, for portrait blur.

import LivecapCFusionKernels
import LivecapReferenceKernels

extension KernelCase {
    private static let codes: ClosedRange<Float> = 0...255
    /// A quarter of 1280x720.
    private static let cells = Shape(width: 320, variant: 1)
    private static let fractions: [Float] = [0, 0.125, 0.6, 1]

    private static func quads(_ shape: Shape, in range: ClosedRange<Float> = codes) -> Operand {
        .input(Float.self, 4 * shape.width, in: range)
    }
    private static func outputQuads(_ shape: Shape) -> Operand { .output(Float.self, 4 * shape.width) }

    static let gatherQuads = KernelCase(
        "gather_quads", workload: cells,
        operands: { shape in
            let luma = Shape(width: 4 * shape.width, height: 4, stride: 4 * shape.width + 3)
            let chroma = Shape(width: 2 * shape.width, height: 2, stride: 2 * shape.width + 5)
            return [
                .inputPlane(UInt8.self, luma), .integer(luma.stride), .inputPlane(UInt8.self, chroma),
                .inputPlane(UInt8.self, chroma), .integer(chroma.stride), .integer(shape.width), outputQuads(shape),
            ]
        },
        call: { kernels, o in
            kernels.pointee.effects.gather_quads(
                o.pointer(0), o.integer(1), o.pointer(2), o.pointer(3), o.integer(4), o.integer(5), o.pointer(6))
        },
        reference: { o in
            o.store(Reference.gatherQuads(o.grid(0), o.grid(2), o.grid(3), count: o.integer(5)), 6)
        })

    /// Variants are radii.
    static let boxAcross = KernelCase(
        "box_across", shapes: Shape.rows.variants(3), workload: cells,
        operands: { shape in
            [quads(shape), .integer(shape.width), .integer([1, 20, 40][shape.variant]), outputQuads(shape)]
        },
        call: { kernels, o in
            kernels.pointee.effects.box_across(o.pointer(0), o.integer(1), o.integer(2), o.pointer(3))
        },
        reference: { o in o.store(Reference.boxAcross(o.samples(0), radius: o.integer(2)), 3) })

    static let boxDown = KernelCase(
        "box_down", workload: Shape(width: 1280), samples: 320,
        operands: { shape in
            [
                .input(Float.self, shape.width, in: codes), .input(Float.self, shape.width, in: codes),
                .integer(shape.width), .real(1 / 41), .output(Float.self, shape.width, in: 0...10455),
                .output(Float.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.effects.box_down(
                o.pointer(0), o.pointer(1), o.integer(2), o.real(3), o.pointer(4), o.pointer(5))
        },
        reference: { o in
            let (sum, out) = Reference.boxDown(
                entering: o.samples(0), leaving: o.samples(1), scale: o.real(3), sum: o.samples(4))
            o.store(sum, 4)
            o.store(out, 5)
        })

    static let guideProducts = KernelCase(
        "guide_products", workload: cells,
        operands: { shape in
            [quads(shape), .input(Float.self, shape.width, in: 0...1), .integer(shape.width), outputQuads(shape)]
        },
        call: { kernels, o in
            kernels.pointee.effects.guide_products(o.pointer(0), o.pointer(1), o.integer(2), o.pointer(3))
        },
        reference: { o in o.store(Reference.guideProducts(o.samples(0), o.samples(1)), 3) })

    static let guideLines = KernelCase(
        "guide_lines", workload: cells,
        operands: { shape in [quads(shape, in: 0...16), .integer(shape.width), .real(20), outputQuads(shape)] },
        call: { kernels, o in
            kernels.pointee.effects.guide_lines(o.pointer(0), o.integer(1), o.real(2), o.pointer(3))
        },
        reference: { o in o.store(Reference.guideLines(o.samples(0), floor: o.real(2)), 3) })

    static let weighBehind = KernelCase(
        "weigh_behind", workload: cells,
        operands: { shape in
            [quads(shape), quads(shape, in: -0.02...0.02), .integer(shape.width), outputQuads(shape)]
        },
        call: { kernels, o in
            kernels.pointee.effects.weigh_behind(o.pointer(0), o.pointer(1), o.integer(2), o.pointer(3))
        },
        reference: { o in o.store(Reference.weighBehind(o.samples(0), o.samples(1)), 3) })

    static let divideBehind = KernelCase(
        "divide_behind", workload: cells,
        operands: { shape in [quads(shape, in: 0.001...255), .integer(shape.width), outputQuads(shape)] },
        call: { kernels, o in
            kernels.pointee.effects.divide_behind(o.pointer(0), o.integer(1), o.pointer(2))
        },
        reference: { o in o.store(Reference.divideBehind(o.samples(0)), 2) })

    /// Variants: places between the rows; in the first two, the row ends with the last whole cell.
    static let matteRow = KernelCase(
        "matte_row", shapes: Shape.rows.variants(4), workload: Shape(width: 1280, variant: 1),
        operands: { shape in
            let cells = max(1, (shape.width + (shape.variant < 2 ? 0 : 3)) / 4)
            let lines = quads(Shape(width: cells), in: -0.02...0.02)
            return [
                .input(UInt8.self, shape.width), lines, lines, .real(fractions[shape.variant]), .integer(cells),
                .integer(shape.width), .output(UInt8.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.effects.matte_row(
                o.pointer(0), o.pointer(1), o.pointer(2), o.real(3), o.integer(4), o.integer(5), o.pointer(6))
        },
        reference: { o in
            let lines = Reference.RowBetween(o.samples(1), o.samples(2), o.real(3), each: 4)
            o.store(Reference.matteRow(o.samples(0), lines), 6)
        })

    /// Variants: all lanes, by 4 and by 2.
    static let enlargeRow = KernelCase(
        "enlarge_row", shapes: Shape.rows.variants(8), workload: Shape(width: 1280),
        operands: { shape in
            let step = shape.variant < 4 ? 4 : 2, cells = max(1, shape.width / step)
            let row = quads(Shape(width: cells), in: -20...280)
            return [
                row, row, .integer(shape.variant % 4), .real(fractions[(shape.variant + 1) % 4]), .integer(step),
                .integer(cells), .integer(shape.width), .output(UInt8.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.effects.enlarge_row(
                o.pointer(0), o.pointer(1), o.integer(2), o.real(3), o.integer(4), o.integer(5), o.integer(6),
                o.pointer(7))
        },
        reference: { o in
            let quads = Reference.RowBetween(o.samples(0), o.samples(1), o.real(3), each: 4)
            o.store(Reference.enlargeRow(quads, lane: o.integer(2), step: o.integer(4), count: o.integer(6)), 7)
        })

    static let steadyMatte = KernelCase(
        "steady_matte", workload: cells,
        operands: { shape in
            [
                .input(Float.self, shape.width, in: 0...1), .integer(shape.width),
                .output(Float.self, shape.width, in: 0...1),
            ]
        },
        call: { kernels, o in
            kernels.pointee.effects.steady_matte(o.pointer(0), o.integer(1), o.pointer(2))
        },
        reference: { o in o.store(Reference.steadyMatte(o.samples(0), kept: o.samples(2)), 2) })

    /// Variants: one number; enlarged, from before the row; and made smaller.
    static let enlargeMatte = KernelCase(
        "enlarge_matte", shapes: Shape.rows.variants(3), workload: cells,
        operands: { shape in
            let width = [1, 256, 77][shape.variant]
            let row = Operand.input(Float.self, width, in: 0...1)
            return [
                row, row, .real(fractions[shape.variant + 1]), .integer(width),
                .integer([-30000, -6554, 131_073][shape.variant]), .integer([20001, 52429, 98304][shape.variant]),
                .integer(shape.width), .output(Float.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.effects.enlarge_matte(
                o.pointer(0), o.pointer(1), o.real(2), o.integer(3), o.integer(4), o.integer(5), o.integer(6),
                o.pointer(7))
        },
        reference: { o in
            let matte = Reference.RowBetween(o.samples(0), o.samples(1), o.real(2), each: 1)
            o.store(
                Reference.enlargeMatte(matte, start: o.integer(4), step: o.integer(5), count: o.integer(6)), 7)
        })

    /// Variants: full and limited range, then the same in a plane for each colour.
    static let netRow = KernelCase(
        "net_row", shapes: Shape.rows.variants(4), workload: Shape(width: 256, variant: 1),
        operands: { shape in
            let cells = [1, 320, 320, 50][shape.variant]
            let starts: [Float] = [-0.4, 0.125, -3, 0], steps: [Float] = [1, 1.25, 0.37, 0.5]
            let range: [Float] = shape.variant % 2 == 0 ? [0, 1, 1] : [16, 255 / 219, 255 / 224]
            let (scale, offset): (Float, Float) = shape.variant < 2 ? (1 / 255, 0) : (1 / 127.5, -1)
            let (samples, channels) = shape.variant < 2 ? (3, 1) : (1, shape.width + 5)
            let row = quads(Shape(width: cells)), count = (shape.width - 1) * samples + 2 * channels + 1
            return [
                row, row, .real(fractions[shape.variant]), .integer(cells), .real(starts[shape.variant]),
                .real(steps[shape.variant]), .integer(shape.width), .real(range[0]), .real(range[1]), .real(range[2]),
                .real(scale), .real(offset), .output(Float.self, count), .integer(samples), .integer(channels),
            ]
        },
        call: { kernels, o in
            var row = fusion_net_row_parameters(
                upper: o.pointer(0), lower: o.pointer(1), fraction: o.real(2), cells: o.integer(3), start: o.real(4),
                step: o.real(5), count: o.integer(6), colors: netColors(o, 7), out: o.pointer(12),
                sample_apart: o.integer(13), channel_apart: o.integer(14))
            kernels.pointee.effects.net_row(&row)
        },
        reference: { o in
            let quads = Reference.RowBetween(o.samples(0), o.samples(1), o.real(2), each: 4)
            let range = Reference.CodeRange(lumaOffset: o.real(7), lumaFactor: o.real(8), chromaFactor: o.real(9))
            let sampleApart: Int = o.integer(13), channelApart: Int = o.integer(14)
            var out: [Float] = o.samples(12)
            for i in 0..<o.integer(6) {
                let color = Reference.netColor(quads, at: o.real(4) + Float(i) * o.real(5), range)
                for channel in 0..<3 {
                    out[i * sampleApart + channel * channelApart] = color[channel] * o.real(10) + o.real(11)
                }
            }
            o.store(out, 12)
        })

    private static func netColors(_ o: Operands, _ first: Int) -> fusion_net_colors {
        fusion_net_colors(
            luma_offset: o.real(first), luma_factor: o.real(first + 1), chroma_factor: o.real(first + 2),
            scale: o.real(first + 3), offset: o.real(first + 4))
    }

    /// Variants: a single sample of chroma; across a picture and beyond; turned; and backwards, from beyond.
    static let netTurnedRow = KernelCase(
        "net_turned_row", shapes: Shape.rows.variants(4), workload: Shape(width: 224, variant: 2),
        operands: { shape in
            let (width, height) = [(2, 2), (64, 4), (50, 30), (32, 62)][shape.variant]
            let luma = Shape(width: width, height: height, stride: width + 3)
            let chroma = Shape(width: width / 2, height: height / 2, stride: width / 2 + 5)
            let place = [(-40000, 20000), (-196_608, 65536), (131_071, 70001), (4_000_000, 3_999_999)][shape.variant]
            let step = [(9000, 7001), (65536, 0), (30001, 12345), (-49152, -60001)][shape.variant]
            let isLimited = shape.variant % 2 == 1
            return [
                .inputPlane(UInt8.self, luma), .integer(luma.stride), .inputPlane(UInt8.self, chroma),
                .inputPlane(UInt8.self, chroma), .integer(chroma.stride), .integer(width), .integer(height),
                .integer(place.0), .integer(place.1), .integer(step.0), .integer(step.1), .integer(shape.width),
                .real(isLimited ? 16 : 0), .real(isLimited ? 255 / 219 : 1), .real(isLimited ? 255 / 224 : 1),
                .real(1 / 127.5), .real(-1), .output(Float.self, 3 * shape.width),
            ]
        },
        call: { kernels, o in
            var row = fusion_net_turned_row_parameters(
                luma: o.pointer(0), stride: o.integer(1), cb: o.pointer(2), cr: o.pointer(3),
                chroma_stride: o.integer(4), width: o.integer(5), height: o.integer(6), x: o.integer(7),
                y: o.integer(8), step_x: o.integer(9), step_y: o.integer(10), count: o.integer(11),
                colors: netColors(o, 12), out: o.pointer(17))
            kernels.pointee.effects.net_turned_row(&row)
        },
        reference: { o in
            let planes = Reference.SmallPlanes(
                luma: o.grid(0), cb: o.grid(2), cr: o.grid(3), width: o.integer(5), height: o.integer(6))
            let range = Reference.CodeRange(lumaOffset: o.real(12), lumaFactor: o.real(13), chromaFactor: o.real(14))
            let x: Int = o.integer(7), y: Int = o.integer(8), stepX: Int = o.integer(9), stepY: Int = o.integer(10)
            let colors = (0..<o.integer(11)).map { planes.color(x + $0 * stepX, y + $0 * stepY, range) }
            o.store(colors.joined().map { $0 * o.real(15) + o.real(16) }, 17)
        })
}
