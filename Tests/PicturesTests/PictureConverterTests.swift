// SPDX-License-Identifier: MIT
// Pictures of several sizes and formats of one frame.

import Glibc
import LivecapCFramePathProbe
import LivecapFrames
import LivecapJPEG
import Testing

@testable import LivecapPictures

@Suite struct PictureConverterTests {
    private let size = FrameSize(width: 64, height: 36)

    private func small(_ width: Int, _ height: Int, _ format: PictureFormat = .i420) -> PictureSettings {
        PictureSettings(format: format, size: FrameSize(width: width, height: height))
    }

    @Test(arguments: [
        (FrameSize(width: 1920, height: 1080), FrameSize(width: 1280, height: 720)),
        (FrameSize(width: 3000, height: 4000), FrameSize(width: 960, height: 1280)),
        (FrameSize(width: 640, height: 480), FrameSize(width: 640, height: 480)),
        (FrameSize(width: 4001, height: 1), FrameSize(width: 1280, height: 1)),
    ]) func aPreviewIsNoLargerThanAScreenShowsWell(frames: FrameSize, picture: FrameSize) throws {
        let format = FrameFormat(pixelFormat: .grey, size: frames)
        #expect(try PictureSettings.preview().pictures(of: format).size == picture)
    }

    @Test func aPreviewOfATurnedViewIsTurned() throws {
        let view = PictureView(mount: CameraMount(angle: .quarter))
        let format = FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 1920, height: 1080))
        #expect(
            try PictureSettings.preview(view: view).pictures(of: format).size == FrameSize(width: 720, height: 1280))
    }

    @Test func planesOfTheFrameAreUnchanged() throws {
        let (format, bytes) = randomFrame(.i420, FrameSize(width: 33, height: 17), seed: 1)
        #expect(try picture(PictureSettings(), of: format, bytes) == bytes)
    }

    @Test func smallerPicturesAreMadeOfLargerOnes() throws {
        let (format, bytes) = randomFrame(.i420, FrameSize(width: 64, height: 32), seed: 2)
        let both = try pictures([small(16, 8), small(32, 16)], of: format, bytes)
        let (half, quarter) = (try #require(both[1]), try #require(both[0]))
        let halves = FrameFormat(pixelFormat: .i420, size: FrameSize(width: 32, height: 16))
        // Made of the half, not of the frame: the rounding shows it.
        #expect(try picture(small(16, 8), of: halves, half) == quarter)
        #expect(try picture(small(16, 8), of: format, bytes) != quarter)
        #expect(largestDifference(try picture(small(16, 8), of: format, bytes), quarter) <= 1)
    }

    @Test func equalPlanesAreTheSameInEveryFormat() throws {
        let (format, bytes) = randomFrame(.yuyv, size, seed: 3)
        let all = try pictures([small(30, 20), small(30, 20, .nv12), small(30, 20, .grey)], of: format, bytes)
        let (planes, pairs, grey) = (try #require(all[0]), try #require(all[1]), try #require(all[2]))
        #expect(planes.prefix(600) == pairs.prefix(600) && planes.prefix(600) == grey[...])
        let chroma = pairs.dropFirst(600).enumerated()
        #expect(chroma.filter { $0.offset % 2 == 0 }.map(\.element) == Array(planes[600..<750]))
        #expect(chroma.filter { $0.offset % 2 == 1 }.map(\.element) == Array(planes[750..<900]))
    }

    @Test func anotherShapeHasBlackBars() throws {
        let (format, bytes) = (
            FrameFormat(pixelFormat: .grey, size: FrameSize(width: 16, height: 8)), [UInt8](repeating: 200, count: 128)
        )
        let tall = try picture(small(8, 12, .grey), of: format, bytes)
        let rows = stride(from: 0, to: 96, by: 8).map { Array(tall[$0..<$0 + 8]) }
        #expect(rows[0..<4].allSatisfy { $0 == [UInt8](repeating: 0, count: 8) })
        #expect(rows[4..<8].allSatisfy { $0 == [UInt8](repeating: 200, count: 8) })
        #expect(rows[8..<12].allSatisfy { $0 == [UInt8](repeating: 0, count: 8) })
    }

    @Test func aCoveredPictureIsCutAtTwoSides() throws {
        // Columns of 0, 10, ... 70.
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 8, height: 2))
        let bytes = (0..<16).map { UInt8(10 * ($0 % 8)) }
        var settings = small(2, 2, .grey)
        settings.fit = .cover
        #expect(try picture(settings, of: format, bytes) == [30, 40, 30, 40])
        settings.view.mount = CameraMount(angle: .quarter)
        #expect(try picture(settings, of: format, bytes) == [30, 30, 40, 40])
        settings.fit = .stretch
        #expect(try picture(settings, of: format, bytes) == [15, 15, 55, 55])
    }

    @Test(
        "Pixels have the colours of the standard",
        arguments: [Colorimetry.webcam, .jpeg, Colorimetry(range: .limited, matrix: .bt709)])
    func colours(colorimetry: Colorimetry) throws {
        let (format, bytes) = smoothFrame(.i420, size, colorimetry: colorimetry)
        let reference = PlainConverter(format)?.rgb24(bytes.span.bytes)
        let truth = try #require(reference)
        let found = try picture(PictureSettings(format: .rgb24), of: format, bytes)
        // The reference repeats chroma, which is interpolated here.
        #expect(largestDifference(found, truth) <= 3)
        let reversed = try picture(PictureSettings(format: .bgr24), of: format, bytes)
        #expect((0..<size.area).allSatisfy { reversed[3 * $0] == found[3 * $0 + 2] })
    }

    private func decoded(_ jpeg: [UInt8], _ size: FrameSize) throws -> [UInt8] {
        var decoder = try JPEGDecoder()
        var pixels = [UInt8](repeating: 0, count: 3 * size.area)
        try pixels.withUnsafeMutableBytes { pixels in
            let flaw = try decoder.decodeRGB(jpeg.span.bytes, size: size, into: pixels)
            #expect(flaw == nil)
        }
        return pixels
    }

    @Test(
        "JPEG pictures have the colours of the frame",
        arguments: [Colorimetry.webcam, .jpeg, Colorimetry(range: .limited, matrix: .bt709)])
    func jpegColours(colorimetry: Colorimetry) throws {
        // An odd size, for which the codec wants more than there is.
        let odd = FrameSize(width: 63, height: 35)
        let (format, bytes) = smoothFrame(.i420, odd, colorimetry: colorimetry)
        let jpeg = try picture(PictureSettings(format: .jpeg(quality: 100)), of: format, bytes)
        let truth = try picture(PictureSettings(format: .rgb24), of: format, bytes)
        #expect(largestDifference(try decoded(jpeg, odd), truth) <= 8)
    }

    @Test(arguments: [(32, 16), (16, 8), (9, 4)])
    func jpegFramesAreShrunkWhileTheyAreDecoded(width: Int, height: Int) throws {
        let size = FrameSize(width: 64, height: 32)
        let (format, bytes) = smoothFrame(.i420, size, colorimetry: .jpeg)
        let jpeg = try picture(PictureSettings(format: .jpeg(quality: 100)), of: format, bytes)
        let camera = FrameFormat(pixelFormat: .mjpeg, size: size)
        let found = try picture(small(width, height), of: camera, jpeg)
        #expect(largestDifference(found, try picture(small(width, height), of: format, bytes)) <= 3)
        // Beside a whole picture, it is made of that.
        let both = try pictures([small(width, height), PictureSettings()], of: camera, jpeg)
        #expect(largestDifference(found, try #require(both[0])) <= 3)
    }

    @Test func rangesAreConverted() throws {
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 4, height: 1))
        var limited = PictureSettings(format: .grey)
        limited.range = .limited
        #expect(try picture(limited, of: format, [0, 128, 254, 255]) == [16, 126, 234, 235])
        var narrow = format
        narrow.colorimetry.range = .limited
        limited.range = .full
        #expect(try picture(limited, of: narrow, [0, 16, 126, 255]) == [0, 0, 128, 255])
    }

    @Test func greyFramesHaveNeutralColours() throws {
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 4, height: 2))
        let picture = try picture(PictureSettings(), of: format, [UInt8](repeating: 77, count: 8))
        #expect(picture == [UInt8](repeating: 77, count: 8) + [UInt8](repeating: 128, count: 4))
    }

    @Test func whatCannotBeDecodedIsNoPicture() throws {
        let converter = try PictureConverter(FrameFormat(pixelFormat: .mjpeg, size: size), [PictureSettings()])
        let broken: [UInt8] = [1, 2, 3]
        let isTaken = converter.take(broken.span.bytes)
        #expect(!isTaken)
        let short = try PictureConverter(FrameFormat(pixelFormat: .yuyv, size: size), [PictureSettings()])
        let isShortTaken = short.take(broken.span.bytes)
        #expect(!isShortTaken)
    }

    @Test func whatCannotBeMadeIsKnownBeforehand() {
        func error(_ format: PixelFormat, _ settings: PictureSettings) -> PictureError? {
            do throws(PictureError) {
                _ = try PictureConverter(FrameFormat(pixelFormat: format, size: size), [settings])
                return nil
            } catch { return error }
        }
        #expect(error(PixelFormat("ABCD"), PictureSettings()) == .unreadable(PixelFormat("ABCD")))
        #expect(error(PixelFormat("H264"), PictureSettings()) == .unreadable(PixelFormat("H264")))
        #expect(error(.nv12, small(0, 5)) == .badSize(FrameSize(width: 0, height: 5)))
        #expect(error(.nv12, small(20000, 5)) == .badSize(FrameSize(width: 20000, height: 5)))
        #expect(error(.nv12, PictureSettings(format: .jpeg(quality: 0))) == .badQuality(0))
        #expect(error(.mjpeg, small(1, 1)) == nil)
    }

    @Test(
        "Pictures of every format and odd size are drawn within their memory",
        arguments: [(1, 1), (2, 1), (1, 2), (3, 5), (17, 9), (64, 36), (95, 53)])
    func sizes(width: Int, height: Int) throws {
        let kinds: [PictureFormat] = [.i420, .nv12, .yuyv, .grey, .rgb24, .bgr24, .jpeg(quality: 80)]
        let all = kinds.map { small(width, height, $0) }
        for (pixelFormat, seed) in zip([PixelFormat.yuyv, .nv12, .rgb24, .grey, .p010], UInt64(1)...) {
            let (format, bytes) = randomFrame(pixelFormat, FrameSize(width: 31, height: 23), seed: seed)
            let made = try pictures(all, of: format, bytes)
            #expect(made.allSatisfy { $0 != nil })
        }
    }

    @Test func afterTheFirstFrameNothingIsAllocated() throws {
        let kinds: [PictureFormat] = [.i420, .nv12, .yuyv, .grey, .rgb24]
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
        defer { memory.deallocate() }
        for pixelFormat in [PixelFormat.yuyv, .i420, .rgb24] {
            let (format, bytes) = randomFrame(pixelFormat, size, seed: 9)
            let converter = try PictureConverter(format, kinds.map { small(32, 18, $0) })
            let order = converter.order
            var isTaken = false
            func makePictures() {
                isTaken = converter.take(bytes.span.bytes)
                // A `for` loop would allocate here, without optimisation.
                var place = 0
                while place < order.count {
                    _ = converter.draw(order[place], into: memory)
                    place += 1
                }
            }
            makePictures()
            var counts = lc_probe_counts()
            let measured = lc_probe_start()
            makePictures()
            lc_probe_stop(&counts)
            #expect(isTaken)
            guard measured & Int32(LC_PROBE_HEAP) != 0 else {
                #expect(getenv("LIVECAP_SANITIZER") != nil, "the probe counts nothing, so nothing has been checked")
                return
            }
            #expect(counts.allocations == 0, "\(pixelFormat)")
        }
    }
}
