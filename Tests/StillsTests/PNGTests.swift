// SPDX-License-Identifier: MIT
// PNG files, decoded by another program: every sample is exact, and chunks describe the colours.

import Fusion
import LivecapFrames
import LivecapStills
import Testing

@Suite struct PNGTests {
    private let grey = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 37, height: 19))

    @Test func sixteenBitsOfGreyComeBackExactly() throws {
        // Full range: 0 is black and 255 * 256 is white, so that every sample keeps a distinct value.
        let still = try picture(grey) { _, x, y in UInt16((y * 37 + x) * 92) }
        let file = try PNGEncoder().encode(still)
        let found = words(try ffmpegSamples(of: file, as: "gray16le"))
        let expected = still.planes[0].samples.map { Double($0) / 256 * 257 }
        #expect(found.count == expected.count)
        for (found, expected) in zip(found, expected) { #expect(abs(Double(found) - expected) <= 1) }
        #expect(Set(found).count == Set(still.planes[0].samples).count)
    }

    @Test func eightBitsAreTheSixteenRounded() throws {
        let still = try picture(grey) { _, x, y in UInt16((y * 37 + x) * 92) }
        let found = try ffmpegSamples(of: PNGEncoder(depth: .eight).encode(still), as: "gray")
        #expect(found == still.planes[0].samples.map { UInt8(min(255, (Int($0) + 128) / 256)) })
    }

    @Test func bytesOfRedGreenAndBlueComeBackExactly() throws {
        let size = FrameSize(width: 5, height: 3)
        let pixels = (0..<45).map { UInt8($0 * 5) }
        let file = try PNGEncoder().encode(rgb24: pixels, size: size, .sRGB)
        #expect(try ffmpegSamples(of: file, as: "rgb24") == pixels)
    }

    @Test(arguments: [
        FrameSize(width: 17, height: 16), FrameSize(width: 16, height: 17), FrameSize(width: 33, height: 35),
    ])
    func oddSizesAreWhole(size: FrameSize) throws {
        for format in [PixelFormat.yuyv, .nv12, .grey] {
            let still = try picture(FrameFormat(pixelFormat: format, size: size)) { plane, x, y in
                plane == 0 ? UInt16(16 + (x + y) % 200) << 8 : 128 << 8
            }
            let found = words(try ffmpegSamples(of: PNGEncoder().encode(still), as: "rgb48le"))
            #expect(found.count == 3 * size.area)
            // Chroma is neutral: red, green and blue are equal.
            for pixel in 0..<size.area { #expect(found[3 * pixel] == found[3 * pixel + 2]) }
        }
    }

    @Test func webcamsAreMarkedAsSRGB() throws {
        let names = chunks(try PNGEncoder().encode(picture(grey) { _, _, _ in 0 })).map(\.name)
        #expect(names.contains("sRGB") && !names.contains("cICP"))
    }

    @Test func otherColoursAreNamedByTheirCodes() throws {
        var format = FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 16, height: 16))
        format.colorimetry = Colorimetry(range: .limited, matrix: .bt2020, transfer: .bt709, primaries: .bt2020)
        let found = chunks(try PNGEncoder().encode(picture(format) { _, _, _ in 1 << 15 }))
        #expect(found.first { $0.name == "cICP" }?.data == [9, 1, 0, 1])
        #expect(!found.contains { $0.name == "sRGB" })
        #expect(found.map(\.name).firstIndex(of: "cICP")! < found.map(\.name).firstIndex(of: "IDAT")!)
    }

    @Test(arguments: PhotoOrientation.allCases) func picturesAreTurnedPixelByPixel(_ orientation: PhotoOrientation)
        throws
    {
        // Every pixel has a distinct value.
        let size = FrameSize(width: 19, height: 16)
        let still = try picture(FrameFormat(pixelFormat: .grey, size: size)) { _, x, y in UInt16((19 * y + x) * 200) }
        func pixels(_ orientation: PhotoOrientation) throws -> [UInt16] {
            var metadata = PhotoMetadata()
            metadata.orientation = orientation
            let file = try PNGEncoder().encode(still, metadata: metadata)
            #expect(try exiftool(file, .png)["Orientation"] == "1")
            return words(try ffmpegSamples(of: file, as: "gray16le"))
        }
        let (upright, turned) = (try pixels(.up), try pixels(orientation))
        // Mirrored first, then turned by quarter turns.
        var rows = (0..<16).map { Array(upright[(19 * $0)..<(19 * $0 + 19)]) }
        func turnedRight(_ rows: [[UInt16]]) -> [[UInt16]] {
            rows[0].indices.map { x in rows.reversed().map { $0[x] } }
        }
        if orientation.isMirrored { rows = rows.map { $0.reversed() } }
        let turns = [PhotoOrientation.up: 0, .right: 1, .down: 2, .left: 3][orientation.turn]!
        for _ in 0..<turns { rows = turnedRight(rows) }
        #expect(turned == rows.flatMap { $0 })
    }
}
