// SPDX-License-Identifier: MIT
// What noise did to the mean of a frame's tiles.

import CFusionKernels
import Frames

/// Finds by how much the mean of a frame's tiles is off: it finishes a picture of the tiles' means, which is a picture of
/// an eighth of the size. So it costs a sixty-fourth of what finishing the still would. It owns the memory it works in.
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

    /// Tells the maps of a frame's planes their bias, when its brightness has this noise.
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

    /// The rows of tiles of a plane, each with its tiles' means in codes times 16, their samples, and the place of the first.
    @inline(__always)
    private func forEachRow(
        of place: Int, _ frame: FusionFrame,
        _ body: (UnsafePointer<UInt16>, _ count: Int, UnsafeMutablePointer<UInt16>, _ first: Int) -> Void
    ) {
        // Levels are means of 8x8 pixels, tints of 16x16: as wide as a tile of chroma, but higher where chroma has all rows.
        let level = (place == 0 ? frame.levels[2] : frame.tints[place - 1]).view
        let rowsEach = place > 0 && frame.chroma == .pairs ? 2 : 1
        let plane = means.planes[place]
        for y in 0..<plane.height {
            // A tile that is cut has the mean of the one before it, which is what the margin repeats.
            let row = level.row(min(y / rowsEach, level.height - 1))
            body(row, plane.width, plane.samples.baseAddress! + y * plane.width, y * plane.width)
        }
    }
}
