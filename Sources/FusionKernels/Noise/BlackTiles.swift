// SPDX-License-Identifier: MIT
// Bars beside a picture, and whatever else is black to the last sample.

import Frames

/// Which tiles of 8x8 samples of a frame's brightness are black throughout. No sensor's noise was there, or some samples would
/// be brighter: so black they stay, whatever denoising the picture beside them has spread there.
final class BlackTiles: @unchecked Sendable {  // whoever measures is done before anybody asks
    private static let side = NoiseMap.tile
    /// The code of black.
    private let black: UInt8
    private let across: Int
    private let isBlack: Scratch<Bool>

    init(_ format: FrameFormat) {
        black = format.colorimetry.range == .limited ? 16 : 0
        across = (format.size.width + Self.side - 1) / Self.side
        isBlack = Scratch(across * ((format.size.height + Self.side - 1) / Self.side), filledWith: false)
    }

    /// Looks at a frame. Tiles that are cut are taken for what is there of them.
    func measure(_ frame: FusionFrame) {
        let plane = frame.planes[0], found = isBlack.base, side = Self.side
        for y in stride(from: 0, to: plane.height, by: side) {
            let (samples, first) = (plane.row(y), y / side * across)
            for tile in 0..<across {
                // Hardly any tile passes its first sample.
                found[first &+ tile] = samples[tile &* side] <= black && isBlack(plane, tile &* side, y)
            }
        }
    }

    private func isBlack(_ plane: SamplePlane, _ x: Int, _ y: Int) -> Bool {
        (y..<min(y + Self.side, plane.height)).allSatisfy { row in
            (x..<min(x + Self.side, plane.width)).allSatisfy { plane.row(row)[$0] <= black }
        }
    }

    /// Makes some rows of such tiles what they were in the frame.
    func restore(_ picture: FusedPicture, _ frame: FusionFrame, rows: Range<Int>) {
        let plane = picture.planes[0], side = Self.side
        for y in rows {
            let (samples, own) = (plane.samples.baseAddress! + y * plane.width, frame.planes[0].row(y))
            for tile in 0..<across where isBlack[y / side * across + tile] {
                for x in side * tile..<min(side * (tile + 1), plane.width) { samples[x] = UInt16(own[x]) << 8 }
            }
        }
    }
}
