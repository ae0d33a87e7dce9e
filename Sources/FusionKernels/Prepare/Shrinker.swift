// SPDX-License-Identifier: MIT
// Builds the smaller pictures of a frame, in which motion is found, and measures brightness and sharpness.

import LivecapCFusionKernels

/// Builds the levels of frames' pyramids.
struct Shrinker: @unchecked Sendable {
    /// Rows per band: a whole number of rows of the first level, and of regions of 16x16 pixels.
    static let bandRows = 64
    private let kernels: UnsafePointer<fusion_kernels>

    init(_ kernels: UnsafePointer<fusion_kernels>) { self.kernels = kernels }

    /// Processes a band before its neighbours are known: the tints, and those rows of the first level that depend on
    /// no other band. Fills the margins beside the band.
    func shrinkInside(_ frame: FusionFrame, band: Int) {
        halveInside(frame, band: band)
        average(frame, band)
    }

    /// The same without the tints.
    func halveInside(_ frame: FusionFrame, band: Int) {
        for (place, plane) in frame.planes.enumerated() {
            let rows = place > 0 && frame.chroma == .quads ? Self.bandRows / 2 : Self.bandRows
            plane.fillMargins(besides: min(rows * band, plane.height)..<min(rows * (band + 1), plane.height))
        }
        halve(frame, inside(frame, band))
    }

    /// Computes the remaining rows of a band in the first level, once all samples and margins are known.
    func shrinkSeams(_ frame: FusionFrame, band: Int) {
        let (all, inside) = (rows(frame, band), inside(frame, band))
        halve(frame, all.lowerBound..<inside.lowerBound)
        halve(frame, inside.upperBound..<all.upperBound)
    }

    /// Computes the other levels, the margins of all, and the tiles' slopes. `besides` runs at the same time, and may
    /// read the first level.
    func shrinkFurther(_ frame: FusionFrame, _ pool: any FusionPool, besides: @Sendable () -> Void) {
        frame.levels[0].fillMargins()
        // The first level takes as long as all the others together.
        pool.run(3) { part in
            if part == 2 { return besides() }
            if part == 0 {
                shrinkLevels(frame)
                for tint in frame.tints { tint.fillMargins() }
            }
            for set in frame.tileSets where (set.level == 0) == (part == 1) {
                set.update(frame.levels[set.level], kernels)
            }
        }
    }

    /// Computes the other levels, each from the previous one, with their margins.
    func shrinkLevels(_ frame: FusionFrame) {
        for (finer, level) in zip(frame.levels, frame.levels.dropFirst()) {
            let (own, theirs) = (level.view, finer.view)
            for y in 0..<own.height {
                kernels.pointee.pyramid.halve_words(theirs.row(2 * y), theirs.stride, own.width, own.row(y))
            }
            level.fillMargins()
        }
    }

    /// A band's rows in the first level.
    private func rows(_ frame: FusionFrame, _ band: Int) -> Range<Int> {
        let height = frame.levels[0].height
        return min(Self.bandRows / 2 * band, height)..<min(Self.bandRows / 2 * (band + 1), height)
    }

    /// Those of them that depend on rows of the band alone.
    private func inside(_ frame: FusionFrame, _ band: Int) -> Range<Int> {
        let rows = rows(frame, band)
        let first = min(rows.lowerBound + 1, rows.upperBound)
        return first..<max(first, rows.upperBound - 1)
    }

    private func halve(_ frame: FusionFrame, _ rows: Range<Int>) {
        let (luma, stride, level) = (frame.planes[0].base, frame.planes[0].stride, frame.levels[0].view)
        for y in rows { kernels.pointee.pyramid.halve_bytes(luma + 2 * y * stride, stride, level.width, level.row(y)) }
    }

    /// Computes a band's means of chroma over 16x16 pixels.
    private func average(_ frame: FusionFrame, _ band: Int) {
        let rows = frame.chroma == .quads ? 8 : 16
        for (tint, plane) in zip(frame.tints, frame.planes.dropFirst()) {
            for y in min(4 * band, tint.height)..<min(4 * band + 4, tint.height) {
                kernels.pointee.pyramid.mean_cells(
                    plane.row(rows * y), plane.stride, min(rows, plane.height - rows * y), tint.width, tint.row(y))
            }
        }
    }

    /// Sums the slopes at half the size, in every fourth row of tiles: blur still shows there, but noise less than at
    /// full size.
    func measureSlopes(_ frame: FusionFrame) {
        let half = frame.levels[0].view, tilesAcross = frame.levels[0].tilesAcross
        let tilesDown = frame.levels[0].tilesDown
        var slopes: Int64 = 0, tiles = 0
        // This many at once fit on the stack.
        let most = 32
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 4 * most) { out in
            let out = out.baseAddress!
            for row in Swift.stride(from: tilesDown > 1 ? 1 : 0, to: tilesDown, by: 4) {
                for first in Swift.stride(from: 0, to: tilesAcross, by: most) {
                    let count = min(most, tilesAcross - first)
                    kernels.pointee.motion.tile_slopes(half.row(8 * row) + 8 * first, half.stride, count, 8, out)
                    for tile in 0..<count { slopes += Int64(out[4 * tile]) + Int64(out[4 * tile + 2]) }
                }
                tiles += tilesAcross
            }
        }
        // Slopes are in Q3 (hence the second 64 for their squares), with 64 of them per tile.
        frame.sharpness = (Double(slopes) / Double(max(1, tiles) * 64 * 64)).squareRoot()
    }

    /// Computes the frame's brightness and sharpness once the slopes are known, and gives the frame a new identity.
    func judge(_ frame: FusionFrame) {
        frame.identity = .random(in: .min ... .max)
        let small = frame.levels[2].view
        var sum: UInt64 = 0
        for y in 0..<small.height {
            // The sum of a row of samples below 4096 fits in 32 bits.
            let row = small.row(y)
            var part: UInt32 = 0
            for x in 0..<small.width { part &+= UInt32(row[x]) }
            sum &+= UInt64(part)
        }
        frame.brightness = Double(sum) / Double(16 * small.width * small.height)
        // Relative to the brightness, as exposure may change between frames.
        frame.sharpness /= max(1, frame.brightness)
    }
}
