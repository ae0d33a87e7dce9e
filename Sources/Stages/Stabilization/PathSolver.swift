// SPDX-License-Identifier: MIT
// The smoothest path that stays near given points.

/// Finds the path through the next frames whose steps, and the changes of whose steps, are smallest (the sums of their
/// squares), and that is nowhere farther than a limit from where the frames are. A weak pull towards the frames brings
/// the path back to the middle of its room.
///
/// Unless the path without limits keeps them, it is found by the alternating direction method of multipliers: one
/// five-banded system is factorised, and solved as often as it takes. It owns its working memory.
struct PathSolver {
    /// The weights of steps, of their changes, and of distances.
    private static let step = 1.0, change = 20.0, pull = 0.0002
    /// The weight by which the method couples the path and its limited copy, and how often it is applied.
    private static let coupling = 0.05, rounds = 80
    /// For each frame, the matrix' diagonal and the two beside it, then the factors.
    private var diagonal: [Double]
    private var beside: [Double]
    private var beyond: [Double]
    private var right: [PathPoint]
    private var path: [PathPoint]
    private var limited: [PathPoint]
    private var debt: [PathPoint]

    /// Paths of at most `most` frames.
    init(most: Int) {
        diagonal = [Double](repeating: 0, count: most)
        beside = diagonal
        beyond = diagonal
        right = [PathPoint](repeating: .zero, count: most)
        path = right
        limited = right
        debt = right
    }

    /// Where the path is at the first of the frames that are at `points`. `last` is where it was at the frame before
    /// these, and `earlier` at the one before that, if there were such.
    mutating func first(
        _ points: ArraySlice<PathPoint>, within limit: PathPoint, last: PathPoint?, earlier: PathPoint?
    ) -> PathPoint {
        let count = points.count, start = points.startIndex
        build(points, last, earlier)
        factorise(count)
        solve(count, coupling: 0)
        let isFree = (0..<count).allSatisfy { path[$0] == path[$0].held(points[start + $0], limit) }
        guard !isFree else { return path[0] }
        build(points, last, earlier)
        for place in 0..<count {
            diagonal[place] += Self.coupling
            (limited[place], debt[place]) = (path[place].held(points[start + place], limit), .zero)
        }
        factorise(count)
        for _ in 0..<Self.rounds {
            solve(count, coupling: Self.coupling)
            for place in 0..<count {
                // A step too far makes the method faster.
                let far = 1.6 * path[place] - 0.6 * limited[place]
                limited[place] = (far + debt[place]).held(points[start + place], limit)
                debt[place] += far - limited[place]
            }
        }
        return path[0].held(points[start], limit)
    }

    /// The normal equations.
    private mutating func build(_ points: ArraySlice<PathPoint>, _ last: PathPoint?, _ earlier: PathPoint?) {
        for (place, point) in points.enumerated() {
            (diagonal[place], beside[place], beyond[place]) = (Self.pull, 0, 0)
            right[place] = Self.pull * point
        }
        for place in 0..<points.count {
            if place > 0 {
                diagonal[place] += Self.step
                diagonal[place - 1] += Self.step
                beside[place - 1] -= Self.step
            } else if let last {
                diagonal[0] += Self.step
                right[0] += Self.step * last
            }
            // The change is that of place, less twice that of the one before, plus that of the one before that.
            if place > 1 {
                diagonal[place] += Self.change
                diagonal[place - 1] += 4 * Self.change
                diagonal[place - 2] += Self.change
                beside[place - 1] -= 2 * Self.change
                beside[place - 2] -= 2 * Self.change
                beyond[place - 2] += Self.change
            } else if place == 1, let last {
                diagonal[1] += Self.change
                diagonal[0] += 4 * Self.change
                beside[0] -= 2 * Self.change
                right[1] -= Self.change * last
                right[0] += 2 * Self.change * last
            } else if place == 0, let last, let earlier {
                diagonal[0] += Self.change
                right[0] += Self.change * (2 * last - earlier)
            }
        }
    }

    /// Factors of the matrix: below the diagonal of the first one, 1 is implied.
    private mutating func factorise(_ count: Int) {
        for place in 0..<count {
            if place > 0 {
                diagonal[place] -= beside[place - 1] * beside[place - 1] * diagonal[place - 1]
                if place > 1 { diagonal[place] -= beyond[place - 2] * beyond[place - 2] * diagonal[place - 2] }
                beside[place] -= beside[place - 1] * beyond[place - 1] * diagonal[place - 1]
            }
            beside[place] /= diagonal[place]
            beyond[place] /= diagonal[place]
        }
    }

    /// Solves the system, with the path coupled to its limited copy.
    private mutating func solve(_ count: Int, coupling: Double) {
        for place in 0..<count {
            path[place] = right[place] + coupling * (limited[place] - debt[place])
            if place > 0 { path[place] -= beside[place - 1] * path[place - 1] }
            if place > 1 { path[place] -= beyond[place - 2] * path[place - 2] }
        }
        for place in stride(from: count - 1, through: 0, by: -1) {
            path[place] /= diagonal[place]
            if place + 1 < count { path[place] -= beside[place] * path[place + 1] }
            if place + 2 < count { path[place] -= beyond[place] * path[place + 2] }
        }
    }
}

extension PathPoint {
    /// The nearest point that is no farther from another than a limit.
    fileprivate func held(_ point: PathPoint, _ limit: PathPoint) -> PathPoint {
        clamped(lowerBound: point - limit, upperBound: point + limit)
    }
}
