// SPDX-License-Identifier: MIT
// Pictures for the tests, and access to their segments.

import LivecapFrames

@testable import LivecapJPEG

func copy(_ bytes: RawSpan) -> [UInt8] { bytes.withUnsafeBytes { [UInt8]($0) } }

/// Red increases to the right, green downwards, blue along the diagonal.
func ramp(_ size: FrameSize) -> [UInt8] {
    (0..<size.height).flatMap { y in
        (0..<size.width).flatMap { x -> [UInt8] in
            [
                UInt8(255 * x / max(size.width - 1, 1)), UInt8(255 * y / max(size.height - 1, 1)),
                UInt8(255 * (x + y) / max(size.width + size.height - 2, 1)),
            ]
        }
    }
}

func picture(_ size: FrameSize, _ sampling: ChromaSampling, quality: Int = 90) throws -> [UInt8] {
    var encoder = try JPEGEncoder()
    let pixels = ramp(size)
    return try encoder.encodeRGB(pixels.span.bytes, size: size, sampling: sampling, quality: quality) { copy($0) }
}

/// The segments before the first scan, with their codes and positions.
func segments(_ jpeg: [UInt8]) -> [(code: UInt8, range: Range<Int>)] {
    var (found, place): ([(code: UInt8, range: Range<Int>)], Int) = ([], 2)
    while jpeg[place + 1] != 0xDA {
        let length = Int(jpeg[place + 2]) << 8 | Int(jpeg[place + 3])
        found.append((jpeg[place + 1], place..<(place + 2 + length)))
        place += 2 + length
    }
    return found
}

/// A picture without Huffman tables, as some cameras send it.
func withoutTables(_ jpeg: [UInt8]) -> [UInt8] {
    var jpeg = jpeg
    for segment in segments(jpeg).reversed() where segment.code == 0xC4 { jpeg.removeSubrange(segment.range) }
    return jpeg
}
