// SPDX-License-Identifier: MIT
// Cases of the kernels that denoise overlapping blocks by their cosine coefficients.

import LivecapCFusionKernels
import LivecapReferenceKernels

extension KernelCase {
    /// Planes are at least one block wide and high.
    private static let planeShapes = [8, 9, 15, 17, 33, 130].map { width in
        Shape(width: width, height: 8 + width % 5, stride: width + width % 3)
    }
    private static let cellRow = [1, 2, 7, 16, 33].map { Shape(width: $0) }
    private static let spectra = 3
    private static let tables = Operand.input(Int16.self, 1024 * spectra, in: 0...32767)
    /// Codes times 64.
    private static let codes: ClosedRange<Int16> = -1024...32767

    /// Variants: the position of the strip: beyond the upper or lower edge, at the edge, and inside.
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
            kernels.pointee.detail.denoise_strip(
                o.pointer(0), o.integer(1), o.integer(2), o.integer(3), o.integer(4), o.pointer(5))
        },
        reference: { o in
            o.store(
                Reference.denoiseStrip(o.grid(0), width: o.integer(2), height: o.integer(3), top: o.integer(4)), 5)
        })

    /// Widths count tiles.
    private static func activity<S: Sample>(
        _ kernel: String, _ range: ClosedRange<S>,
        call:
            @escaping @Sendable (UnsafePointer<fusion_kernels>, Operands, UnsafeMutablePointer<fusion_activity>) ->
            Void,
        centred: @escaping @Sendable (S) -> Int16
    ) -> KernelCase {
        KernelCase(
            kernel, shapes: cellRow, workload: Shape(width: 160), samples: 1280 * 8,
            operands: { shape in
                let tiles = shape.width
                return [
                    .inputPlane(S.self, Shape(width: 8 * tiles, height: 8, stride: 8 * tiles + 3), in: range),
                    .integer(8 * tiles + 3), .integer(tiles), .input(Float.self, tiles, in: 0...1200),
                    .input(UInt8.self, tiles, in: 0...UInt8(spectra - 1)), tables,
                    .output(UInt16.self, 65 * ((tiles + 3) / 4), in: 0...1024),
                ]
            },
            call: { kernels, o in
                let cells: UnsafeMutablePointer<UInt16> = o.pointer(6)
                call(kernels, o, UnsafeMutableRawPointer(cells).assumingMemoryBound(to: fusion_activity.self))
            },
            reference: { o in
                let plane: Grid<S> = o.grid(0)
                o.store(
                    Reference.denoiseActivity(
                        { centred(plane[$0, $1]) }, tiles: o.integer(2), variance: o.samples(3),
                        spectrum: o.samples(4), tables: o.samples(5), cells: o.samples(6)), 6)
            })
    }

    static let denoiseActivity = activity(
        "denoise_activity", codes,
        call: { kernels, o, cells in
            kernels.pointee.residual.denoise_activity(
                o.pointer(0), o.integer(1), o.integer(2), o.pointer(3), o.pointer(4), o.pointer(5), cells)
        }, centred: Reference.centred as @Sendable (Int16) -> Int16)

    static let denoiseActivityBytes = activity(
        "denoise_activity_bytes", UInt8.usual,
        call: { kernels, o, cells in
            kernels.pointee.residual.denoise_activity_bytes(
                o.pointer(0), o.integer(1), o.integer(2), o.pointer(3), o.pointer(4), o.pointer(5), cells)
        }, centred: Reference.centred as @Sendable (UInt8) -> Int16)

    /// Widths count cells.
    static let denoiseGains = KernelCase(
        "denoise_gains", shapes: cellRow, workload: Shape(width: 40), samples: 1280 * 32,
        operands: { shape in
            let cells = Operand.input(UInt16.self, 65 * shape.width, in: 0...2048)
            return [
                cells, cells, cells, .integer(shape.width), .output(UInt32.self, 64 * shape.width),
                .output(Int16.self, 64 * shape.width),
            ]
        },
        call: { kernels, o in
            func cells(_ place: Int) -> UnsafePointer<fusion_activity> {
                let numbers: UnsafeMutablePointer<UInt16> = o.pointer(place)
                return UnsafeRawPointer(numbers).assumingMemoryBound(to: fusion_activity.self)
            }
            kernels.pointee.residual.denoise_gains(
                cells(0), cells(1), cells(2), o.integer(3), o.pointer(4), o.pointer(5))
        },
        reference: { o in
            let gains = Reference.denoiseGains(
                above: o.samples(0), here: o.samples(1), below: o.samples(2), cells: o.integer(3))
            o.store(gains.thresholds, 4)
            o.store(gains.floors, 5)
        })

    /// Widths count blocks. Variants: the first block, without biases and with them. There may be one tile fewer than
    /// the blocks reach.
    static let denoiseLevels = KernelCase(
        "denoise_levels", shapes: Array(cellRow.dropFirst()).variants(4), workload: Shape(width: 321),
        samples: 1280 * 4,
        operands: { shape in
            let tiles = max(shape.width / 2, 1)
            let variance = Operand.input(Float.self, tiles, in: 0...1200)
            let bias = shape.variant < 2 ? Operand.integer(0) : Operand.input(Float.self, tiles, in: -80...80)
            return [
                variance, variance, .integer(tiles), bias, bias, .input(UInt8.self, tiles, in: 0...15),
                .integer(shape.variant % 2), .integer(shape.width),
                .output(UInt32.self, (shape.width + 1 - shape.variant % 2) / 2),
            ]
        },
        call: { kernels, o in
            let hasBias = o.blocks[3] != nil
            let out: UnsafeMutablePointer<UInt32> = o.pointer(8)
            var levels = fusion_levels_parameters(
                upper: o.pointer(0), lower: o.pointer(1), tiles: o.integer(2),
                upper_bias: hasBias ? o.pointer(3) : nil, lower_bias: hasBias ? o.pointer(4) : nil,
                spectrum: o.pointer(5), first: o.integer(6), blocks: o.integer(7),
                out: UnsafeMutableRawPointer(out).assumingMemoryBound(to: fusion_block.self))
            kernels.pointee.residual.denoise_levels(&levels)
        },
        reference: { o in
            let hasBias = o.blocks[3] != nil
            let tiles = Reference.Tiles(
                upper: o.samples(0), lower: o.samples(1), spectrum: o.samples(5),
                upperBias: hasBias ? o.samples(3) : [], lowerBias: hasBias ? o.samples(4) : [])
            o.store(Reference.denoiseLevels(tiles, first: o.integer(6), blocks: o.integer(7)).map(\.word), 8)
        })

    /// The noise of blocks, in the form of `fusion_block`.
    private static func levels(_ count: Int) -> Operand {
        var operand = Operand.input(UInt32.self, count)
        operand.fill = { memory, fill, place, random in
            let words = memory.bindMemory(to: UInt32.self, capacity: count)
            for block in 0..<count {
                func next(_ most: Double) -> UInt32 {
                    UInt32(fill.fraction(operand: place, place: block, &random) * most)
                }
                let (table, scale, bias) = (next(Double(16 * spectra - 1)), next(8), next(8192))
                words[block] = table | scale << 8 | UInt32(UInt16(bitPattern: Int16(bias) - 4096)) << 16
            }
        }
        return operand
    }

    /// Variants: the position of the strip, and with it the number of rows finished; for either first block.
    private static func blocks<S: Sample>(
        _ kernel: String, _ range: ClosedRange<S>,
        call: @escaping @Sendable (UnsafePointer<fusion_kernels>, Operands, inout fusion_blocks_parameters) -> Void,
        centred: @escaping @Sendable (S) -> Int16
    ) -> KernelCase {
        KernelCase(
            kernel, shapes: planeShapes.variants(8), workload: Shape(width: 1280, height: 64, variant: 4),
            samples: 1280 * 4,
            operands: { shape in
                let top = [-4, 0, (shape.height - 8) / 2, shape.height - 4][shape.variant / 2]
                let first = shape.variant % 2, rows = [0, 4, 4, 3][shape.variant / 2]
                let cells = max((shape.width + 28) / 32, 1)
                var out = shape
                out.height = max(rows, 1)
                return [
                    .inputPlane(S.self, shape, in: range), .integer(shape.stride), .integer(shape.width),
                    .integer(shape.height), .integer(top), .integer(first),
                    levels(((shape.width + 3) / 4 + 2 - first) / 2), tables,
                    .input(UInt32.self, 64 * cells, in: 0x8000_0000...0x8a00_0000),
                    .input(Int16.self, 64 * cells, in: 0...32767), .integer(cells),
                    .output(Int16.self, 4 * shape.width), .outputPlane(UInt16.self, out), .integer(shape.stride),
                    .integer(rows),
                ]
            },
            call: { kernels, o in
                let levels: UnsafeMutablePointer<UInt32> = o.pointer(6)
                var strip = fusion_blocks_parameters(
                    stride: o.integer(1), width: o.integer(2), height: o.integer(3), top: o.integer(4),
                    first: o.integer(5), levels: UnsafeRawPointer(levels).assumingMemoryBound(to: fusion_block.self),
                    tables: o.pointer(7), thresholds: o.pointer(8), floors: o.pointer(9), cells: o.integer(10),
                    carry: o.pointer(11), out: o.pointer(12), out_stride: o.integer(13), rows: o.integer(14))
                call(kernels, o, &strip)
            },
            reference: { o in
                let plane: Grid<S> = o.grid(0), width: Int = o.integer(2), words: [UInt32] = o.samples(6)
                let gains = Reference.BlockGains(
                    tables: o.samples(7), thresholds: o.samples(8), floors: o.samples(9))
                let (finished, carry) = Reference.denoiseBlocks(
                    { centred(plane[$0, $1]) }, width: width, height: o.integer(3), top: o.integer(4),
                    first: o.integer(5), levels: words.map { Reference.Level($0) }, gains, cells: o.integer(10),
                    carried: o.samples(11), rows: o.integer(14))
                var out: Grid<UInt16> = o.grid(12)
                for (y, row) in finished.enumerated() { for x in 0..<width { out[x, y] = row[x] } }
                o.store(out, 12)
                o.store(carry, 11)
            })
    }

    static let denoiseBlocks = blocks(
        "denoise_blocks", codes,
        call: { kernels, o, strip in kernels.pointee.residual.denoise_blocks(o.pointer(0), &strip) },
        centred: Reference.centred as @Sendable (Int16) -> Int16)

    static let denoiseBlocksBytes = blocks(
        "denoise_blocks_bytes", UInt8.usual,
        call: { kernels, o, strip in kernels.pointee.residual.denoise_blocks_bytes(o.pointer(0), &strip) },
        centred: Reference.centred as @Sendable (UInt8) -> Int16)
}
