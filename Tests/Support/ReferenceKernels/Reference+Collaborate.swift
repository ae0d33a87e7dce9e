// SPDX-License-Identifier: MIT
// Denoises groups of similar patches together, for the pilot.

import LivecapCFusionKernels

extension Reference {
    package static func widenRow(_ row: [Int16]) -> [Float] { row.map { Float($0) / 64 } }

    package static func quotientRow(_ sum: [Float], _ weight: [Float]) -> [Float] { zip(sum, weight).map { $0 / $1 } }

    package static func narrowRow(_ row: [Float]) -> [UInt16] {
        row.map { $0.isNaN ? 0 : UInt16(max(0, min($0 * 256 + 0.5, 255 * 256))) }
    }

    package static func quarterRow(_ upper: [Float], _ lower: [Float]) -> [Float] {
        (0..<upper.count / 2).map { i in
            let (a, b) = (upper[2 * i] + upper[2 * i + 1], lower[2 * i] + lower[2 * i + 1])
            return (a + b) * 0.25
        }
    }

    /// For eight patches 8 samples apart, starting at (0, 0), the indices of the `kept` shifts to the patches most
    /// similar to each.
    package static func patchesLike(
        _ plane: Grid<Float>, side: Int, shifts: [fusion_shift], kept: Int
    ) -> [UInt16] {
        let ranked = (0..<8).map { patch in
            shifts.enumerated().map { number, shift -> UInt32 in
                func column(_ x: Int) -> Float {
                    (0..<side).reduce(0) { sum, y in
                        let place = 8 * patch + x
                        let difference = plane[place, y] - plane[place + Int(shift.x), y + Int(shift.y)]
                        return sum + difference * difference
                    }
                }
                func columns(_ x: Int) -> Float { side == 8 ? column(x) + column(x + 4) : column(x) }
                let sum = (columns(0) + columns(1)) + (columns(2) + columns(3))
                return sum.bitPattern & ~511 | UInt32(number)
            }.sorted()
        }
        return (0..<kept).flatMap { rank in (0..<8).map { UInt16(ranked[$0][rank] & 511) } }
    }

    private static func transposed(_ block: [Float]) -> [Float] { (0..<64).map { block[$0 % 8 * 8 + $0 / 8] } }

    /// Sums and differences along a group of blocks: an unnormalised Walsh-Hadamard transform.
    private static func along(_ group: [[Float]]) -> [[Float]] {
        var group = group
        var apart = 1
        while apart < group.count {
            for i in group.indices where i & apart == 0 {
                let (a, b) = (group[i], group[i + apart])
                group[i] = zip(a, b).map { $0 + $1 }
                group[i + apart] = zip(a, b).map { $0 - $1 }
            }
            apart *= 2
        }
        return group
    }

    /// The variance of the noise in each sum or difference, for each coefficient.
    private static func expected(_ at: [fusion_shift], lags: [Float], variance: Float) -> [[Float]] {
        let count = at.count, most = Int(FUSION_LAGS)
        var sums = [[Float]](repeating: [Float](repeating: 0, count: 64), count: count)
        sums[0] = lags[..<64].map { $0 * 0.5 * Float(count) }
        for i in 0..<count {
            for j in i + 1..<count {
                let x = abs(Int(at[i].x) - Int(at[j].x)), y = abs(Int(at[i].y) - Int(at[j].y))
                guard x < most, y < most else { continue }
                for k in 0..<64 { sums[i ^ j][k] += lags[64 * (y * most + x) + k] }
            }
        }
        return along(sums).map { sums in
            sums.enumerated().map { k, sum in
                max(sum * (2 * variance), lags[k] * (0.02 * Float(count) * variance))
            }
        }
    }

    /// The noise of a patch, and the share of texture to keep in a group.
    package struct Shrinkage {
        let lags: [Float], texture: [Float], variance: Float
        package init(lags: [Float], texture: [Float], variance: Float) {
            (self.lags, self.texture, self.variance) = (lags, texture, variance)
        }
    }

    package static func collaborate(
        _ plane: Grid<Float>, at: [fusion_shift], _ shrinkage: Shrinkage, sum: inout Grid<Float>,
        weight: inout Grid<Float>
    ) {
        let window: [Float] = [0.43867628, 0.68132426, 0.87683991, 0.98582251]
        let unscaled: [Float] = [1, 0.519783, 0.585786, 0.723231, 1, 1.619914, 3.414214, 13.137071]
        var group = along(
            at.map { shift in
                let samples = (0..<64).map { plane[Int(shift.x) + $0 % 8, Int(shift.y) + $0 / 8] }
                return eachRow(transposed(eachRow(samples, cosineForward)), cosineForward)
            })
        let noise = expected(at, lags: shrinkage.lags, variance: shrinkage.variance)
        let mean = group[0][0]
        var left = [Float](repeating: 0, count: 8)
        for k in 0..<8 {
            for lane in 0..<8 {
                var column: Float = 0
                for i in group.indices {
                    let c = group[i][8 * k + lane], noise = noise[i][8 * k + lane]
                    let gain = c * c > noise * (2.8 * 2.8) ? 1 : shrinkage.texture[8 * k + lane]
                    group[i][8 * k + lane] = c * gain
                    column += noise * (gain * gain)
                }
                left[lane] += column * (unscaled[lane] * unscaled[k])
            }
        }
        group[0][0] = mean
        let remaining = ((left[0] + left[4]) + (left[2] + left[6])) + ((left[1] + left[5]) + (left[3] + left[7]))
        let trust = 1 / (remaining * (1 / 1024) + 0.02 * shrinkage.variance)
        for (shift, block) in zip(at, along(group)) {
            let samples = eachRow(transposed(eachRow(block, cosineInverse)), cosineInverse)
            for place in 0..<64 {
                let x = place % 8, y = place / 8
                let share = window[min(x, 7 - x)] * window[min(y, 7 - y)]
                sum[Int(shift.x) + x, Int(shift.y) + y] += samples[place] * (share * (trust * (1 / 1024)))
                weight[Int(shift.x) + x, Int(shift.y) + y] += share * trust
            }
        }
    }
}
