// SPDX-License-Identifier: MIT
// How noise has shifted the mean of a frame's tiles.

import LivecapCFusionKernels
import LivecapFrames

/// Finds how far the mean of each tile of a frame is off. It builds a picture of the tiles' means, an eighth of the
/// size, and runs the finisher on it, at a sixty-fourth of the cost of finishing the still. It owns its working
/// memory.
final class TileBias {
    private let finisher: Finisher
    private let means: FusedPicture

    init(_ format: FrameFormat, _ chroma: ChromaGrid, _ kernels: UnsafePointer<fusion_kernels>) {
        finisher = Finisher(format, chroma, kernels)
        var small = format
        let tile = NoiseMap.tile
        small.size = FrameSize(
            width: (format.size.width + tile - 1) / tile, height: (format.size.height + tile - 1) / tile)
        means = FusedPicture(small, chroma, kernels)
    }

    /// Writes the bias of each plane of a frame, whose brightness has this noise, to the plane's map.
    func measure(_ frame: FusionFrame, _ noise: NoiseModel, into maps: [NoiseMap]) {
        finisher.learn(noise, frame)
        for place in maps.indices {
            forEachRow(of: place, frame) { row, count, samples, _ in
                for tile in 0..<count { samples[tile] = row[tile] &* 16 }
            }
        }
        for band in 0..<finisher.bands(means) { finisher.finish(means, band: band) }
        for place in maps.indices {
            guard let bias = maps[place].bias else { continue }
            forEachRow(of: place, frame) { row, count, samples, first in
                for tile in 0..<count {
                    bias[first &+ tile] = Float(Int32(row[tile] &* 16) &- Int32(samples[tile])) / 256
                }
            }
        }
    }

    /// Calls `body` for each row of a plane's tiles, with the tiles' means (codes times 16), their number, the
    /// matching samples of `means`, and the index of the first tile.
    @inline(__always)
    private func forEachRow(
        of place: Int, _ frame: FusionFrame,
        _ body: (UnsafePointer<UInt16>, _ count: Int, UnsafeMutablePointer<UInt16>, _ first: Int) -> Void
    ) {
        // Levels are means of 8x8 pixels, tints of 16x16. A tint is as wide as a tile of chroma; it is taller where
        // chroma has all rows (4:2:2).
        let level = (place == 0 ? frame.levels[2] : frame.tints[place - 1]).view
        let rowsEach = place > 0 && frame.chroma == .pairs ? 2 : 1
        let plane = means.planes[place]
        for y in 0..<plane.height {
            // A tile that is cut off takes the mean of its neighbour, which is what the margin repeats.
            let row = level.row(min(y / rowsEach, level.height - 1))
            body(row, plane.width, plane.samples.baseAddress! + y * plane.width, y * plane.width)
        }
    }
}
