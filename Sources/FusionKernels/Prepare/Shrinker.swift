// SPDX-License-Identifier: MIT
// Smaller pictures of a frame, in which its motion is found, and what else is told from them.

import CFusionKernels

/// Makes the levels of frames' pyramids.
struct Shrinker: @unchecked Sendable {
    /// Rows of a band: whole ones of the first level, and of regions of 16x16 pixels.
    static let bandRows = 64
    private let kernels: UnsafePointer<fusion_kernels>

    init(_ kernels: UnsafePointer<fusion_kernels>) { self.kernels = kernels }

    /// A band of the first level, and of the tints.
    func shrink(_ frame: FusionFrame, band: Int) {
        let (luma, level) = (frame.planes[0], frame.levels[0])
        for y in Self.bandRows / 2 * band..<min(Self.bandRows / 2 * (band + 1), level.height) {
            kernels.pointee.halve_bytes(luma.row(2 * y), luma.stride, level.width, level.row(y))
        }
        for (tint, plane) in zip(frame.tints, frame.planes.dropFirst()) {
            let rows = frame.chroma == .quads ? 8 : 16
            for y in 4 * band..<min(4 * band + 4, tint.height) {
                average(plane, rows * y, rows, tint.row(y), tint.width)
            }
        }
    }

    /// The other levels, each from the one before, and the margins of all.
    func shrinkFurther(_ frame: FusionFrame) {
        for (place, level) in frame.levels.enumerated() {
            if place > 0 {
                let finer = frame.levels[place - 1]
                for y in 0..<level.height {
                    kernels.pointee.halve_words(finer.row(2 * y), finer.stride, level.width, level.row(y))
                }
            }
            level.fillMargins()
        }
        for tint in frame.tints { tint.fillMargins() }
        for set in frame.tileSets { set.update(frame.levels[set.level], kernels) }
    }

    /// Means over 8 samples by `rows`, Q4.
    private func average(
        _ plane: SamplePlane, _ top: Int, _ rows: Int, _ out: UnsafeMutablePointer<UInt16>, _ count: Int
    ) {
        for x in 0..<count {
            var sum: UInt32 = 0
            for y in top..<min(top + rows, plane.height) {
                let row = plane.row(y) + 8 * x
                for column in 0..<8 { sum &+= UInt32(row[column]) }
            }
            out[x] = UInt16(16 * sum / UInt32(8 * (min(top + rows, plane.height) - top)))
        }
    }

    /// How bright and how sharp the frame is; from now on it is another one.
    func judge(_ frame: FusionFrame) {
        frame.identity = .random(in: .min ... .max)
        let small = frame.levels[2]
        var sum: UInt64 = 0
        for y in 0..<small.height { for x in 0..<small.width { sum &+= UInt64(small.row(y)[x]) } }
        frame.brightness = Double(sum) / Double(16 * small.width * small.height)
        // Slopes at half the size, of every fourth row of tiles: blur shows there, noise less than at full size.
        let half = frame.levels[0]
        var slopes: Int64 = 0, tiles = 0
        // So many at once fit on the stack.
        let most = 32
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 4 * most) { out in
            for row in Swift.stride(from: half.tilesDown > 1 ? 1 : 0, to: half.tilesDown, by: 4) {
                for first in Swift.stride(from: 0, to: half.tilesAcross, by: most) {
                    let count = min(most, half.tilesAcross - first)
                    kernels.pointee.tile_slopes(
                        half.row(8 * row) + 8 * first, half.stride, count, 8, out.baseAddress!)
                    for tile in 0..<count { slopes += Int64(out[4 * tile]) + Int64(out[4 * tile + 2]) }
                }
                tiles += half.tilesAcross
            }
        }
        // Relative to the brightness, which exposure may change between frames; slopes are in Q3, 64 to a tile.
        frame.sharpness = (Double(slopes) / Double(max(1, tiles) * 64 * 64)).squareRoot() / max(1, frame.brightness)
    }
}
