// SPDX-License-Identifier: MIT
// Marks a picture that stands still: darkened, with two bars.

import LivecapFrames

/// Marks pictures that are shown although their camera delivers no more.
enum CanvasMark {
    /// Darkens planes of 8-bit samples and draws two upright bars, the sign for a pause, into the middle.
    static func apply(to samples: UnsafeMutablePointer<UInt8>, _ planes: [Plane], _ range: Colorimetry.Range) {
        let black = range == .limited ? 16 : 0
        let white = range == .limited ? 235 : 255
        for (component, plane) in planes.enumerated() {
            let zero = component == 0 ? black : 128
            for y in 0..<plane.rows {
                let row = samples + plane.offset + y * plane.stride
                for x in 0..<plane.rowBytes { row[x] = UInt8(zero + (Int(row[x]) - zero) * 2 / 5) }
            }
            let level = UInt8(component == 0 ? black + (white - black) * 4 / 5 : 128)
            for bar in bars(in: plane) {
                for y in bar.rows {
                    (samples + plane.offset + y * plane.stride + bar.columns.lowerBound)
                        .update(repeating: level, count: bar.columns.count)
                }
            }
        }
    }

    /// Each bar is a fifth as high as the picture. A plane may have another shape than the picture.
    private static func bars(in plane: Plane) -> [(columns: Range<Int>, rows: Range<Int>)] {
        let rows = plane.rows * 2 / 5..<max(plane.rows * 3 / 5, plane.rows * 2 / 5 + 1)
        let (middle, width) = (plane.rowBytes / 2, max(1, plane.rowBytes / 32))
        let left = max(0, middle - 2 * width)..<max(1, middle - width)
        let right = min(middle + width, plane.rowBytes - 1)..<min(middle + 2 * width, plane.rowBytes)
        return [(left, rows), (right, rows)]
    }
}
