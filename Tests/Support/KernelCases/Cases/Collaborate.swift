// SPDX-License-Identifier: MIT
// Cases of the kernels that denoise groups of similar patches together.

import LivecapCFusionKernels
import LivecapReferenceKernels

extension KernelCase {
    private static let codes: ClosedRange<Float> = 0...255
    /// The largest distance between the patches in these cases.
    private static let reach = 6
    /// All shifts of up to `reach`, starting with (0, 0).
    private static let shifts: [fusion_shift] = {
        let all = (-reach...reach).flatMap { y in (-reach...reach).map { fusion_shift(x: Int16($0), y: Int16(y)) } }
        return all.sorted { abs($0.x) + abs($0.y) < abs($1.x) + abs($1.y) }
    }()
    private static let variances: [Float] = [0.5, 6, 200]

    static let widenRow = KernelCase(
        "widen_row",
        operands: { shape in
            [.input(Int16.self, shape.width), .integer(shape.width), .output(Float.self, shape.width)]
        },
        call: { kernels, o in kernels.pointee.patches.widen_row(o.pointer(0), o.integer(1), o.pointer(2)) },
        reference: { o in o.store(Reference.widenRow(o.samples(0)), 2) })

    static let quotientRow = KernelCase(
        "quotient_row",
        operands: { shape in
            [
                .input(Float.self, shape.width), .input(Float.self, shape.width, in: 0.001...300),
                .integer(shape.width), .output(Float.self, shape.width),
            ]
        },
        call: { kernels, o in
            kernels.pointee.patches.quotient_row(o.pointer(0), o.pointer(1), o.integer(2), o.pointer(3))
        },
        reference: { o in o.store(Reference.quotientRow(o.samples(0), o.samples(1)), 3) })

    /// The second variant contains NaN, infinities, and values far from any code.
    static let narrowRow = KernelCase(
        "narrow_row", shapes: Shape.rows.variants(2),
        operands: { shape in
            let beyond: [Float] = [.nan, 40, .infinity, -.nan, -.infinity, 1e30, -1e30]
            let row =
                shape.variant == 0
                ? Operand.input(Float.self, shape.width, in: -20...280)
                : .input((0..<shape.width).map { beyond[$0 % beyond.count] })
            return [row, .integer(shape.width), .output(UInt16.self, shape.width)]
        },
        call: { kernels, o in kernels.pointee.patches.narrow_row(o.pointer(0), o.integer(1), o.pointer(2)) },
        reference: { o in o.store(Reference.narrowRow(o.samples(0)), 2) })

    static let quarterRow = KernelCase(
        "quarter_row", workload: Shape(width: 640),
        operands: { shape in
            let row = Operand.input(Float.self, 2 * shape.width, in: codes)
            return [row, row, .integer(shape.width), .output(Float.self, shape.width)]
        },
        call: { kernels, o in
            kernels.pointee.patches.quarter_row(o.pointer(0), o.pointer(1), o.integer(2), o.pointer(3))
        },
        reference: { o in o.store(Reference.quarterRow(o.samples(0), o.samples(1)), 3) })

    static let patchesLike8 = patchesLike("patches_like8", side: 8, kept: Int(FUSION_GROUP8)) { kernels, o in
        kernels.pointee.patches.patches_like8(o.pointer(0), o.integer(1), o.pointer(2), o.integer(3), o.pointer(4))
    }

    static let patchesLike4 = patchesLike("patches_like4", side: 4, kept: Int(FUSION_GROUP4)) { kernels, o in
        kernels.pointee.patches.patches_like4(o.pointer(0), o.integer(1), o.pointer(2), o.integer(3), o.pointer(4))
    }

    /// Variants: how many shifts there are to choose from.
    private static func patchesLike(
        _ name: String, side: Int, kept: Int,
        call: @escaping @Sendable (UnsafePointer<fusion_kernels>, Operands) -> Void
    ) -> KernelCase {
        KernelCase(
            name, shapes: [Shape(width: side == 8 ? 64 : 60, height: side)].variants(2),
            workload: Shape(width: side == 8 ? 64 : 60, height: side, variant: 1), samples: 8 * 16,
            operands: { shape in
                let offered = shape.variant == 0 ? Array(shifts[..<kept]) : shifts
                let plane = Operand.inputPlane(Float.self, shape, margin: reach, in: codes)
                return [
                    plane, .integer(plane.stride), .input(offered), .integer(offered.count),
                    .output(UInt16.self, 8 * kept),
                ]
            },
            call: call,
            reference: { o in
                o.store(Reference.patchesLike(o.grid(0), side: side, shifts: o.samples(2), kept: kept), 4)
            })
    }

