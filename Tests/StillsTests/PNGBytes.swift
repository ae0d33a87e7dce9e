// SPDX-License-Identifier: MIT
// PNG files made byte by byte, for what no encoder here writes.

/// A PNG file: uncompressed, with any chunks before its samples.
struct PNGBytes {
    var width = 4
    var height = 3
    /// Bits per sample: 8 or 16.
    var depth: UInt8 = 16
    /// 0 for grey, 2 for colours, 3 for a palette, 4 and 6 for grey and colours with transparency.
    var colourType: UInt8 = 2
    /// In rows without padding.
    var samples: [UInt16] = []
    var chunks: [(name: String, data: [UInt8])] = []
    /// Whether it is written in seven passes (Adam7).
    var isInterlaced = false

    /// The first column and row of each pass, and the steps to the next.
    private static let passes = [
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ]

    var file: [UInt8] {
        let lanes = samples.count / max(1, width * height)
        var rows: [UInt8] = []
        for (left, top, across, down) in isInterlaced ? Self.passes : [(0, 0, 1, 1)] where left < width {
            for y in stride(from: top, to: height, by: down) {
                // No filter.
                rows.append(0)
                for x in stride(from: left, to: width, by: across) {
                    for sample in samples[((y * width + x) * lanes)..<((y * width + x + 1) * lanes)] {
                        rows += depth == 16 ? Self.bytes(sample) : [UInt8(sample)]
                    }
                }
            }
        }
        let header =
            Self.bytes(UInt32(width)) + Self.bytes(UInt32(height)) + [depth, colourType, 0, 0]
            + [isInterlaced ? 1 : 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Self.chunk("IHDR", header)
            + chunks.flatMap { Self.chunk($0.name, $0.data) } + Self.chunk("IDAT", Self.stored(rows))
            + Self.chunk("IEND", [])
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        var sum = UInt32.max
        for byte in Array(name.utf8) + data {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return bytes(UInt32(data.count)) + Array(name.utf8) + data + bytes(~sum)
    }

    /// One stored block of zlib, of fewer than 65536 bytes.
    private static func stored(_ data: [UInt8]) -> [UInt8] {
        let count = UInt16(data.count)
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in data {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        return [0x78, 0x01, 1] + bytes(count.byteSwapped) + bytes((~count).byteSwapped) + data
            + bytes(high << 16 | low)
    }
}

/// Samples that repeat late, and have all of their bits: by a linear congruential generator.
func wildSamples(_ count: Int) -> [UInt16] {
    var state: UInt32 = 12345
    return (0..<count).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt16(state >> 16)
    }
}
