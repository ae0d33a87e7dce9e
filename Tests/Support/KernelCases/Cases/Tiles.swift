// SPDX-License-Identifier: MIT
// Cases of the kernels for statistics of tiles of 8x8 samples.

import LivecapReferenceKernels

extension KernelCase {
    private static func rows(_ tiles: Int) -> Operand {
        .inputPlane(UInt8.self, Shape(width: 8 * tiles, height: 8, stride: 8 * tiles + 3))
    }

    /// Widths count tiles.
    static let tileMoments = KernelCase(
        "tile_moments", shapes: [1, 2, 7, 16, 33].map { Shape(width: $0) }, workload: Shape(width: 160),
        samples: 1280 * 8,
        operands: { shape in
            [
                rows(shape.width), .integer(8 * shape.width + 3), .integer(shape.width),
                .output(UInt16.self, shape.width), .output(UInt32.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.noise.tile_moments(o.pointer(0), o.integer(1), o.integer(2), o.pointer(3), o.pointer(4))
        },
        reference: { o in
            let moments = Reference.tileMoments(o.grid(0), tiles: o.integer(2))
            o.store(moments.sums, 3)
            o.store(moments.squares, 4)
        })

    static let tilePowers = KernelCase(
        "tile_powers", shapes: [Shape(width: 1)], workload: Shape(width: 1), samples: 64,
        operands: { _ in
            [rows(1), .integer(11), .input(Float.self, 64, in: 0...0.02), .output(Float.self, 64)]
        },
        call: { kernels, o in
            kernels.pointee.noise.tile_powers(o.pointer(0), o.integer(1), o.pointer(2), o.pointer(3))
        },
        reference: { o in o.store(Reference.tilePowers(o.grid(0), scales: o.samples(2)), 3) })

    static let addPowers = KernelCase(
        "add_powers", shapes: [Shape(width: 1)], workload: Shape(width: 1), samples: 64,
        operands: { _ in
            [
                rows(1), .integer(11), rows(1).opposite, .integer(11), .real(-3.25), .real(0.0625),
                .output(Float.self, 64, in: 0...10_000),
            ]
        },
        call: { kernels, o in
            kernels.pointee.noise.add_powers(
                o.pointer(0), o.integer(1), o.pointer(2), o.integer(3), o.real(4), o.real(5), o.pointer(6))
        },
        reference: { o in
            o.store(
                Reference.addPowers(o.grid(0), o.grid(2), mean: o.real(4), weight: o.real(5), to: o.samples(6)), 6)
        })
}
