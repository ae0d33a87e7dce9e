// SPDX-License-Identifier: MIT
// Chooses the tiles of a single frame from which its noise is measured: those where the picture is even.

/// Chooses tiles of 8x8 samples, for each range of brightness. It owns its working memory.
///
/// Tiles are taken in pairs of horizontal neighbours of similar brightness. If one of the two is among the most even
/// tiles of its brightness, the other is chosen. A tile is thus never chosen because its own noise happens to be weak,
/// which would make the estimate too low.
final class EvenTiles {
    /// The number of ranges of brightness.
    static let ranges = 12
    /// The maximum number of tiles chosen per range; and the minimum number of pairs for a range to be used.
    static let most = 64
    private static let fewestPairs = 24
    /// The minimum spread (4096 times the variance) of a sensor's tile: a variance of 1/50 of a squared code, less
    /// than rounding alone produces. A tile below it is a drawing or clipped.
    private static let leastSpread: UInt32 = 82
    /// How far apart the brightness of a pair may be, in codes.
    private static let alike = 12
    /// Steps of spread in the histogram, eight per octave.
    private static let steps = 256

    /// A pair of tiles: the index of the one to choose, and the histogram bin (range and step of spread) of its
    /// neighbour, which is judged.
    private struct Pair {
        let tile: Int32
        /// An index into `counts`.
        let bin: Int32
    }

    /// Which pairs of a range to choose, and how many were chosen so far.
    private struct Choice {
        /// The step of spread up to which a tile counts as even.
        var limit = -1
        /// One in `each` even pairs is chosen; `untilNext` counts down to the next one.
        var each = 1
        var untilNext = 0
        var count = 0
    }

    /// Grows to fit the largest plane so far.
    private var pairs = Scratch<Pair>(0, filledWith: Pair(tile: 0, bin: 0))
    /// The histogram: for each range, how many pairs have a judged tile with each step of spread.
    private let counts = Scratch<Int32>(ranges * steps, filledWith: 0)
    private let choices = Scratch<Choice>(ranges, filledWith: Choice())
    /// For each range, the indices of its tiles.
    private let chosen = Scratch<Int32>(ranges * most, filledWith: 0)

    /// Chooses among the tiles of a plane.
    func choose(_ tiles: TileMeans) {
        let count = findPairs(tiles)
        for range in 0..<Self.ranges { choices[range] = evenest(range) }
        for pair in 0..<count { chooseIfEven(pairs.base[pair]) }
    }

    /// How many tiles of a range were chosen.
    func count(of range: Int) -> Int { choices[range].count }

    /// The index of a chosen tile. Those that are not to be used can be written over.
    subscript(range: Int, place: Int) -> Int {
        get { Int(chosen[range * Self.most + place]) }
        set { chosen[range * Self.most + place] = Int32(truncatingIfNeeded: newValue) }
    }

    /// Fills `pairs` and `counts`; returns the number of pairs. Whether two tiles form a pair is unpredictable, so
    /// every candidate is written without a branch, and overwritten if it is not a pair.
    private func findPairs(_ tiles: TileMeans) -> Int {
        let columns = tiles.width / TileMeans.tile & ~1, rows = tiles.height / TileMeans.tile
        let most = columns * ((rows + tiles.rowStep - 1) / tiles.rowStep) + 1
        if pairs.count < most { pairs = Scratch(most, filledWith: Pair(tile: 0, bin: 0)) }
        counts.fill(0)
        let (pairs, counts) = (pairs.base, counts.base)
        var count = 0
        for row in stride(from: 0, to: rows, by: tiles.rowStep) {
            let first = row * tiles.across
            let (brightness, spread) = (tiles.brightness.baseAddress! + first, tiles.spread.baseAddress! + first)
            for judged in 0..<columns {
                let other = judged ^ 1, code = Int(brightness[other])
                let bin = code &* Self.ranges / NoiseModel.levels &* Self.steps &+ Self.step(spread[judged])
                let isPair =
                    abs(Int(brightness[judged]) &- code) < Self.alike
                    && min(spread[judged], spread[other]) >= Self.leastSpread
                pairs[count] = Pair(
                    tile: Int32(truncatingIfNeeded: first &+ other), bin: Int32(truncatingIfNeeded: bin))
                count &+= isPair ? 1 : 0
                counts[bin] &+= isPair ? 1 : 0
            }
        }
        return count
    }

    @inline(__always)
    private static func step(_ spread: UInt32) -> Int {
        min(max(Int(Float(spread &+ 1).bitPattern >> 20) &- 127 &* 8, 0), steps &- 1)
    }

    /// Decides which of a range's pairs are even: the most even tenth, but at least a dozen.
    private func evenest(_ range: Int) -> Choice {
        let counts = counts.base + range * Self.steps
        var all = 0, even = 0, choice = Choice()
        for step in 0..<Self.steps { all += Int(counts[step]) }
        guard all >= Self.fewestPairs else { return choice }
        let wanted = max(all / 10, 12)
        for step in 0..<Self.steps where even < wanted {
            even += Int(counts[step])
            choice.limit = step
        }
        choice.each = (even + Self.most - 1) / Self.most
        return choice
    }

    @inline(__always)
    private func chooseIfEven(_ pair: Pair) {
        let bin = Int(pair.bin), range = bin / Self.steps, step = bin % Self.steps
        let choice = choices.base + range
        guard step <= choice.pointee.limit else { return }
        if choice.pointee.untilNext == 0 {
            chosen.base[range &* Self.most &+ choice.pointee.count] = pair.tile
            choice.pointee.count &+= 1
            choice.pointee.untilNext = choice.pointee.each
        }
        choice.pointee.untilNext &-= 1
    }
}
