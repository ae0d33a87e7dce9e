// SPDX-License-Identifier: MIT
// Cases of the kernels that fuse a frame of a stream with what is remembered.

import LivecapCFusionKernels
import LivecapReferenceKernels

extension KernelCase {
    private static let remembered: ClosedRange<Int16> = 0...16383
    private static let blocks = [1, 2, 3, 5, 9].map { Shape(width: 16 * $0) }

    /// Widths count samples, in whole cells. Variants: motion of up to three samples either way; of one sample, at
    /// most, so that neighbours often move alike; and in whole samples.
    static let liveMove = KernelCase(
        "live_move",
        shapes: [1, 2, 3, 6, 33, 68].flatMap { cells in
            [1, 3, 8].map { Shape(width: 8 * cells, height: $0, stride: 8 * cells + 32) }
        }.variants(3),
        workload: Shape(width: 1280, height: 8, stride: 1344, variant: 0), samples: 1280 * 8,
        operands: { shape in
            let motion: ClosedRange<Int16> = [-24...24, 3...4, 0...0][shape.variant]
            var whole = shape
            (whole.width, whole.stride) = ((shape.width + 15) / 16 * 16, (shape.width + 15) / 16 * 16 + shape.height)
            // Margins are as wide as the motion and the taps need.
            return [
                .inputPlane(Int16.self, shape, margin: 16, in: remembered),
                .inputPlane(UInt8.self, shape, margin: 16), .integer(shape.stride + 32), .integer(shape.width / 8),
                .integer(shape.height), .input(Int16.self, 2 * (shape.width / 8), in: motion),
                .input(UInt16.self, shape.width / 8, in: 0...1), .integer([32, 256, 0][shape.variant]),
                .outputPlane(Int16.self, whole), .outputPlane(UInt8.self, whole), .integer(whole.stride),
            ]
        },
        call: { kernels, o in
            var move = fusion_live_move_parameters(
                past: o.pointer(0), doubt: o.pointer(1), stride: o.integer(2), cells: o.integer(3), rows: o.integer(4),
                motion: o.pointer(5), share: o.pointer(6), fade: o.integer(7), out: o.pointer(8),
                out_doubt: o.pointer(9), out_stride: o.integer(10))
            kernels.pointee.live.live_move(&move)
        },
        reference: { o in
            let past: Grid<Int16> = o.grid(0), doubt: Grid<UInt8> = o.grid(1), cells: Int = o.integer(3)
            let motion: [Int16] = o.samples(5), share: [UInt16] = o.samples(6)
            var out: Grid<Int16> = o.grid(8), outDoubt: Grid<UInt8> = o.grid(9)
            for y in 0..<o.integer(4) {
                for x in 0..<(cells + 1) / 2 * 16 {
                    let cell = min(x / 8, cells - 1)
                    (out[x, y], outDoubt[x, y]) =
                        share[cell] == 0
                        ? (0, 255)
                        : Reference.moved(
                            past, doubt, x: x, y: y, by: (Int(motion[2 * cell]), Int(motion[2 * cell + 1])),
                            fade: o.integer(7))
                }
            }
            o.store(out, 8)
            o.store(outDoubt, 9)
        })

    static let liveSpread = KernelCase(
        "live_spread", shapes: blocks.map { Shape(width: $0.width, height: 8, stride: $0.width + 5) },
        workload: Shape(width: 1280, height: 8, stride: 1344), samples: 1280 * 8,
        operands: { shape in
            var wider = shape
            wider.width += 1
            return [
                .inputPlane(UInt8.self, shape), .integer(shape.stride),
                .inputPlane(Int16.self, wider, in: remembered), .integer(wider.stride), .integer(shape.width / 16),
                .output(Int32.self, 6 * (shape.width / 16)),
            ]
        },
        call: { kernels, o in
            kernels.pointee.live.live_spread(
                o.pointer(0), o.integer(1), o.pointer(2), o.integer(3), o.integer(4), o.pointer(5))
        },
        reference: { o in
            let frame: Grid<UInt8> = o.grid(0), moved: Grid<Int16> = o.grid(2)
            o.store((0..<2 * o.integer(4)).flatMap { Reference.liveSpread(frame, moved, x: 8 * $0) }, 5)
        })

