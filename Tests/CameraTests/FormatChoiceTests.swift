// SPDX-License-Identifier: MIT
// Which of the formats offered by a camera is chosen.

import LivecapFrames
import Testing

@testable import Camera

@Suite struct FormatChoiceTests {
    /// A typical USB 2 webcam: uncompressed formats are slow at large sizes, MJPEG is not.
    private let webcam = [
        offer(.yuyv, 640, 480, [30, 15]), offer(.yuyv, 1280, 720, [10, 5]), offer(.yuyv, 1920, 1080, [5]),
        offer(.mjpeg, 640, 480, [30]), offer(.mjpeg, 1280, 720, [60, 30]), offer(.mjpeg, 1920, 1080, [30]),
    ]

    private static func offer(_ format: PixelFormat, _ width: Int, _ height: Int, _ rates: [UInt32]) -> FormatOffer {
        FormatOffer(
            pixelFormat: format, size: FrameSize(width: width, height: height), rates: rates.map { FrameRate($0) })
    }

    @Test func theLargestMovingPictureIsTheDefault() throws {
        let (offer, rate) = try #require(FormatRequest().choose(from: webcam))
        #expect(offer.pixelFormat == .mjpeg && offer.size == FrameSize(width: 1920, height: 1080))
        #expect(rate == FrameRate(30))
    }

    @Test func rawIsPreferredWhereItIsAsFastAndLarge() throws {
        let (offer, _) = try #require(FormatRequest(size: FrameSize(width: 640, height: 480)).choose(from: webcam))
        #expect(offer.pixelFormat == .yuyv)
    }

    @Test func eightBitsArePreferredToTenAndTenToJPEG() throws {
        func chosen(_ formats: PixelFormat...) -> PixelFormat? {
            FormatRequest().choose(from: formats.map { Self.offer($0, 640, 480, [30]) })?.offer.pixelFormat
        }
        #expect(chosen(.p010, .nv12, .mjpeg) == .nv12)
        #expect(chosen(.mjpeg, .p010, .rgb24) == .p010)
        #expect(chosen(.y10, .rgb24) == .rgb24)
    }

    /// Frames of compressed video have to be decoded as they come, by a library that may be missing.
    @Test func videoIsChosenWhereNothingElseHasTheSizeAndRate() {
        let camera = webcam + [Self.offer(.h264, 1920, 1080, [60, 30]), Self.offer(.hevc, 3840, 2160, [30])]
        func chosen(_ request: FormatRequest, _ offers: [FormatOffer]) -> PixelFormat? {
            request.choose(from: offers)?.offer.pixelFormat
        }
        let large = FrameSize(width: 1920, height: 1080)
        #expect(chosen(FormatRequest(), camera) == .mjpeg)
        #expect(chosen(FormatRequest(size: large), camera) == .mjpeg)
        #expect(chosen(FormatRequest(size: large, rate: FrameRate(60)), camera) == .h264)
        #expect(chosen(FormatRequest(size: FrameSize(width: 3840, height: 2160)), camera) == .hevc)
        #expect(chosen(FormatRequest(pixelFormat: .h264), camera) == .h264)
        #expect(chosen(FormatRequest(), [.hevc, .h264, .grey].map { Self.offer($0, 640, 480, [30]) }) == .h264)
        #expect(chosen(FormatRequest(), [.hevc, .grey].map { Self.offer($0, 640, 480, [30]) }) == .hevc)
    }

    @Test func aFormatWithoutARowIsFoundInAnyCase() {
        func chosen(_ name: String, _ offered: PixelFormat...) -> PixelFormat? {
            let request = FormatRequest(pixelFormat: PixelFormat(named: name))
            return request.choose(from: offered.map { Self.offer($0, 640, 480, [30]) })?.offer.pixelFormat
        }
        #expect(chosen("y14", PixelFormat("Y14 ")) == PixelFormat("Y14 "))
        #expect(chosen("S561", PixelFormat("s561"), PixelFormat("S561")) == PixelFormat("S561"))
        #expect(chosen("s562", PixelFormat("s561")) == nil)
    }

    @Test func defaultSizeOfAGrabberIsItsInputSize() throws {
        let (own, huge) = (FrameSize(width: 1280, height: 720), FrameSize(width: 16384, height: 8640))
        let offers = [
            FormatOffer(pixelFormat: .yuyv, size: own, rates: [FrameRate(60)]),
            FormatOffer(pixelFormat: .yuyv, size: huge, rates: [FrameRate(60)], isScaled: true),
        ]
        #expect(FormatRequest().choose(from: offers)?.offer.size == own)
        #expect(FormatRequest(size: huge).choose(from: offers)?.offer.size == huge)
    }

    @Test func requestedFormatGetsItsLargestUsableSize() throws {
        let (offer, rate) = try #require(FormatRequest(pixelFormat: .yuyv).choose(from: webcam))
        #expect(offer.size == FrameSize(width: 640, height: 480) && rate == FrameRate(30))
    }

    @Test func requestedRateMayDifferSlightly() throws {
        let (offer, rate) = try #require(FormatRequest(rate: FrameRate(5)).choose(from: webcam))
        #expect(offer.size == FrameSize(width: 1920, height: 1080) && offer.pixelFormat == .yuyv)
        #expect(rate == FrameRate(5))
        let ntsc =
            [Self.offer(.yuyv, 640, 480, [])] + [
                FormatOffer(
                    pixelFormat: .yuyv, size: FrameSize(width: 720, height: 480), rates: [FrameRate(30000, per: 1001)])
            ]
        #expect(FormatRequest(rate: FrameRate(30)).choose(from: ntsc)?.rate == FrameRate(30000, per: 1001))
    }

    @Test func greyAndUnreadableFormatsComeLast() throws {
        let offers = [
            Self.offer(.grey, 1920, 1080, [60]), Self.offer(PixelFormat("BA81"), 1920, 1080, [60]),
            Self.offer(.mjpeg, 320, 240, [15]),
        ]
        #expect(FormatRequest().choose(from: offers)?.offer.pixelFormat == .mjpeg)
    }

    @Test func withNothingUsableTheFastestIsTaken() throws {
        let slow = [Self.offer(.yuyv, 3840, 2160, [1]), Self.offer(.yuyv, 1280, 720, [10])]
        #expect(FormatRequest().choose(from: slow)?.offer.size == FrameSize(width: 1280, height: 720))
    }

    @Test func unsupportedRequestListsNearestAlternativesFirst() {
        let request = FormatRequest(pixelFormat: .yuyv, size: FrameSize(width: 1300, height: 730))
        #expect(request.choose(from: webcam) == nil)
        let alternatives = request.alternatives(among: webcam)
        #expect(alternatives.first == "YUYV 1280x720 at 10, 5 fps")
        #expect(alternatives.count == webcam.count)
    }

    @Test func cameraWithoutListedRatesIsAccepted() {
        let silent = [Self.offer(.yuyv, 640, 480, [])]
        #expect(FormatRequest(rate: FrameRate(30)).choose(from: silent)?.rate == FrameRate(30))
        #expect(FormatRequest().choose(from: []) == nil)
    }
}
