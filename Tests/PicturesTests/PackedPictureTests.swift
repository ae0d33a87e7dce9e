// SPDX-License-Identifier: MIT
// Frames of each kind as YUYV pictures of limited range, which virtual cameras show.

import LivecapFrames
import LivecapJPEG
import Testing

@testable import LivecapPictures

@Suite struct PackedPictureTests {
    private let size = FrameSize(width: 4, height: 2)

    private func draw(
        _ format: FrameFormat, _ bytes: [UInt8], _ view: PictureView = .whole
    ) throws -> [UInt8] {
        let upright = PictureView(mount: view.mount).size(of: format.size)
        let settings = PictureSettings(format: .yuyv, size: upright, view: view, range: .limited)
        return try picture(settings, of: format, bytes)
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

    /// The brightness of 4x2 pixels, 100 to 107, in a view.
    private func luma(_ view: PictureView) throws -> [[Int]] {
        let grey = FrameFormat(pixelFormat: .grey, size: size)
        let drawn = try draw(FrameFormat(pixelFormat: .yuyv, size: size), Self.pixels(of: 100..<108), view)
        #expect(try draw(grey, [UInt8](repeating: 255, count: 8), view).allSatisfy { $0 == 235 || $0 == 128 })
        let width = PictureView(mount: view.mount).size(of: size).width
        return (0..<8 / width).map { y in (0..<width).map { Int(drawn[2 * (y * width + $0)]) } }
    }

    /// As YUYV, with a Cb of 60 on the left half and 200 on the right, and the reverse for Cr.
    private static func pixels(of luma: Range<UInt8>) -> [UInt8] {
        luma.enumerated().flatMap { [$1, [60, 200, 200, 60][$0 % 4]] }
    }

    @Test(
        "Pictures are mirrored, then turned",
        arguments: [
            (0, false, [[100, 101, 102, 103], [104, 105, 106, 107]]),
            (0, true, [[103, 102, 101, 100], [107, 106, 105, 104]]),
            (180, false, [[107, 106, 105, 104], [103, 102, 101, 100]]),
            (180, true, [[104, 105, 106, 107], [100, 101, 102, 103]]),
            (90, false, [[104, 100], [105, 101], [106, 102], [107, 103]]),
            (270, false, [[103, 107], [102, 106], [101, 105], [100, 104]]),
            (90, true, [[107, 103], [106, 102], [105, 101], [104, 100]]),
            (270, true, [[100, 104], [101, 105], [102, 106], [103, 107]]),
        ])
    func turned(degrees: Int, isMirrored: Bool, expected: [[Int]]) throws {
        let angle = try #require(RotationAngle(rawValue: degrees))
        #expect(try luma(PictureView(mount: CameraMount(angle: angle, isMirrored: isMirrored))) == expected)
    }

    @Test func coloursTurnWithThePicture() throws {
        let format = FrameFormat(pixelFormat: .yuyv, size: size)
        let bytes = Self.pixels(of: 100..<108)
        let half = try draw(format, bytes, PictureView(mount: CameraMount(angle: .half)))
        #expect(half.prefix(8) == [107, 200, 106, 60, 105, 60, 104, 200])
    }

    @Test func aZoomEnlargesAPart() throws {
        let corner = try #require(DigitalZoom(factor: 2, centerX: 1, centerY: 1))
        // The right lower quarter has the pixels 106 and 107; between them lies what is between.
        let shown = try luma(PictureView(zoom: corner))
        #expect(shown[1] == [106, 106, 107, 107] && shown[0].allSatisfy { (104...107).contains($0) })
        #expect(
            try luma(PictureView(zoom: #require(DigitalZoom(factor: 1)))) == [
                [100, 101, 102, 103], [104, 105, 106, 107],
            ])
    }

    @Test func aZoomedPictureIsTurned() throws {
        let corner = try #require(DigitalZoom(factor: 2, centerX: 1, centerY: 1))
        let (plain, turned) = (
            try luma(PictureView(zoom: corner)), try luma(PictureView(mount: CameraMount(angle: .half), zoom: corner))
        )
        #expect(turned == plain.reversed().map { $0.reversed() })
    }

    @Test func anOddPictureIsTurned() throws {
        let grey = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 3, height: 1))
        let drawn = try draw(grey, [0, 0, 255], PictureView(mount: CameraMount(angle: .half)))
        #expect(drawn == [235, 128, 16, 128, 16, 128, 16, 128])
    }
}
