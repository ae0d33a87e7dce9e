// SPDX-License-Identifier: MIT
// The differences between another frame's samples, after motion, and the reference's.

extension Reference {
    /// The filter's taps, times 64, for a fraction in eighths of a sample. Fractions above one half use the taps of
    /// the opposite fraction in reverse.
    static func taps(_ eighths: Int) -> [Int] {
        let taps = [[0, 64, 0, 0], [-4, 63, 6, -1], [-5, 56, 15, -2], [-5, 47, 25, -3], [-4, 36, 36, -4]]
        return eighths <= 4 ? taps[eighths] : taps[8 - eighths].reversed()
    }

    package static func widenCodes(_ codes: [UInt8]) -> [Int16] { codes.map { 32 * Int16($0) } }

    /// The moved samples minus the reference's, in Q5: `rows` rows of `8 * cells`.
    package static func warpDifferences(
        _ reference: Grid<Int16>, _ src: Grid<UInt8>, cells: Int, rows: Int, motion: [Int16]
    ) -> [[Int16]] {
        (0..<rows).map { y in
            (0..<8 * cells).map { x in
                let move = motion[x / 8 * 2..<x / 8 * 2 + 2].map { Int($0) }
                // Splits the motion into whole samples and a fraction of 0 to 7 eighths forwards.
                let (across, down) = (move[0] & 7, move[1] & 7)
                let (left, top) = (x + (move[0] - across) / 8, y + (move[1] - down) / 8)
                /// In Q6.
                func row(_ y: Int) -> Int {
                    if across == 0 { return 64 * Int(src[left, y]) }
                    return (0..<4).map { taps(across)[$0] * Int(src[left - 1 + $0, y]) }.reduce(0, +)
                }
                /// Divided by 128 and rounded up.
                func part(_ product: Int) -> Int { Int((Double(product) / 128).rounded(.up)) }
                let moved = (0..<4).map { part(taps(down)[$0] * row(top - 1 + $0)) }.reduce(down == 0 ? 0 : -2, +)
                return Int16(moved - Int(reference[x, y]))
            }
        }
    }
}
