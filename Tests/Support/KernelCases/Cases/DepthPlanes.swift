// SPDX-License-Identifier: MIT
// Cases of the kernels that fill holes of depth, and see depth from another camera.

import LivecapCFusionKernels
import LivecapReferenceKernels

extension KernelCase {
    /// Rows without what is between them.
    private static func rows<S>(_ grid: Grid<S>, _ width: Int, _ height: Int) -> [[S]] {
        (0..<height).map { y in (0..<width).map { grid[$0, y] } }
    }

    /// Variants: reaches and sizes of holes. In some, half of the samples are holes.
    static let fillDepthHoles = KernelCase(
        "fill_depth_holes", shapes: Shape.planes.variants(4),
        workload: Shape(width: 1280, height: 16, variant: 1),
        operands: { shape in
            let reach = reaches[shape.variant], samples = shape.width * shape.height
            var depth = Operand.inputPlane(UInt16.self, shape, in: depths)
            let fill = depth.fill, count = depth.count, isHoled = shape.variant > 0
            depth.fill = { memory, how, place, random in
                fill(memory, how, place, &random)
                let depth = memory.bindMemory(to: UInt16.self, capacity: count)
                for i in 0..<count where isHoled && random.next() % 2 == 0 { depth[i] = 0 }
            }
            var out = shape
            out.stride += 2
            return [
                depth, .integer(shape.stride), .integer(shape.width), .integer(shape.height),
                .integer([1, 4, 64, 1 << 30][shape.variant]), .integer(reach.least), .integer(reach.slope),
                .scratch(UInt32.self, samples), .scratch(UInt8.self, samples), .scratch(UInt32.self, shape.width),
                .outputPlane(UInt16.self, out), .integer(out.stride),
            ]
        },
        call: { kernels, o in
            var plane = fusion_depth_holes_parameters(
                depth: o.pointer(0), stride: o.integer(1), width: o.integer(2), height: o.integer(3),
                limit: o.integer(4), least: o.integer(5), slope: o.integer(6), places: o.pointer(7),
                marks: o.pointer(8), columns: o.pointer(9), out: o.pointer(10), out_stride: o.integer(11))
            kernels.pointee.depth.fill_depth_holes(&plane)
        },
        reference: { o in
            let (width, height): (Int, Int) = (o.integer(2), o.integer(3))
            let depth: Grid<UInt16> = o.grid(0)
            var out: Grid<UInt16> = o.grid(10)
            let filled = Reference.fillDepthHoles(
                rows(depth, width, height).map { row in row.map { Int($0) } }, limit: o.integer(4),
                Reference.DepthReach(least: o.integer(5), slope: o.integer(6)))
            for y in 0..<height { for x in 0..<width { out[x, y] = UInt16(filled[y][x]) } }
            o.store(out, 10)
        })

    /// Where another camera is, and its lens: the same; beside it and a little turned, with a real lens; far away.
    private static let poses: [[Float]] = [
        [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0],
        [0.9998, -0.01, 0.015, -59.5, 0.0102, 0.9998, -0.012, 2.25, -0.0149, 0.0121, 0.9998, 7.5],
        [0, 0, 1, 4000, 0, 1, 0, -900, -1, 0, 0, 30000],
    ]
    private static let lenses: [[Float]] = [
        [600, 600, 319.5, 239.5, 0, 0, 0, 0, 0], [921.3, 919.8, 640.7, 361.1, 0.11, -0.27, 0.0004, -0.0006, 0.19],
        [1e6, 1e6, 0, 0, -8, 30, 1, 1, -90],
    ]

    /// Variants: other cameras.
    static let projectDepth = KernelCase(
        "project_depth", shapes: Shape.rows.variants(3), workload: Shape(width: 1280, variant: 1),
        operands: { shape in
            [
                .input(UInt16.self, shape.width, in: depths), .input(Float.self, shape.width, in: -1.2...1.2),
                .input(Float.self, shape.width, in: -0.8...0.8), .integer(shape.width),
                .input(poses[shape.variant]), .input(lenses[shape.variant]), .output(Int32.self, shape.width),
                .output(Int32.self, shape.width), .output(UInt16.self, shape.width),
            ]
        },
        call: { kernels, o in
            var row = fusion_depth_project_parameters(
                depth: o.pointer(0), across: o.pointer(1), down: o.pointer(2), count: o.integer(3), pose: o.pointer(4),
                lens: o.pointer(5), x: o.pointer(6), y: o.pointer(7), z: o.pointer(8))
            kernels.pointee.depth.project_depth(&row)
        },
        reference: { o in
            let depth: [UInt16] = o.samples(0), across: [Float] = o.samples(1), down: [Float] = o.samples(2)
            let points = depth.indices.map {
                Reference.projectDepth(
                    depth[$0], across: across[$0], down: down[$0], pose: o.samples(4), lens: o.samples(5))
            }
            o.store(points.map(\.x), 6)
            o.store(points.map(\.y), 7)
            o.store(points.map(\.z), 8)
        })

    /// Variants: sizes of points.
    static let layDepth = KernelCase(
        "lay_depth", shapes: Shape.planes.variants(3), workload: Shape(width: 1280, variant: 1),
        operands: { shape in
            let side = [(16, 16), (29, 18), (400, 67)][shape.variant], reach = 16 * Int32(max(shape.width, 8))
            return [
                .input(Int32.self, shape.width, in: -40...reach), .input(Int32.self, shape.width, in: -40...160),
                .input(UInt16.self, shape.width, in: depths), .integer(shape.width), .integer(side.0),
                .integer(side.1), .integer(shape.width), .integer(shape.height),
                .outputPlane(UInt16.self, shape, in: depths), .integer(shape.stride),
            ]
        },
        call: { kernels, o in
            var points = fusion_depth_lay_parameters(
                x: o.pointer(0), y: o.pointer(1), z: o.pointer(2), count: o.integer(3), across: o.integer(4),
                down: o.integer(5), width: o.integer(6), height: o.integer(7), out: o.pointer(8), stride: o.integer(9))
            kernels.pointee.depth.lay_depth(&points)
        },
        reference: { o in
            let (width, height): (Int, Int) = (o.integer(6), o.integer(7))
            let x: [Int32] = o.samples(0), y: [Int32] = o.samples(1), z: [UInt16] = o.samples(2)
            var out: Grid<UInt16> = o.grid(8)
            let laid = Reference.layDepth(
                z.indices.map { Reference.DepthPoint(x: x[$0], y: y[$0], z: z[$0]) }, across: o.integer(4),
                down: o.integer(5), onto: rows(out, width, height))
            for y in 0..<height { for x in 0..<width { out[x, y] = laid[y][x] } }
            o.store(out, 8)
        })
}
