// SPDX-License-Identifier: MIT
// Bars of eight colours, and the R'G'B' values that the equations of the standards give for them.

import Fusion
import LivecapFrames

/// The eight colours at 75 % as samples of limited-range BT.601. Other colorimetries decode them to other
/// colours.
private let levels: [(y: UInt8, cb: UInt8, cr: UInt8)] = [
    (180, 128, 128), (162, 44, 142), (131, 156, 44), (112, 72, 58), (84, 184, 198), (65, 100, 212), (35, 212, 114),
    (16, 128, 128),
]

/// A still of eight vertical bars.
struct ColorBars {
    let still: FusedPicture
    /// Red, green and blue of each bar.
    let expected: [UInt8]

    init(_ pixelFormat: PixelFormat, _ colorimetry: Colorimetry) throws {
        let size = FrameSize(width: 128, height: 16)
        still = try picture(FrameFormat(pixelFormat: pixelFormat, size: size, colorimetry: colorimetry)) {
            plane, x, _ in
            let level = levels[x / (plane == 0 ? 16 : 8)]
            return UInt16([level.y, level.cb, level.cr][plane]) << 8
        }
        let decoder = ColorDecoder(colorimetry)
        expected = levels.flatMap { level in
            let color = decoder.color(luma: Double(level.y), cb: Double(level.cb), cr: Double(level.cr))
            return [color.red, color.green, color.blue].map { UInt8((255 * min(max($0, 0), 1)).rounded()) }
        }
    }

    /// The middle of each bar, unaffected by its neighbours.
    func middles(_ pixels: [UInt8]) -> [UInt8] {
        (0..<8).flatMap { bar -> ArraySlice<UInt8> in
            let first = 3 * (8 * 128 + 16 * bar + 8)
            return pixels[first..<(first + 3)]
        }
    }
}
