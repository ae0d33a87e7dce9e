// SPDX-License-Identifier: MIT
// Measures how the light changed between two frames from row to row.

import LivecapFrames

/// Measures the light of rows. It owns its working memory.
final class RowLightMeter: @unchecked Sendable {
    /// Means that both frames show: their brightness as shares of white with the knee added, and their row of means in
    /// the other frame.
    struct Pairs {
        let own: UnsafePointer<Float>
        let other: UnsafePointer<Float>
        let row: UnsafePointer<Float>
        let count: Int
    }

    /// Fewer rows of means do not show how light swings: some three times while a frame is read.
    private static let fewestRows = 14
    /// The least range of gains worth applying. What differs by less, `LocalLight` takes off.
    private static let leastRange: Float = 0.05
    /// The most that may be left of the squared differences. Motion and parallax differ by row, too, but no light of
    /// rows explains them.
    private static let mostLeft: Float = 0.5
    /// The weight, in pairs of means, with which a row's gain is drawn towards those beside it, and a share towards 1.
    private static let pull: Float = 0.1
    /// The scatter about gains that are known only roughly, and the least that is believed, as shares of white.
    private static let firstScatter: Float = 0.03, leastScatter: Float = 0.006

    /// What sums of weights begin with, so that they can be divided by.
    private static let someWeight: Float = 1e-6
    /// What is as bright may be clipped, and shows no gain.
    private static let white: Float = 1

    private let rows: Int
    private let step: Int
    private let space: ColorSpace
    private let gains: Scratch<Float>
    private let last: Scratch<Float>
    /// By row: what gains would be, times their certainty, and their certainty.
    private let products: Scratch<Float>
    private let squares: Scratch<Float>

    /// For `rows` rows of means, each of which covers `step` rows of the frame.
    init(rows: Int, step: Int, _ space: ColorSpace) {
        self.rows = rows
        self.step = step
        self.space = space
        gains = Scratch(rows, filledWith: 0)
        last = Scratch(rows, filledWith: 0)
        products = Scratch(rows, filledWith: 0)
        squares = Scratch(rows, filledWith: 0)
    }

    /// What a pass over all pairs adds up to, besides `products` and `squares`.
    private struct Sums {
        /// By knot: what shares would be, times their certainty, and their certainty.
        var byShare = InlineArray<8, SIMD2<Float>>(repeating: .zero)
        var weights = RowLightMeter.someWeight
        /// The squared differences without the light of rows, and with it.
        var before: Float = 0, after: Float = 0

        /// The shares that these sums show.
        var shares: BrightnessShares {
            let certainty = byShare.indices.reduce(0) { $0 + byShare[$1].y }
            let usual = RowLightMeter.pull * certainty / weights + 1e-12
            var shares = BrightnessShares()
            for knot in byShare.indices { shares.atKnots[knot] = (byShare[knot].x + usual) / (byShare[knot].y + usual) }
            return shares
        }
    }

    /// Nil if there is no light worth applying.
    func measure(_ pairs: Pairs) -> RowLight? {
        guard rows >= Self.fewestRows else { return nil }
        gains.fill(0)
        let found = RowGains(base: gains.base, count: rows)
        // At first, all pairs count alike: the rows that differ most would be taken for what moved. Where there are no
        // lamps, this is all.
        guard concludeGains(weights: addAlike(pairs)), found.range >= Self.leastRange else { return nil }
        var (scatter, shares, sums) = (Self.firstScatter, BrightnessShares(), Sums())
        for _ in 0..<4 {
            sums = add(pairs, shares: shares, scatter: scatter)
            guard concludeGains(weights: sums.weights) else { return nil }
            shares = sums.shares
            scatter = max(Self.leastScatter, (sums.after / sums.weights).squareRoot())
        }
        guard found.range >= Self.leastRange, sums.after < Self.mostLeft * sums.before, found.areSwinging else {
            return nil
        }
        return RowLight(found, shares, step: step, space)
    }

    /// Adds up all pairs with the same weight, and as if each brightness showed all of a swing. Returns how many were
    /// added.
    private func addAlike(_ pairs: Pairs) -> Float {
        let (products, squares, lastRow) = (products.base, squares.base, rows - 1)
        products.update(repeating: 0, count: rows)
        squares.update(repeating: 0, count: rows)
        var weights = Self.someWeight
        for index in 0..<pairs.count {
            let (a, b) = (pairs.own[index], pairs.other[index])
            guard max(a, b) < Self.white else { continue }
            let row = min(max(0, pairs.row[index].nearest), lastRow), middle = (a + b) / 2
            products[row] += (a - b) * middle
            squares[row] += middle * middle
            weights += 1
        }
        return weights
    }

    private func add(_ pairs: Pairs, shares: BrightnessShares, scatter: Float) -> Sums {
        let (gains, products, squares, lastRow) = (gains.base, products.base, squares.base, rows - 1)
        products.update(repeating: 0, count: rows)
        squares.update(repeating: 0, count: rows)
        var sums = Sums()
        let scale = 1 / (4 * scatter * scatter)
        for index in 0..<pairs.count {
            let (a, b) = (pairs.own[index], pairs.other[index])
            guard max(a, b) < Self.white else { continue }
            let row = min(max(0, pairs.row[index].nearest), lastRow)
            let middle = (a + b) / 2, (knot, part) = BrightnessShares.place(middle)
            let swing = middle * shares.at(middle)
            let (off, left) = (a - b, a - b - gains[row] * swing)
            // Places where something moved get less and less weight.
            let ratio = left * left * scale, weight = 1 / (1 + ratio * ratio)
            products[row] += weight * off * swing
            squares[row] += weight * swing * swing
            let full = gains[row] * middle, shown = weight * full * SIMD2(off, full)
            sums.byShare[knot] += (1 - part) * shown
            sums.byShare[knot + 1] += part * shown
            sums.weights += weight
            sums.before += weight * off * off
            sums.after += weight * left * left
        }
        return sums
    }

    /// Finds the gains that the sums show, drawn towards those beside them. Returns false if they show none.
    private func concludeGains(weights: Float) -> Bool {
        let (gains, products, squares) = (gains.base, products.base, squares.base)
        last.base.update(from: gains, count: rows)
        let before = RowGains(base: last.base, count: rows)
        var all: Float = 0
        for row in 0..<rows { all += squares[row] }
        let usual = Self.pull * all / weights
        guard usual > 0 else { return false }
        for row in 0..<rows { gains[row] = (products[row] + usual * before.beside(row)) / (squares[row] + usual) }
        return true
    }
}
