// SPDX-License-Identifier: MIT
// Pictures of made-up frames.

import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import LivecapPictures

/// The picture that a converter with these settings makes of a frame. What lies behind it must stay as it is.
func picture(_ settings: PictureSettings, of format: FrameFormat, _ bytes: [UInt8]) throws -> [UInt8] {
    try #require(try pictures([settings], of: format, bytes)[0])
}

/// The pictures that a converter makes of a frame, drawn in its order.
func pictures(_ settings: [PictureSettings], of format: FrameFormat, _ bytes: [UInt8]) throws -> [[UInt8]?] {
    let converter = try PictureConverter(format, settings)
    let isTaken = converter.take(bytes.span.bytes)
    try #require(isTaken)
    let memory = converter.formats.map { format in
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: format.byteCount + canary.count, alignment: 64)
        PictureConverter.clear(UnsafeMutableRawBufferPointer(rebasing: memory[..<format.byteCount]), format)
        UnsafeMutableRawBufferPointer(rebasing: memory[format.byteCount...]).copyBytes(from: canary)
        return memory
    }
    defer { memory.forEach { $0.deallocate() } }
    var counts: [Int: Int] = [:]
    for index in converter.order { counts[index] = converter.draw(index, into: memory[index]) }
    return memory.indices.map { index in
        #expect(memory[index].suffix(canary.count).elementsEqual(canary), "picture \(index) is longer than it says")
        return counts[index].map { Array(memory[index].prefix($0)) }
    }
}

private let canary: [UInt8] = [0xDE, 0xAD, 0xBE, 0xEF, 0x5A, 0xA5, 0x00, 0xFF]

/// A frame whose samples are smooth in both directions, so that pictures of every size can be compared.
func smoothFrame(_ pixelFormat: PixelFormat, _ size: FrameSize, colorimetry: Colorimetry? = nil) -> (
    FrameFormat, [UInt8]
) {
    let format = FrameFormat(pixelFormat: pixelFormat, size: size, colorimetry: colorimetry)
    var bytes = [UInt8](repeating: 0, count: format.byteCount)
    bytes.withUnsafeMutableBytes { bytes in
        for (component, grid) in SampleGrid.all(of: format).enumerated() {
            for y in 0..<grid.rows {
                for x in 0..<grid.columns {
                    let (across, down) = (Double(x) / Double(grid.columns), Double(y) / Double(grid.rows))
                    let level =
                        component == 0 ? 30 + 120 * across + 70 * down : 90 + 60 * (component == 1 ? across : down)
                    grid.store(Int(level), x, y, into: bytes.baseAddress!)
                }
            }
        }
    }
    return (format, bytes)
}

/// A frame of random samples.
func randomFrame(_ pixelFormat: PixelFormat, _ size: FrameSize, seed: UInt64) -> (FrameFormat, [UInt8]) {
    var random = SeededRandom(seed: seed)
    let format = FrameFormat(pixelFormat: pixelFormat, size: size)
    return (format, (0..<format.byteCount).map { _ in UInt8.random(in: 0...255, using: &random) })
}

/// The largest difference between samples at the same place.
func largestDifference(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Int {
    a.count == b.count ? zip(a, b).map { abs(Int($0) - Int($1)) }.max() ?? 0 : .max
}
