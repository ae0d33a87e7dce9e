// SPDX-License-Identifier: MIT
// Cases of the kernels that find texture hidden by noise.

import LivecapCFusionKernels
import LivecapReferenceKernels

extension KernelCase {
    private static let cellRow = [1, 2, 7, 16, 33].map { Shape(width: $0) }
    private static let spectra = 3

    /// Widths count tiles.
    static let textureSum = KernelCase(
        "texture_sum", shapes: cellRow, workload: Shape(width: 160), samples: 1280 * 8,
        operands: { shape in
            [
                .input(Float.self, 8 * (8 * shape.width + 4), in: -40_000...40_000), .integer(shape.width),
                .input(Float.self, shape.width, in: 0...3000), .input(Float.self, 64 * spectra, in: 1e-9...1e-4),
                .input(UInt8.self, shape.width, in: 0...UInt8(spectra - 1)),
                .output(Float.self, 128 * ((shape.width + 3) / 4), in: 0...60),
            ]
        },
        call: { kernels, o in
            let cells: UnsafeMutablePointer<Float> = o.pointer(5)
            kernels.pointee.detail.texture_sum(
                o.pointer(0), o.integer(1), o.pointer(2), o.pointer(3), o.pointer(4),
                UnsafeMutableRawPointer(cells).assumingMemoryBound(to: fusion_texture.self))
        },
        reference: { o in
            o.store(
                Reference.textureSum(
                    o.samples(0), tiles: o.integer(1), variance: o.samples(2), spectra: o.samples(3),
                    spectrum: o.samples(4), cells: o.samples(5)), 5)
        })

    /// Widths count cells.
    static let textureFloors = KernelCase(
        "texture_floors", shapes: cellRow, workload: Shape(width: 40), samples: 1280 * 32,
        operands: { shape in
            let cells = Operand.input(Float.self, 128 * shape.width, in: 0...48)
            return [cells, cells, cells, .integer(shape.width), .output(Float.self, 64 * shape.width)]
        },
        call: { kernels, o in
            func cells(_ place: Int) -> UnsafePointer<fusion_texture> {
                let numbers: UnsafeMutablePointer<Float> = o.pointer(place)
                return UnsafeRawPointer(numbers).assumingMemoryBound(to: fusion_texture.self)
            }
            kernels.pointee.detail.texture_floors(cells(0), cells(1), cells(2), o.integer(3), o.pointer(4))
        },
        reference: { o in
            o.store(
                Reference.textureFloors(
                    above: o.samples(0), here: o.samples(1), below: o.samples(2), cells: o.integer(3)), 4)
        })
}
