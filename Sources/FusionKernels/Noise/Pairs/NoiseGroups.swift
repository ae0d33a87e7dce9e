// SPDX-License-Identifier: MIT
// Squares of a pair of frames in groups of similar brightness, and the noise that each group shows.

/// Sorts squares by brightness into groups of equal size, and finds the variance of each group's noise. It owns its
/// working memory.
final class NoiseGroups {
    /// The maximum number of groups.
    private static let maxGroups = 16
    /// The least number of squares in a group if there are several.
    private static let fewestSquares = 48
    /// The range of brightness, in codes, that each group must span on average. Squares of one brightness have one
    /// noise, so splitting them further would gain nothing.
    private static let leastRange = 3

    /// A group's brightness in codes, and what its noise is taken to be.
    struct Group: BitwiseCopyable {
        var brightness: Float = 0
        var noise = BoundedEstimate(0)
        var isTextured = false
        /// The squares at the lowest tenth, quarter and half, ordered by variance.
        var tenth = BurstSquares.Square(), quarter = BurstSquares.Square(), half = BurstSquares.Square()
        /// The variance of its calm samples, in squared codes, where it is far below that of all its samples; otherwise
        /// infinite.
        var calm = Float.infinity
    }

    private let squares: BurstSquares
    /// The bounds in force.
    private let bounds: NoiseBounds
    /// The squares in order of brightness, group by group: in each number, the sort key is in the upper 32 bits and
    /// the square's index in the lower ones. Integers sort faster than squares.
    private let order = Scratch<UInt64>(BurstSquares.capacity, filledWith: 0)
    /// How many of the squares are in `order`.
    private var used = 0
    private let groups = Scratch<Group>(NoiseGroups.maxGroups, filledWith: Group())
    private let lows = Scratch<Float>(NoiseGroups.maxGroups, filledWith: 0)
    /// The number of groups.
    private(set) var count = 0

    init(_ squares: BurstSquares, _ bounds: NoiseBounds) {
        self.squares = squares
        self.bounds = bounds
    }

    var indices: Range<Int> { 0..<count }

    subscript(group: Int) -> Group {
        get { groups[group] }
        set { groups[group] = newValue }
    }

    /// Sorts the squares into groups, besides those of whose samples more than an eighth are clipped at `codes`: they
    /// have less noise than others of their brightness. If fewer than `fewest` are left, they count all the same.
    func sort(_ plane: SamplePlane, besides codes: ClippedCodes?, fewest: Int) {
        used = gather(plane, besides: codes)
        if used < fewest { used = gather(plane, besides: nil) }
        var order = UnsafeMutableBufferPointer(start: order.base, count: used)
        order.sort()
        let range = (Int(order[used - 1] >> 32) - Int(order[0] >> 32)) / 4096
        count = max(1, min(Self.maxGroups, used / Self.fewestSquares, range / Self.leastRange))
        for group in indices { groups[group] = sorted(group) }
    }

    /// Sorts the squares of a group by their variances.
    private func sorted(_ group: Int) -> Group {
        var members = members(of: group), result = Group()
        for index in members.indices {
            let place = members[index] & 0xFFFF_FFFF
            members[index] = UInt64(squares[Int(place)].variance.bitPattern) << 32 | place
        }
        members.sort()
        var (sum, number) = (Float(0), Float(0))
        for index in 0..<max(1, members.count / 2) {
            sum += square(members[index]).brightness
            number += 1
        }
        result.brightness = sum / number
        result.tenth = square(members[members.count / 10])
        result.quarter = square(members[members.count / 4])
        result.half = square(members[members.count / 2])
        return result
    }

    /// Writes the squares to `order`. Returns their number.
    private func gather(_ plane: SamplePlane, besides codes: ClippedCodes?) -> Int {
        let most = MovedSquare.side * MovedSquare.side
        var count = 0
        for index in 0..<squares.count {
            if let codes, 8 * clipped(squares[index], plane, codes) > most { continue }
            order[count] = UInt64(squares[index].brightness * 4096) << 32 | UInt64(index)
            count += 1
        }
        return count
    }

