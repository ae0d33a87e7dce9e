// SPDX-License-Identifier: MIT
// Cases of the kernels of depth.

import LivecapCFusionKernels
import LivecapReferenceKernels

extension KernelCase {
    static let depths: ClosedRange<UInt16> = 0...65534
    /// Reaches: none, that of a sensor with counts of a millimetre, all.
    static let reaches: [(least: Int, slope: Int)] = [(0, 0), (8, 3000), (65535, 65535), (3, 65535)]

    static let takeDepth = KernelCase(
        "take_depth",
        operands: { shape in
            [.input(UInt8.self, 2 * shape.width), .integer(shape.width), .output(UInt16.self, shape.width)]
        },
        call: { kernels, o in kernels.pointee.depth.take_depth(o.pointer(0), o.integer(1), o.pointer(2)) },
        reference: { o in o.store(Reference.takeDepth(o.samples(0)), 2) })

    static let takeConfidence = KernelCase(
        "take_confidence",
        operands: { shape in
            [.input(UInt8.self, (shape.width + 1) / 2), .integer(shape.width), .output(UInt8.self, shape.width)]
        },
        call: { kernels, o in kernels.pointee.depth.take_confidence(o.pointer(0), o.integer(1), o.pointer(2)) },
        reference: { o in o.store(Reference.takeConfidence(o.samples(0), count: o.integer(1)), 2) })

    /// Variants: reaches, shares and how long a hole keeps its depth. Depths differ little from each other in the last
    /// ones, so that both branches are taken.
    static let steadyDepth = KernelCase(
        "steady_depth", shapes: Shape.rows.variants(4), workload: Shape(width: 1280, variant: 1),
        operands: { shape in
            let reach = reaches[shape.variant]
            let range: ClosedRange<UInt16> = shape.variant % 2 == 0 ? depths : 0...2000
            return [
                .input(UInt16.self, shape.width, in: range), .integer(shape.width), .integer(reach.least),
                .integer(reach.slope), .integer([1, 77, 256, 20][shape.variant]),
                .integer([1, 3, 8, 99][shape.variant]),
                .output(UInt32.self, shape.width, in: 0...64 * UInt32(range.upperBound)),
                .output(UInt8.self, shape.width), .output(UInt16.self, shape.width),
            ]
        },
        call: { kernels, o in
            var row = fusion_depth_steady_parameters(
                fresh: o.pointer(0), count: o.integer(1), least: o.integer(2), slope: o.integer(3),
                share: o.integer(4), hold: o.integer(5), kept: o.pointer(6), seen: o.pointer(7), out: o.pointer(8))
            kernels.pointee.depth.steady_depth(&row)
        },
        reference: { o in
            let fresh: [UInt16] = o.samples(0), reach = Reference.DepthReach(least: o.integer(2), slope: o.integer(3))
            var kept: [UInt32] = o.samples(6), seen: [UInt8] = o.samples(7), out: [UInt16] = o.samples(8)
            for i in fresh.indices {
                var memory = Reference.DepthMemory(kept: kept[i], seen: seen[i])
                out[i] = Reference.steadyDepth(fresh[i], &memory, reach, share: o.integer(4), hold: o.integer(5))
                kept[i] = memory.kept
                seen[i] = memory.seen
            }
            o.store(kept, 6)
            o.store(seen, 7)
            o.store(out, 8)
        })

    /// Variants: reaches, radii, bounds and what the own group counts.
    static let guideDepth = KernelCase(
        "guide_depth", shapes: Shape.rows.variants(4), workload: Shape(width: 1280, variant: 1),
        operands: { shape in
            let reach = reaches[shape.variant], radius = [1, 2, 3, 3][shape.variant]
            var row = shape
            row.stride = shape.width + 5
            let range: ClosedRange<UInt16> = shape.variant % 2 == 0 ? depths : 0...1500
            let plane = Operand.inputPlane(UInt16.self, row, margin: radius, in: range)
            let luma = Operand.inputPlane(UInt8.self, row, margin: radius, in: 0...(shape.variant == 1 ? 40 : 255))
            return [
                plane, .integer(plane.stride), luma, .integer(luma.stride), .integer(shape.width), .integer(radius),
                .integer([1, 24, 64, 33][shape.variant]), .integer(reach.least), .integer(reach.slope),
                .integer([4, 6, 16, 5][shape.variant]), .output(UInt16.self, shape.width),
            ]
        },
        call: { kernels, o in
            var row = fusion_depth_guide_parameters(
                depth: o.pointer(0), stride: o.integer(1), luma: o.pointer(2), luma_stride: o.integer(3),
                count: o.integer(4), radius: o.integer(5), bound: o.integer(6), least: o.integer(7),
                slope: o.integer(8), own: o.integer(9), out: o.pointer(10))
            kernels.pointee.depth.guide_depth(&row)
        },
        reference: { o in
            let depth: Grid<UInt16> = o.grid(0), luma: Grid<UInt8> = o.grid(2), count: Int = o.integer(4)
            let reach = Reference.DepthReach(least: o.integer(7), slope: o.integer(8))
            let out = (0..<count).map { x in
                Reference.guideDepth(
                    depth, luma, at: (x, 0), radius: o.integer(5), bound: o.integer(6), reach, own: o.integer(9))
            }
            o.store(out, 10)
        })

    /// Variants: reaches and numbers of frames.
    static let fuseDepth = KernelCase(
        "fuse_depth", shapes: Shape.rows.variants(4), workload: Shape(width: 1280, variant: 1),
        operands: { shape in
            let reach = reaches[shape.variant], frames = [1, 8, 32, 5][shape.variant]
            let range: ClosedRange<UInt16> = shape.variant % 2 == 0 ? depths : 0...900
            let rows = Shape(width: shape.width, height: frames, stride: shape.width + 3)
            return [
                .inputPlane(UInt16.self, rows, in: range), .integer(rows.stride), .integer(frames),
                .integer(shape.width), .integer(reach.least), .integer(reach.slope), .output(UInt16.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.depth.fuse_depth(
                o.pointer(0), o.integer(1), o.integer(2), o.integer(3), o.integer(4), o.integer(5), o.pointer(6))
        },
        reference: { o in
            let rows: Grid<UInt16> = o.grid(0), frames: Int = o.integer(2), count: Int = o.integer(3)
            let reach = Reference.DepthReach(least: o.integer(4), slope: o.integer(5))
            let out = (0..<count).map { x in Reference.fuseDepth((0..<frames).map { rows[x, $0] }, reach) }
            o.store(out, 6)
        })

    /// Variants: where colours begin, and how fast they change.
    static let colorDepth = KernelCase(
        "color_depth", shapes: Shape.rows.variants(3),
        operands: { shape in
            [
                .input(UInt16.self, shape.width, in: depths), .integer(shape.width),
                .integer([0, 300, 65534][shape.variant]), .integer([255, 3700, 16_711_680][shape.variant]),
                .input((0..<257 * 3).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 / 256) }),
                .output(UInt8.self, 3 * shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.depth.color_depth(
                o.pointer(0), o.integer(1), o.integer(2), o.integer(3), o.pointer(4), o.pointer(5))
        },
        reference: { o in
            let depth: [UInt16] = o.samples(0), palette: [UInt8] = o.samples(4)
            let out = depth.flatMap {
                Reference.colorDepth($0, nearest: o.integer(2), factor: o.integer(3), palette: palette)
            }
            o.store(out, 5)
        })
}
