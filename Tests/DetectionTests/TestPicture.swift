// SPDX-License-Identifier: MIT
// The pictures that nets are tried on.

import Foundation
import LivecapFrames
import LivecapJPEG
import Testing

@testable import LivecapDetection

/// A picture of people or hands.
enum TestPicture: String {
    /// A photograph of a woman, from her shoulders up, which is in the public domain.
    case astronaut
    /// Two drawn hands: on the left one that shows victory, on the right one that shows horns. They are U+270C and
    /// U+1F918 of Noto Color Emoji, which is under the SIL Open Font License 1.1, its drawings under Apache-2.0.
    case hands

    /// Their size, twice that of the files.
    static let size = FrameSize(width: 1280, height: 720)

    /// Planes of 4:2:0 without padding.
    func planes() throws -> [UInt8] {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Support/Pictures/\(rawValue).jpg")
        let layout = try #require(PlanarLayout(size: FrameSize(width: 640, height: 360), sampling: .s420))
        var planes = [UInt8](repeating: 0, count: layout.byteCount)
        var decoder = try JPEGDecoder()
        let jpeg = try Array(Data(contentsOf: path))
        try planes.withUnsafeMutableBytes { _ = try decoder.decode(jpeg.span.bytes, to: layout, in: $0) }
        // Twice as large: each sample four times.
        return layout.planes.flatMap { plane in
            (0..<2 * plane.rows).flatMap { y in
                (0..<2 * plane.rowBytes).map { planes[plane.offset + y / 2 * plane.stride + $0 / 2] }
            }
        }
    }

    /// The same with left and right exchanged.
    func mirroredPlanes() throws -> [UInt8] {
        let codes = try planes(), area = Self.size.area, width = Self.size.width
        return codes.indices.map { place in
            let row = place < area ? width : width / 2, x = (place < area ? place : place - area) % row
            return codes[place - x + (row - 1 - x)]
        }
    }
}

extension PicturePlanes {
    /// Takes planes without padding.
    func fill(_ codes: [UInt8]) {
        codes.withUnsafeBufferPointer { codes in
            var next = codes.baseAddress!
            for plane in all {
                for y in 0..<plane.height {
                    plane.row(y).update(from: next, count: plane.width)
                    next += plane.width
                }
            }
        }
    }
}