    /// How many samples of a square are clipped.
    private func clipped(_ square: BurstSquares.Square, _ plane: SamplePlane, _ codes: ClippedCodes) -> Int {
        var marks = SIMD2<UInt64>.zero
        for y in 0..<MovedSquare.side {
            let row = UnsafeRawPointer(plane.row(Int(square.y) + y) + Int(square.x))
            marks &+= codes.marks(row.loadUnaligned(as: SIMD2<UInt64>.self))
        }
        return ClippedCodes.sum(marks.x) + ClippedCodes.sum(marks.y)
    }

    /// The squares of a group, as elements of `order`.
    private func members(of group: Int) -> UnsafeMutableBufferPointer<UInt64> {
        let (first, end) = (group * used / count, (group + 1) * used / count)
        return UnsafeMutableBufferPointer(start: order.base + first, count: end - first)
    }

    /// The square whose index is in the lower half of a number.
    private func square(_ number: UInt64) -> BurstSquares.Square { squares[Int(number & 0xFFFF_FFFF)] }

    /// Calls `body` for about `most` of a group's quiet squares, at least `apart` places from each other, after
    /// skipping the `first`. The quiet ones are neither the lowest tenth, which may be clipped, nor the upper 60 %,
    /// which may have texture.
    func forEachQuiet(
        in group: Int, from first: Int = 0, most: Int, apart least: Int = 1, _ body: (BurstSquares.Square) -> Void
    ) {
        let members = members(of: group), quiet = members.count / 10..<members.count * 4 / 10
        let apart = max(least, quiet.count / max(1, most))
        for index in stride(from: quiet.lowerBound + first, to: quiet.upperBound, by: apart) {
            body(square(members[index]))
        }
    }

    // MARK: Bounds

    /// Limits the variance of textured groups, whose quietest squares may still hold texture, by that of each clean
    /// group.
    func holdTexture() {
        for group in indices where groups[group].isTextured {
            for clean in indices where !groups[clean].isTextured {
                let (here, there) = (max(1, groups[group].brightness), max(1, groups[clean].brightness))
                groups[group].noise.limit(
                    to: groups[clean].noise.value * NoiseLimit.growth(from: there, to: here), by: .cleanGroups,
                    of: bounds)
            }
        }
    }

    /// Removes peaks: variances above those of the groups on both sides, within two groups.
    func cutSpikes() {
        func near(_ group: Int) -> ClosedRange<Int> { max(0, group - 2)...min(count - 1, group + 2) }
        for group in indices {
            lows[group] = near(group).reduce(.infinity) { min($0, groups[$1].noise.value) }
        }
        for group in indices {
            groups[group].noise.limit(
                to: near(group).reduce(0) { max($0, lows[$1]) }, by: .neighbouringGroups, of: bounds,
                tolerance: NoiseLimit.peakTolerance)
        }
    }

    /// Writes the variance at each brightness: straight lines between the groups, and beyond them what the first and
    /// the last have.
    func write(into model: inout NoiseModel) {
        model.decidedBy = []
        for group in indices { groups[group].noise.decidedBy.map { model.decidedBy.insert($0) } }
        func variance(_ group: Int) -> Float { max(NoiseModel.leastVariance, groups[group].noise.value) }
        for group in 0...count {
            let (before, behind) = (max(0, group - 1), min(group, count - 1))
            model.draw(
                from: (group == 0 ? 0 : groups[before].brightness, variance(before)),
                to: (group == count ? Float(NoiseModel.levels) : groups[behind].brightness, variance(behind)))
        }
        model.isTextured = 2 * indices.count { groups[$0].isTextured } > count
        model.seen = Int(groups[0].brightness)...Int(groups[count - 1].brightness)
    }
}

extension NoiseModel {
    /// Draws a straight line of variance from one brightness to another.
    mutating func draw(
        from: (brightness: Float, variance: Float), to: (brightness: Float, variance: Float)
    ) {
        let first = Int(from.brightness.rounded(.up)), last = min(Self.levels, Int(to.brightness.rounded(.up)))
        let slope = (to.variance - from.variance) / max(1e-3, to.brightness - from.brightness)
        for code in max(0, first)..<max(0, first, last) {
            variance[code] = from.variance + (Float(code) - from.brightness) * slope
        }
    }
}
