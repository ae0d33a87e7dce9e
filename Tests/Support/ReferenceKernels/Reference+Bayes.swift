// SPDX-License-Identifier: MIT
// Denoises groups of similar patches by their covariance in a pilot.

import LivecapCFusionKernels

extension Reference {
    /// Solves (C + N) x = y for each of `columns`, by the factors L D L'. Only the part right of the diagonal is
    /// read.
    private static func solve(_ matrix: [[Float]], least: Float, _ columns: [[Float]]) -> [[Float]] {
        let count = matrix.count
        var a = matrix
        var reciprocal: [Float] = []
        for k in 0..<count {
            reciprocal.append(1 / max(a[k][k], least))
            let factors = a[k].map { $0 * reciprocal[k] }
            for i in k + 1..<max(count, k + 1) {
                for column in i..<count { a[i][column] -= a[k][column] * factors[i] }
            }
            a[k] = factors
        }
        return columns.map { column in
            var x = column
            for i in 0..<count { for k in 0..<i { x[i] -= x[k] * a[k][i] } }
            for i in (0..<count).reversed() {
                x[i] *= reciprocal[i]
                for k in (i + 1..<max(count, i + 1)).reversed() { x[i] -= x[k] * a[i][k] }
            }
            return x
        }
    }

    package static func collaborateAgain(
        _ plane: Grid<Float>, pilot: Grid<Float>, at: [fusion_shift], covariance: [Float], variance: Float,
        sum: inout Grid<Float>, weight: inout Grid<Float>
    ) {
        let count = Float(at.count)
        func patches(_ plane: Grid<Float>) -> [[Float]] {
            at.map { shift in (0..<16).map { plane[Int(shift.x) + $0 % 4, Int(shift.y) + $0 / 4] } }
        }
        var known = patches(pilot)
        let mean = (0..<16).map { place in known.reduce(0) { $0 + $1[place] } * (1 / count) }
        func centred(_ patches: [[Float]]) -> [[Float]] { patches.map { zip($0, mean).map { $0 - $1 } } }
        known = centred(known)
        let noisy = centred(patches(plane))
        let matrix = (0..<16).map { row in
            (0..<16).map { column -> Float in
                let product = known.reduce(0) { $0 + $1[column] * $1[row] }
                return product * (0.75 / (count - 1)) + covariance[16 * row + column] * variance
            }
        }
        let solved = solve(matrix, least: 1e-3 * variance, noisy)
        for (member, shift) in at.enumerated() {
            let pilot = zip(known[member], mean).map { $0 + $1 }
            let found = (0..<16).map { place in
                let removed = (0..<16).reduce(0) { $0 + solved[member][$1] * covariance[16 * place + $1] }
                return noisy[member][place] + (mean[place] - removed * variance)
            }
            let believed = zip(found, pilot).allSatisfy { ($0 - $1) * ($0 - $1) <= 16 * 16 * variance }
            for (place, sample) in (believed ? found : pilot).enumerated() {
                let x = Int(shift.x) + place % 4, y = Int(shift.y) + place / 4
                sum[x, y] += sample
                weight[x, y] += 1
            }
        }
    }
}
