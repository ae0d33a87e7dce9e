// SPDX-License-Identifier: MIT
// Denoising by the cosine coefficients of overlapping blocks.

import CFusionKernels
import FusionKernels

extension KernelCase {
    /// Planes are at least a block wide and high.
    private static let planeShapes = [8, 9, 15, 17, 33, 130].map { width in
        Shape(width: width, height: 8 + width % 5, stride: width + width % 3)
    }
    private static let cellRow = [1, 2, 7, 16, 33].map { Shape(width: $0) }
    /// As far as coefficients of 14-bit samples reach, and the reciprocals of noise powers worth naming.
    private static let coefficients: ClosedRange<Float> = -400_000...400_000
    private static let reciprocals: ClosedRange<Float> = 1e-9...1e-4
    private static let spectra = 3

    /// The variants are places of the strip: beyond either edge, at it, and within.
    static let denoiseStrip = KernelCase(
        "denoise_strip", shapes: planeShapes.variants(4),
        workload: Shape(width: 1280, height: 64, variant: 2), samples: 1280 * 8,
        operands: { shape in
            let top = [-4, 0, (shape.height - 8) / 2, shape.height - 4][shape.variant]
            return [
                .inputPlane(Int16.self, shape, in: 0...16383), .integer(shape.stride), .integer(shape.width),
                .integer(shape.height), .integer(top), .output(Float.self, 8 * (shape.width + 12)),
            ]
        },
        call: { kernels, o in
            kernels.pointee.denoise_strip(
                o.pointer(0), o.integer(1), o.integer(2), o.integer(3), o.integer(4), o.pointer(5))
        },
        reference: { o in
            o.store(
                Reference.denoiseStrip(o.grid(0), width: o.integer(2), height: o.integer(3), top: o.integer(4)), 5)
        })

    /// The variants are places of the strip, as above.
    static let denoiseStripBytes = KernelCase(
        "denoise_strip_bytes", shapes: planeShapes.variants(4),
        workload: Shape(width: 1280, height: 64, variant: 2), samples: 1280 * 8,
        operands: { shape in
            let top = [-4, 0, (shape.height - 8) / 2, shape.height - 4][shape.variant]
            return [
                .inputPlane(UInt8.self, shape), .integer(shape.stride), .integer(shape.width),
                .integer(shape.height), .integer(top), .output(Float.self, 8 * (shape.width + 12)),
            ]
        },
        call: { kernels, o in
            kernels.pointee.denoise_strip_bytes(
                o.pointer(0), o.integer(1), o.integer(2), o.integer(3), o.integer(4), o.pointer(5))
        },
        reference: { o in
            o.store(
                Reference.denoiseStripBytes(o.grid(0), width: o.integer(2), height: o.integer(3), top: o.integer(4)),
                5)
        })

    /// Widths are tiles.
    static let denoiseActivity = KernelCase(
        "denoise_activity", shapes: cellRow, workload: Shape(width: 160), samples: 1280 * 8,
        operands: { shape in
            [
                .input(Float.self, 8 * (8 * shape.width + 4), in: coefficients), .integer(shape.width),
                .input(Float.self, shape.width, in: 0...3000), .input(Float.self, 64 * spectra, in: reciprocals),
                .input(UInt8.self, shape.width, in: 0...UInt8(spectra - 1)),
                .output(Float.self, 65 * ((shape.width + 3) / 4), in: 0...60),
            ]
        },
        call: { kernels, o in
            let cells: UnsafeMutablePointer<Float> = o.pointer(5)
            kernels.pointee.denoise_activity(
                o.pointer(0), o.integer(1), o.pointer(2), o.pointer(3), o.pointer(4),
                UnsafeMutableRawPointer(cells).assumingMemoryBound(to: fusion_activity.self))
        },
        reference: { o in
            o.store(
                Reference.denoiseActivity(
                    o.samples(0), tiles: o.integer(1), variance: o.samples(2), spectra: o.samples(3),
                    spectrum: o.samples(4), cells: o.samples(5)), 5)
        })

