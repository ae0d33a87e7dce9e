// SPDX-License-Identifier: MIT
// The slopes of tiles of 8x8 samples, and their differences between pictures.

extension Reference {
    /// Rounds down, as all divisions of the tile kernels do.
    private static func floor(_ value: Int, over divisor: Int) -> Int {
        Int((Double(value) / Double(divisor)).rounded(.down))
    }

    private static let tile = (0..<8).flatMap { y in (0..<8).map { x in (x: x, y: y) } }

    /// The slope of samples in Q4 between the two neighbours of a sample, in codes per sample, Q3.
    private static func slope(_ before: Int, _ after: Int) -> Int { floor(after - before, over: 4) }

    package static func tileSlopes(_ level: Grid<UInt16>, tiles: Int, step: Int) -> [Int32] {
        (0..<tiles).flatMap { number -> [Int32] in
            func at(_ x: Int, _ y: Int) -> Int { Int(level[number * step + x, y]) }
            let across = tile.map { slope(at($0.x - 1, $0.y), at($0.x + 1, $0.y)) }
            let down = tile.map { slope(at($0.x, $0.y - 1), at($0.x, $0.y + 1)) }
            return [
                sum(across, across), sum(across, down), sum(down, down),
                Int32(tile.map { at($0.x, $0.y) }.reduce(0, +)),
            ]
        }
    }

    package static func tileDifferences(
        _ level: Grid<UInt16>, _ other: Grid<UInt16>, tiles: Int, places: [Int32]
    ) -> [Int32] {
        (0..<tiles).flatMap { number -> [Int32] in
            let place = places[4 * number..<4 * number + 4].map { Int($0) }
            func own(_ x: Int, _ y: Int) -> Int { Int(level[place[0] + x, y]) }
            func theirs(_ x: Int, _ y: Int) -> Int {
                func row(_ y: Int) -> Int {
                    between(Int(other[place[1] + x, y]), Int(other[place[1] + x + 1, y]), place[2])
                }
                return between(row(y), row(y + 1), place[3])
            }
            func slopes(_ dx: Int, _ dy: Int) -> [Int] {
                tile.map { x, y in
                    let here = own(x + dx, y + dy) - own(x - dx, y - dy)
                    return floor(here + theirs(x + dx, y + dy) - theirs(x - dx, y - dy), over: 8)
                }
            }
            let differences = tile.map { own($0.x, $0.y) - theirs($0.x, $0.y) }
            return [
                sum(slopes(1, 0), differences), sum(slopes(0, 1), differences),
                sum(differences, differences) / 16, Int32(differences.reduce(0, +)),
            ]
        }
    }

    package static func tileDistances(
        _ level: Grid<UInt16>, _ other: Grid<UInt16>, tiles: Int, step: Int, places: [Int32]
    ) -> [UInt32] {
        (0..<tiles).map { number in
            let distances = tile.map { x, y in
                abs(Int(level[number * step + x, y]) - Int(other[Int(places[number]) + x, y]))
            }
            return UInt32(distances.reduce(0, +))
        }
    }

    /// The value `sixteenths` of the way from one sample to the next, halves rounded up.
    private static func between(_ a: Int, _ b: Int, _ sixteenths: Int) -> Int {
        a + Int((Double((b - a) * sixteenths) / 16 + 0.5).rounded(.down))
    }

    private static func sum(_ a: [Int], _ b: [Int]) -> Int32 { Int32(zip(a, b).map { $0 * $1 }.reduce(0, +)) }
}