    static let liveSquares = KernelCase(
        "live_squares", shapes: blocks,
        operands: { shape in
            [
                .input(UInt8.self, shape.width), .input(Int16.self, shape.width, in: remembered),
                .input(Int16.self, shape.width / 8, in: 100...32767), .integer(shape.width / 16),
                .output(UInt16.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.live.live_squares(o.pointer(0), o.pointer(1), o.pointer(2), o.integer(3), o.pointer(4))
        },
        reference: { o in
            let frame: [UInt8] = o.samples(0), moved: [Int16] = o.samples(1), scale: [Int16] = o.samples(2)
            o.store(frame.indices.map { Reference.liveSquare(frame[$0], moved[$0], scale: scale[$0 / 8]) }, 4)
        })

    /// Variants: squares as of noise, and any.
    static let liveBlend = KernelCase(
        "live_blend", shapes: blocks.variants(2), workload: Shape(width: 1280, variant: 0),
        operands: { shape in
            // A block more on either side.
            let all = (0..<5).map { _ in
                Operand.input(UInt16.self, shape.width + 32, in: 0...(shape.variant == 0 ? 200 : 6400)).beginning(
                    at: 16)
            }
            return all + [
                .input(UInt8.self, shape.width), .input(Int16.self, shape.width, in: remembered),
                .input(UInt8.self, shape.width).opposite, .input(UInt16.self, shape.width / 8, in: 0...3825),
                .integer(shape.width / 16), .real(1.3), .real(2.5), .real(1 / 16),
                .scratch(UInt16.self, shape.width + 32), .output(Int16.self, shape.width),
                .output(UInt8.self, shape.width),
            ]
        },
        call: { kernels, o in
            func row(_ place: Int) -> UnsafePointer<UInt16> {
                UnsafePointer(o.pointer(place) as UnsafeMutablePointer<UInt16>)
            }
            var blend = fusion_live_blend_parameters(
                squares: (row(0), row(1), row(2), row(3), row(4)), frame: o.pointer(5), moved: o.pointer(6),
                doubt: o.pointer(7), excess: o.pointer(8), blocks: o.integer(9), full: o.real(10), none: o.real(11),
                least: o.real(12), sums: o.pointer(13), out: o.pointer(14), out_doubt: o.pointer(15))
            kernels.pointee.live.live_blend(&blend)
        },
        reference: { o in
            let squares: [[UInt16]] = (0..<5).map { o.samples($0) }
            let frame: [UInt8] = o.samples(5), moved: [Int16] = o.samples(6), doubt: [UInt8] = o.samples(7)
            let excess: [UInt16] = o.samples(8)
            let blended = frame.indices.map { i in
                Reference.liveBlend(
                    frame[i], moved[i], doubt: doubt[i], excess: excess[i / 8],
                    box: Reference.liveBox { squares[$1 + 2][16 + i + $0] },
                    full: o.real(10), none: o.real(11), least: o.real(12))
            }
            o.store(blended.map(\.sample), 14)
            o.store(blended.map(\.doubt), 15)
        })

    /// Variants: nothing is smoothed, some blocks are, and all are.
    static let liveFinish = KernelCase(
        "live_finish", shapes: blocks.variants(3), workload: Shape(width: 1280, variant: 2),
        operands: { shape in
            [
                .inputPlane(Int16.self, shape, margin: 2, in: remembered), .integer(shape.width + 4),
                .input(UInt8.self, shape.width), .input(Int16.self, shape.width / 8, in: 100...16384),
                .integer(shape.width / 16), .integer([256, 250, 0][shape.variant]), .real(shape.variant == 1 ? 4 : 2.5),
                .output(UInt8.self, shape.width),
            ]
        },
        call: { kernels, o in
            var finish = fusion_live_finish_parameters(
                past: o.pointer(0), stride: o.integer(1), doubt: o.pointer(2), scale: o.pointer(3),
                blocks: o.integer(4), least_doubt: o.integer(5), reach: o.real(6), out: o.pointer(7))
            kernels.pointee.live.live_finish(&finish)
        },
        reference: { o in
            let past: Grid<Int16> = o.grid(0), doubt: [UInt8] = o.samples(2), scale: [Int16] = o.samples(3)
            let least: Int = o.integer(5)
            o.store(
                doubt.indices.map { i in
                    let first = i / 16 * 16
                    return Reference.liveFinish(
                        { past[i + $0, $1] }, doubt: doubt[i], scale: scale[i / 8],
                        isSmoothed: Int(doubt[first..<first + 16].max()!) >= least, reach: o.real(6))
                }, 7)
        })
}