    /// Widths are cells.
    static let denoiseGains = KernelCase(
        "denoise_gains", shapes: cellRow, workload: Shape(width: 40), samples: 1280 * 32,
        operands: { shape in
            let cells = Operand.input(Float.self, 65 * shape.width, in: 0...60)
            return [cells, cells, cells, .integer(shape.width), .output(Float.self, 128 * shape.width)]
        },
        call: { kernels, o in
            func cells(_ place: Int) -> UnsafePointer<fusion_activity> {
                let numbers: UnsafeMutablePointer<Float> = o.pointer(place)
                return UnsafeRawPointer(numbers).assumingMemoryBound(to: fusion_activity.self)
            }
            let gains: UnsafeMutablePointer<Float> = o.pointer(4)
            kernels.pointee.denoise_gains(
                cells(0), cells(1), cells(2), o.integer(3),
                UnsafeMutableRawPointer(gains).assumingMemoryBound(to: fusion_gain.self))
        },
        reference: { o in
            o.store(
                Reference.denoiseGains(
                    above: o.samples(0), here: o.samples(1), below: o.samples(2), cells: o.integer(3)), 4)
        })

    /// Widths are blocks, variants the first of them, without biases and with. There may be one tile fewer than blocks
    /// reach, and one cell fewer.
    static let denoiseShrink = KernelCase(
        "denoise_shrink", shapes: cellRow.variants(4), workload: Shape(width: 321), samples: 1280 * 4,
        operands: { shape in
            let tiles = max(shape.width / 2, 1), cells = max(shape.width / 8, 1)
            let variance = Operand.input(Float.self, tiles, in: 0...3000)
            let bias = shape.variant < 2 ? Operand.integer(0) : Operand.input(Float.self, tiles, in: -20...20)
            return [
                .input(Float.self, 32 * (shape.width + 1), in: coefficients), .integer(shape.variant % 2),
                .integer(shape.width), variance, variance, .integer(tiles), bias, bias,
                .input(Float.self, 64 * spectra, in: reciprocals),
                .input(UInt8.self, tiles, in: 0...UInt8(spectra - 1)), .input(Float.self, 128 * cells, in: 0...1),
                .integer(cells), .output(Float.self, 32 * (shape.width + 1)),
            ]
        },
        call: { kernels, o in
            let hasBias = o.blocks[6] != nil
            let gains: UnsafeMutablePointer<Float> = o.pointer(10)
            kernels.pointee.denoise_shrink(
                o.pointer(0), o.integer(1), o.integer(2), o.pointer(3), o.pointer(4), o.integer(5),
                hasBias ? o.pointer(6) : nil, hasBias ? o.pointer(7) : nil, o.pointer(8), o.pointer(9),
                UnsafeRawPointer(gains).assumingMemoryBound(to: fusion_gain.self), o.integer(11), o.pointer(12))
        },
        reference: { o in
            let noise = Reference.Noise(
                upper: o.samples(3), lower: o.samples(4), spectra: o.samples(8), spectrum: o.samples(9),
                gains: o.samples(10), upperBias: o.blocks[6] == nil ? [] : o.samples(6),
                lowerBias: o.blocks[7] == nil ? [] : o.samples(7))
            o.store(
                Reference.denoiseShrink(
                    o.samples(0), first: o.integer(1), blocks: o.integer(2), noise, shrunk: o.samples(12)), 12)
        })

    /// The variants are the numbers of rows finished, for either place of the blocks.
    static let denoiseUnstrip = KernelCase(
        "denoise_unstrip", shapes: planeShapes.variants(10), workload: Shape(width: 1280, variant: 4),
        samples: 1280 * 4,
        operands: { shape in
            var rows = shape
            rows.height = max(shape.variant % 5, 1)
            return [
                .input(Float.self, 8 * (shape.width + 4), in: -100_000...400_000), .integer(shape.variant / 5),
                .integer(shape.width), .input(Float.self, 4 * shape.width, in: -8000...16383),
                .output(Float.self, 4 * shape.width), .outputPlane(UInt16.self, rows), .integer(shape.stride),
                .integer(shape.variant % 5),
            ]
        },
        call: { kernels, o in
            kernels.pointee.denoise_unstrip(
                o.pointer(0), o.integer(1), o.integer(2), o.pointer(3), o.pointer(4), o.pointer(5), o.integer(6),
                o.integer(7))
        },
        reference: { o in
            let width: Int = o.integer(2)
            let (finished, carry) = Reference.denoiseUnstrip(
                o.samples(0), first: o.integer(1), width: width, carried: o.samples(3), rows: o.integer(7))
            var out: Grid<UInt16> = o.grid(5)
            for (y, row) in finished.enumerated() { for x in 0..<width { out[x, y] = row[x] } }
            o.store(out, 5)
            o.store(carry, 4)
        })
}
