// SPDX-License-Identifier: MIT
// The map of a still: how its cells lie on the still's samples.

import Fusion
import LivecapDetection
import LivecapFrames

/// Divides a still into the cells of a map. Large stills have larger cells, so that a map takes little memory, and a
/// blur of so many cells is the same share of the picture.
struct StillGrid: Sendable {
    /// The still's size.
    let size: FrameSize
    /// Pixels on a side of a cell.
    let side: Int

    /// Maps have at most this many cells on a side.
    private static let most = 512

    /// The grid for stills of a size of at least one pixel.
    init(_ size: FrameSize) {
        self.size = size
        let longest = max(size.width, size.height), step = QuadMap.side * Self.most
        side = min(QuadMap.side * ((longest + step - 1) / step), size.width, size.height)
    }

    /// The size of pictures whose map, with its cells of 4x4 samples, has as many cells.
    var mapped: FrameSize {
        FrameSize(width: size.width / side * QuadMap.side, height: size.height / side * QuadMap.side)
    }

    /// Fills `map`, which is one for pictures of `mapped`, with the means of the still's cells in 8-bit codes.
    func gather(_ picture: FusedPicture, into map: QuadMap) {
        let across = picture.chroma.across, down = picture.chroma.down
        for y in 0..<map.height {
            let row = map.row(y)
            gather(picture.planes[0], row: y, shared: (1, 1), lane: 0, into: row, count: map.width)
            guard picture.planes.count > 2 else {
                for x in 0..<map.width {
                    row[QuadMap.lanes * x + 1] = 128
                    row[QuadMap.lanes * x + 2] = 128
                }
                continue
            }
            for lane in 1...2 {
                gather(
                    picture.planes[lane], row: y, shared: (across, down), lane: lane, into: row, count: map.width)
            }
        }
    }

    /// The means of a row of cells. `shared`: how many pixels share a sample across and down.
    private func gather(
        _ plane: FusedPicture.Plane, row y: Int, shared: (across: Int, down: Int), lane: Int,
        into row: UnsafeMutablePointer<Float>, count: Int
    ) {
        let rows = Self.samples(of: y, side, shared.down, within: plane.height)
        let samples = plane.samples.baseAddress!
        for x in 0..<count {
            let columns = Self.samples(of: x, side, shared.across, within: plane.width)
            var sum: UInt32 = 0
            for sampleRow in rows {
                let first = samples + sampleRow * plane.width
                for column in columns { sum &+= UInt32(first[column]) }
            }
            row[QuadMap.lanes * x + lane] = Float(sum) / Float(256 * rows.count * columns.count)
        }
    }

    /// The samples of a cell: at least one, and at most 65536 of them, whose sum fits into 32 bits.
    private static func samples(of cell: Int, _ side: Int, _ shared: Int, within count: Int) -> Range<Int> {
        let first = min(cell * side / shared, count - 1)
        return first..<min(max(first + 1, (cell + 1) * side / shared), count)
    }
}

/// Enlarges rows of a map to rows of a plane.
struct CellTaps: Sendable {
    /// For each sample: the cell at or before it, and how far it is from there to the next.
    private let taps: [(cell: Int32, fraction: Float)]
    private let cells: Int

    /// For lines of `count` samples, of which each stands for `shared` pixels, over lines of `cells` cells of `side`
    /// pixels.
    init(_ count: Int, shared: Int, cells: Int, side: Int) {
        self.cells = cells
        taps = (0..<count).map { place in
            let middle = (Float(place) + 0.5) * Float(shared) / Float(side) - 0.5
            let held = min(max(middle, 0), Float(cells - 1))
            return (Int32(held), held - Float(Int32(held)))
        }
    }

    /// Where a row of samples lies between rows of cells.
    func rows(at y: Int) -> (upper: Int, lower: Int, fraction: Float) {
        let tap = taps[y], upper = Int(tap.cell)
        return (upper, min(upper + 1, cells - 1), tap.fraction)
    }

    /// Writes a row of samples: number `lane` of the cells of two rows of `map`, of which `place` says how far it is
    /// from one to the other. `line` has room for one number more than the row has cells.
    func enlarge(
        _ map: QuadMap, lane: Int, at place: (upper: Int, lower: Int, fraction: Float),
        line: UnsafeMutablePointer<Float>, into out: UnsafeMutablePointer<Float>
    ) {
        let (upper, lower) = (map.row(place.upper) + lane, map.row(place.lower) + lane)
        for cell in 0..<cells {
            let (above, below) = (upper[QuadMap.lanes * cell], lower[QuadMap.lanes * cell])
            line[cell] = above + (below - above) * place.fraction
        }
        line[cells] = line[cells - 1]
        taps.withUnsafeBufferPointer { taps in
            for x in taps.indices {
                let cell = Int(taps[x].cell), own = line[cell]
                out[x] = own + (line[cell + 1] - own) * taps[x].fraction
            }
        }
    }
}
