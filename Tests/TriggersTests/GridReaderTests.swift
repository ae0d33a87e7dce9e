// SPDX-License-Identifier: MIT
// Frames of all formats become the same coarse map.

import LivecapFrames
import LivecapJPEG
import Testing

@testable import LivecapTriggers

@Suite struct GridReaderTests {
    private static let size = FrameSize(width: 128, height: 64)

    /// The map of a frame; nil if it cannot be read.
    private func map(_ format: FrameFormat, _ bytes: [UInt8]) -> [Float]? {
        guard let reader = GridReader(format) else { return nil }
        return reader.read(bytes.span.bytes) ? reader.map : nil
    }

    @Test(arguments: [
        (FrameSize(width: 1280, height: 720), 16, 80, 45), (FrameSize(width: 640, height: 480), 8, 80, 60),
        (FrameSize(width: 1920, height: 1080), 24, 80, 45), (FrameSize(width: 720, height: 1280), 16, 45, 80),
        (FrameSize(width: 3840, height: 2160), 48, 80, 45), (FrameSize(width: 8, height: 8), 8, 1, 1),
    ]) func cellsAreSquareAndFew(size: FrameSize, side: Int, columns: Int, rows: Int) throws {
        let shape = try #require(GridShape(size))
        #expect(shape.side == side && shape.columns == columns && shape.rows == rows)
    }

    @Test func picturesSmallerThanACellHaveNone() { #expect(GridShape(FrameSize(width: 7, height: 100)) == nil) }

    @Test func partsOfThePictureAreCells() throws {
        let shape = try #require(GridShape(Self.size))
        let right = PictureBox(origin: PicturePoint(x: 0.5, y: 0), width: 0.5, height: 1)
        let cells = shape.cells(in: right)
        #expect(cells.count(where: { $0 }) == shape.count / 2)
        #expect(!cells[0] && cells[shape.columns - 1])
        let box = shape.box(CellBox(left: 8, top: 0, right: 15, bottom: 7))
        #expect(box == right)
    }

    @Test func lumaIsReadInItsRange() throws {
        var grey = FrameFormat(pixelFormat: .grey, size: Self.size)
        grey.colorimetry.range = .full
        let codes = (0..<Self.size.area).map { UInt8(16 + ($0 % 128) / 8 * 10) }
        let full = try #require(map(grey, codes))
        #expect(full[0] == 16 && full[15] == 166)
        grey.colorimetry.range = .limited
        let limited = try #require(map(grey, codes))
        #expect(limited[0] == 0 && abs(limited[15] - 150 * 255 / 219) < 0.01)
        // YUYV: luma is every other byte.
        var packed = FrameFormat(pixelFormat: .yuyv, size: Self.size)
        packed.colorimetry.range = .limited
        let pairs: [UInt8] = codes.flatMap { (code: UInt8) -> [UInt8] in [code, 128] }
        let yuyv = try #require(map(packed, pairs))
        #expect(zip(yuyv, limited).allSatisfy { abs($0 - $1) < 0.01 })
    }

    /// Grey R'G'B' is luma, and quality 95 changes means of cells by less than a step.
    @Test(arguments: [FrameSize(width: 128, height: 64), FrameSize(width: 1296, height: 728)])
    func aJPEGFrameHasTheSameMap(size: FrameSize) throws {
        let luma = (0..<size.area).map { UInt8(40 + $0 % size.width * 150 / size.width + $0 / size.width / 8 * 5 % 50) }
        let pixels: [UInt8] = luma.flatMap { (code: UInt8) -> [UInt8] in [code, code, code] }
        var encoder = try JPEGEncoder()
        let bytes = try encoder.encodeRGB(pixels.span.bytes, size: size, sampling: .s422, quality: 95) { jpeg in
            jpeg.withUnsafeBytes { [UInt8]($0) }
        }
        var grey = FrameFormat(pixelFormat: .grey, size: size)
        grey.colorimetry.range = .full
        var jpeg = FrameFormat(pixelFormat: .mjpeg, size: size)
        jpeg.colorimetry.range = .full
        let expected = try #require(map(grey, luma)), seen = try #require(map(jpeg, bytes))
        #expect(seen.count == expected.count)
        #expect(zip(seen, expected).allSatisfy { abs($0 - $1) < 1.5 })
        // R'G'B' frames have green.
        let rgb = FrameFormat(pixelFormat: .rgb24, size: size)
        let green = try #require(map(rgb, pixels))
        #expect(zip(green, expected).allSatisfy { abs($0 - $1) < 0.5 })
    }

    @Test func shortFramesAreRefused() {
        let grey = FrameFormat(pixelFormat: .grey, size: Self.size)
        #expect(map(grey, [UInt8](repeating: 0, count: 100)) == nil)
        let jpeg = FrameFormat(pixelFormat: .mjpeg, size: Self.size)
        #expect(GridReader(jpeg) != nil)
        #expect(map(jpeg, [0xFF, 0xD8, 0xFF, 0xD9]) == nil)
    }

    @Test func compressedVideoIsRefused() {
        let format = FrameFormat(pixelFormat: .h264, size: Self.size)
        #expect(!GridReader.reads(format))
        #expect(MotionWatch.refusal(of: format)?.message.contains("motion cannot be noticed") == true)
    }
}
