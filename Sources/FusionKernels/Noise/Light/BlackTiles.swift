// SPDX-License-Identifier: MIT
// Tiles that are black throughout, such as the bars beside a picture, are kept black.

import LivecapFrames

/// Records which tiles of 8x8 brightness samples are entirely black in a frame. Such tiles contain no sensor noise,
/// because noise would make some samples brighter. `restore` therefore makes them black again in the still, where
/// denoising may have spread some of the picture beside them into them.
final class BlackTiles: @unchecked Sendable {  // measuring ends before other threads read the result
    private static let side = NoiseMap.tile
    /// The code of black: 16 in limited range, 0 in full range.
    private let black: UInt8
    private let across: Int
    private let isBlack: Scratch<Bool>

    init(_ format: FrameFormat) {
        black = format.colorimetry.range == .limited ? 16 : 0
        across = (format.size.width + Self.side - 1) / Self.side
        isBlack = Scratch(across * ((format.size.height + Self.side - 1) / Self.side), filledWith: false)
    }

    /// Examines a frame. A tile that is cut off at the edge is judged by the samples it has.
    func measure(_ frame: FusionFrame) {
        let plane = frame.planes[0], found = isBlack.base, side = Self.side
        for y in stride(from: 0, to: plane.height, by: side) {
            let (samples, first) = (plane.row(y), y / side * across)
            for tile in 0..<across {
                // Most tiles fail at their first sample.
                found[first &+ tile] =
                    samples[tile &* side] <= black && isBlack(plane, fine: frame.fine.first, x: tile &* side, y: y)
            }
        }
    }

    private func isBlack(_ plane: SamplePlane, fine: FinePlane?, x: Int, y: Int) -> Bool {
        (y..<min(y + Self.side, plane.height)).allSatisfy { row in
            (x..<min(x + Self.side, plane.width)).allSatisfy {
                // A code rounds up to half a code of light to black.
                if let fine { return fine.row(row)[$0] <= Int16(black) << 6 }
                return plane.row(row)[$0] <= black
            }
        }
    }

    /// Sets the black tiles in some rows of the picture to the frame's samples.
    func restore(_ picture: FusedPicture, _ frame: FusionFrame, rows: Range<Int>) {
        let plane = picture.planes[0], side = Self.side
        for y in rows {
            let (samples, own) = (plane.samples.baseAddress! + y * plane.width, frame.planes[0].row(y))
            for tile in 0..<across where isBlack[y / side * across + tile] {
                let columns = side * tile..<min(side * (tile + 1), plane.width)
                guard let fine = frame.fine.first?.row(y) else {
                    for x in columns { samples[x] = UInt16(own[x]) << 8 }
                    continue
                }
                for x in columns { samples[x] = UInt16(fine[x]) << 2 }
            }
        }
    }
}
