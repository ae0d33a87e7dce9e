// SPDX-License-Identifier: MIT
// Sums over the differences of several frames in one cell.

extension Reference {
    /// The four sums over a cell of 8x8 samples, 64 differences for each frame.
    package static func spreadSums(_ difference: [Int16], reference: [Int16], most: Int) -> [Int64] {
        let frames = difference.count / 64
        let each = (0..<64).map { sample in (0..<frames).map { Int(difference[64 * $0 + sample]) } }
        let held = each.map { $0.map { Swift.min(Swift.max($0, -most), most) } }
        let pictures = each.indices.map { each[$0].reduce(0, +) + frames * Int(reference[$0]) }
        func fine(step: Int, line: Int) -> Int {
            (0..<8).reduce(0) { sum, y in
                (2..<6).reduce(sum) { sum, x in
                    let taps = zip(-2...2, [1, -4, 6, -4, 1])
                    let detail = taps.reduce(0) { $0 + $1.1 * pictures[y * line + (x + $1.0) * step] }
                    return sum + detail * detail
                }
            }
        }
        /// 64 times the squared distances of 64 values from their mean.
        func spread(_ values: [Int]) -> Int {
            64 * values.reduce(0) { $0 + $1 * $1 } - values.reduce(0, +) * values.reduce(0, +)
        }
        let squares = (0..<frames).reduce(0) { sum, frame in sum + spread(held.map { $0[frame] }) }
        return [squares, spread(held.map { $0.reduce(0, +) }), fine(step: 1, line: 8), fine(step: 8, line: 1)].map {
            Int64($0)
        }
    }
}
