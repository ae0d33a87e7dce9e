// SPDX-License-Identifier: MIT
// Frames of each kind as YUYV pictures.

import LivecapFrames
import LivecapJPEG
import Testing

@testable import LivecapVirtualCamera

@Suite struct YUYVCanvasTests {
    private let size = FrameSize(width: 4, height: 2)

    private func draw(_ format: FrameFormat, _ bytes: [UInt8]) throws -> [UInt8] {
        let canvas = YUYVCanvas(format)
        let isDrawn = canvas.draw(bytes.span.bytes)
        try #require(isDrawn)
        return canvas.pixels
    }

    @Test func yuyvIsUnchanged() throws {
        let bytes = (0..<16).map { UInt8(20 + 9 * $0) }
        #expect(try draw(FrameFormat(pixelFormat: .yuyv, size: size), bytes) == bytes)
    }

    @Test func rowsLoseTheirPadding() throws {
        var format = FrameFormat(pixelFormat: .yuyv, size: size)
        (format.bytesPerLine, format.byteCount) = (10, 20)
        let rows = (0..<20).map { UInt8(20 + 9 * $0) }
        #expect(try draw(format, rows) == Array(rows[0..<8] + rows[10..<18]))
    }

    @Test func chromaIsSharedByTwoRows() throws {
        // I420: eight of Y', two of Cb, two of Cr.
        let bytes: [UInt8] = [20, 21, 22, 23, 24, 25, 26, 27, 100, 101, 200, 201]
        let drawn = try draw(FrameFormat(pixelFormat: .i420, size: size), bytes)
        #expect(drawn == [20, 100, 21, 200, 22, 101, 23, 201, 24, 100, 25, 200, 26, 101, 27, 201])
    }

    @Test func fullRangeBecomesLimited() throws {
        let grey = FrameFormat(pixelFormat: .grey, size: size)
        let drawn = try draw(grey, [0, 255, 0, 255, 0, 255, 0, 255])
        #expect(drawn == [16, 128, 235, 128, 16, 128, 235, 128, 16, 128, 235, 128, 16, 128, 235, 128])
    }

    @Test func anOddWidthHasALastPairOfItsOwn() throws {
        let grey = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 3, height: 1))
        #expect(try draw(grey, [0, 0, 255]) == [16, 128, 16, 128, 235, 128, 235, 128])
    }

    @Test func aJPEGFrameIsDecoded() throws {
        let size = FrameSize(width: 16, height: 8)
        var encoder = try JPEGEncoder()
        let white = [UInt8](repeating: 255, count: 3 * size.area)
        let jpeg = try encoder.encodeRGB(white.span.bytes, size: size, quality: 90) { bytes in
            (0..<bytes.byteCount).map { bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
        let drawn = try draw(FrameFormat(pixelFormat: .mjpeg, size: size), jpeg)
        #expect(drawn == (0..<(2 * size.area)).map { $0 % 2 == 0 ? 235 : 128 })
    }

    @Test func whatCannotBeDecodedLeavesThePicture() throws {
        let canvas = YUYVCanvas(FrameFormat(pixelFormat: .mjpeg, size: size))
        let before = canvas.pixels
        let broken: [UInt8] = [1, 2, 3]
        let isDrawn = canvas.draw(broken.span.bytes)
        #expect(!isDrawn)
        #expect(canvas.pixels == before && before.prefix(4) == [16, 128, 16, 128])
    }

    @Test func unknownFormatsAreKnownBeforehand() {
        #expect(!YUYVCanvas.canDraw(FrameFormat(pixelFormat: PixelFormat("ABCD"), size: size)))
        #expect(YUYVCanvas.canDraw(FrameFormat(pixelFormat: .mjpeg, size: size)))
        #expect(YUYVCanvas.canDraw(FrameFormat(pixelFormat: .nv12, size: size)))
    }
}