    /// The shifts to the patches chosen for one patch.
    private static func chosen(_ o: Operands, _ shifts: Int, _ places: Int) -> [fusion_shift] {
        let offered: [fusion_shift] = o.samples(shifts), places: [UInt16] = o.samples(places)
        return stride(from: 0, to: places.count, by: 8).map { offered[Int(places[$0])] }
    }

    /// Sums, large enough for patches within reach to be added.
    private static func sums(_ shape: Shape) -> Operand {
        let (across, down) = (shape.width + 2 * reach, shape.height + 2 * reach)
        var operand = Operand.output(Float.self, across * down, in: 0...1000)
        operand.origin = reach * across + reach
        operand.stride = across
        return operand
    }

    /// Variants: the variance of the noise.
    static let collaborate = KernelCase(
        "collaborate", shapes: [Shape(width: 8, height: 8)].variants(3),
        workload: Shape(width: 8, height: 8, variant: 1), samples: 16,
        operands: { shape in
            let plane = Operand.inputPlane(Float.self, shape, margin: reach, in: codes)
            let lags = Int(FUSION_LAGS)
            return [
                plane, .integer(plane.stride), .input(shifts),
                .input(UInt16.self, 8 * (Int(FUSION_GROUP8) - 1) + 1, in: 0...UInt16(shifts.count - 1)),
                .input(Float.self, 64 * lags * lags, in: 0.1...64), .input(Float.self, 64, in: 0...0.7),
                .real(variances[shape.variant]), sums(shape), sums(shape),
            ]
        },
        call: { kernels, o in
            var group = fusion_group8_parameters(
                plane: o.pointer(0), stride: o.integer(1), shifts: o.pointer(2), chosen: o.pointer(3),
                lags: o.pointer(4), texture: o.pointer(5), variance: o.real(6), sum: o.pointer(7), weight: o.pointer(8))
            kernels.pointee.patches.collaborate(&group)
        },
        reference: { o in
            var sum: Grid<Float> = o.grid(7), weight: Grid<Float> = o.grid(8)
            let shrinkage = Reference.Shrinkage(lags: o.samples(4), texture: o.samples(5), variance: o.real(6))
            Reference.collaborate(o.grid(0), at: chosen(o, 2, 3), shrinkage, sum: &sum, weight: &weight)
            o.store(sum, 7)
            o.store(weight, 8)
        })

    /// The covariance of noise whose correlation halves from sample to sample, in rows of 16.
    private static let covariance: [Float] = (0..<16 * 16).map { place in
        let (i, j) = (place / 16, place % 16)
        return 1 / Float(1 << (abs(i / 4 - j / 4) + abs(i % 4 - j % 4))) + (i == j ? 0.02 : 0)
    }

    /// Not a valid covariance: the covariance between samples of a row exceeds their variances, so factoring it gives
    /// meaningless results.
    private static let impossible: [Float] = (0..<16 * 16).map { place in
        let (i, j) = (place / 16, place % 16)
        return i / 4 != j / 4 ? 0 : i == j ? 1.02 : 1.3
    }

    /// Variants: the variance of the noise; the last one has an invalid covariance.
    static let collaborateAgain = KernelCase(
        "collaborate_again", shapes: [Shape(width: 4, height: 4)].variants(variances.count + 1),
        workload: Shape(width: 4, height: 4, variant: 1), samples: 16,
        operands: { shape in
            let plane = Operand.inputPlane(Float.self, shape, margin: reach, in: codes)
            return [
                plane, plane, .integer(plane.stride), .input(shifts),
                .input(UInt16.self, 8 * (Int(FUSION_GROUP4) - 1) + 1, in: 0...UInt16(shifts.count - 1)),
                .input(shape.variant < variances.count ? covariance : impossible),
                .real(variances[min(shape.variant, variances.count - 1)]), sums(shape), sums(shape),
            ]
        },
        call: { kernels, o in
            var group = fusion_group4_parameters(
                plane: o.pointer(0), pilot: o.pointer(1), stride: o.integer(2), shifts: o.pointer(3),
                chosen: o.pointer(4), covariance: o.pointer(5), variance: o.real(6), sum: o.pointer(7),
                weight: o.pointer(8))
            kernels.pointee.patches.collaborate_again(&group)
        },
        reference: { o in
            var sum: Grid<Float> = o.grid(7), weight: Grid<Float> = o.grid(8)
            Reference.collaborateAgain(
                o.grid(0), pilot: o.grid(1), at: chosen(o, 3, 4), covariance: o.samples(5), variance: o.real(6),
                sum: &sum, weight: &weight)
            o.store(sum, 7)
            o.store(weight, 8)
        })
}
