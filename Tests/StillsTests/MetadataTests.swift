// SPDX-License-Identifier: MIT
// The metadata of photos, as read by another program.

import Foundation
import Fusion
import LivecapFrames
import LivecapJPEG
import Testing

@testable import LivecapStills

/// A value for every tag that `expectFull` checks.
private let full: PhotoMetadata = {
    var metadata = PhotoMetadata()
    metadata.orientation = .right
    metadata.time = CalendarTime(
        sinceEpoch: .nanoseconds(1_795_280_705_012_345_678), utcOffset: .milliseconds(5400 * 1000))
    metadata.software = "livecap 1.0"
    metadata.cameraModel = "Grüne Kamera"
    metadata.manual = ManualSettings(exposure: .microseconds(33_300), gain: 9, whiteBalance: 4200)
    metadata.description = "eight frames; the tap was 3 ms late"
    return metadata
}()

/// The same for an upright picture, whose pixels are not turned.
private let fullUpright: PhotoMetadata = {
    var metadata = full
    metadata.orientation = .up
    return metadata
}()

private func expectFull(_ tags: [String: String], orientation: String = "6") {
    #expect(tags["Orientation"] == orientation)
    #expect(tags["DateTimeOriginal"] == "2026:11:21 18:35:05")
    #expect(tags["SubSecTimeOriginal"] == "012345")
    #expect(tags["OffsetTimeOriginal"] == "+01:30")
    #expect(tags["Software"] == "livecap 1.0")
    #expect(tags["Model"] == "Grüne Kamera")
    #expect(tags["ExposureTime"] == "0.0333")
    #expect(tags["ExposureMode"] == "1" && tags["WhiteBalance"] == "1")
    #expect(tags["ImageDescription"] == "eight frames; the tap was 3 ms late")
}

@Suite struct MetadataTests {
    private let size = FrameSize(width: 32, height: 16)

    private func still(_ pixelFormat: PixelFormat = .yuyv) throws -> FusedPicture {
        try picture(FrameFormat(pixelFormat: pixelFormat, size: size)) { plane, x, y in
            plane == 0 ? UInt16(16 + x + y) << 8 : 128 << 8
        }
    }

    private func jpeg(_ metadata: PhotoMetadata?, _ still: FusedPicture) throws -> [UInt8] {
        let encoder = try StripedJPEGEncoder()
        return try encoder.encode(still, quality: 90, metadata: metadata)
    }

    @Test(arguments: [StillFormat.jpeg, .heic]) func theIdentifierOfAPairIsWhereAppleHasIt(format: StillFormat) throws {
        var metadata = fullUpright
        metadata.contentIdentifier = "0F4A2C11-7B7E-4E0B-9A51-3C2E7D2B9A10"
        let file =
            try format == .jpeg
            ? jpeg(metadata, still()) : HEICEncoder(quality: 70).encode(still(), metadata: metadata)
        let tags = try exiftool(file, format)
        // Older versions of exiftool call it so.
        #expect(tags["ContentIdentifier"] ?? tags["MediaGroupUUID"] == metadata.contentIdentifier)
        let verdict = try exiftool(file, format, ["-n", "-validate", "-warning"])
        #expect(verdict["Validate"]?.hasPrefix("0") == true, "\(verdict)")
        expectFull(tags, orientation: "1")
    }

    @Test func everythingToldComesBackFromJPEG() throws {
        expectFull(try exiftool(jpeg(full, still()), .jpeg))
        var other = FrameFormat(pixelFormat: .yuyv, size: size)
        other.colorimetry.matrix = .bt709
        // Encoded by way of R'G'B'.
        expectFull(try exiftool(jpeg(full, picture(other) { _, _, _ in 1 << 15 }), .jpeg))
    }

    @Test func everythingToldComesBackFromPNG() throws {
        let pixels = [UInt8](repeating: 9, count: 3 * size.area)
        for file in [
            try PNGEncoder().encode(still(), metadata: full),
            try PNGEncoder(depth: .eight).encode(still(.grey), metadata: full),
            try PNGEncoder().encode(rgb24: pixels, size: size, .sRGB, metadata: full),
        ] {
            expectFull(try exiftool(file, .png), orientation: "1")
        }
    }

    @Test func everythingToldComesBackFromHEIC() throws {
        let file = try HEICEncoder(quality: 70).encode(still(), metadata: full)
        expectFull(try exiftool(file, .heic), orientation: "1")
    }

    @Test func readersFindNothingToComplainOf() throws {
        let strict = ["-n", "-validate", "-warning", "-error"]
        for metadata in [full, PhotoMetadata()] {
            let inPNG = try exiftool(PNGEncoder().encode(still(), metadata: metadata), .png, strict)
            #expect(inPNG == ["Validate": "0 0 0"])
            let inHEIC = try exiftool(HEICEncoder(quality: 70).encode(still(), metadata: metadata), .heic, strict)
            #expect(inHEIC == ["Validate": "0 0 0"])
            let inJPEG = try exiftool(jpeg(metadata, still()), .jpeg, strict)
            #expect(inJPEG == ["Validate": "0 0 0"])
        }
    }

    @Test func thePictureIsTheSameWithAndWithout() throws {
        let still = try still()
        let (plain, tagged) = (try jpeg(nil, still), try jpeg(full, still))
        // The start of the image and JFIF's segment take twenty bytes; Exif's segment follows.
        let length = tagged.count - plain.count
        #expect(Array(tagged[..<20] + tagged[(20 + length)...]) == plain)
        #expect(Array(tagged[20..<22]) == [0xFF, 0xE1])
        let png = try PNGEncoder().encode(still, metadata: fullUpright)
        #expect(chunks(png).filter { $0.name == "eXIf" }.map(\.data) == [fullUpright.exif(of: size, still.colorimetry)])
        #expect(
            try ffmpegSamples(of: png, as: "rgb48le") == ffmpegSamples(of: PNGEncoder().encode(still), as: "rgb48le"))
        #expect(!chunks(try PNGEncoder().encode(still)).contains { $0.name == "eXIf" })
    }

    @Test(
        arguments: zip(
            PhotoOrientation.allCases,
            [
                "Horizontal (normal)", "Mirror horizontal", "Rotate 180", "Mirror vertical",
                "Mirror horizontal and rotate 270 CW", "Rotate 90 CW", "Mirror horizontal and rotate 90 CW",
                "Rotate 270 CW",
            ]))
    func orientationsMeanWhatTheySay(_ orientation: PhotoOrientation, _ words: String) throws {
        var metadata = PhotoMetadata()
        metadata.orientation = orientation
        #expect(try exiftool(jpeg(metadata, still()), .jpeg, ["-Orientation"]) == ["Orientation": words])
    }

    @Test func timesOfAllZonesAndAges() throws {
        func tags(_ seconds: Int64, _ nanoseconds: Int64, ahead minutes: Int64) throws -> [String] {
            var metadata = PhotoMetadata()
            metadata.time = CalendarTime(
                sinceEpoch: .nanoseconds(seconds * 1_000_000_000 + nanoseconds),
                utcOffset: .milliseconds(minutes * 60_000))
            let tags = try exiftool(jpeg(metadata, still()), .jpeg)
            return ["DateTimeOriginal", "SubSecTimeOriginal", "OffsetTimeOriginal"].map { tags[$0] ?? "none" }
        }
        #expect(try tags(0, 0, ahead: 0) == ["1970:01:01 00:00:00", "000000", "+00:00"])
        #expect(try tags(0, -1, ahead: 0) == ["1969:12:31 23:59:59", "999999", "+00:00"])
        #expect(try tags(951_782_400, 999_999_999, ahead: -210) == ["2000:02:28 20:30:00", "999999", "-03:30"])
        #expect(try tags(951_782_400, 0, ahead: 840) == ["2000:02:29 14:00:00", "000000", "+14:00"])
        #expect(try tags(0, 0, ahead: 1440) == ["none", "none", "none"])
    }

    @Test func textThatIsTooLongIsCutBetweenCharacters() throws {
        var metadata = PhotoMetadata()
        metadata.cameraModel = "x" + String(repeating: "ü", count: 200)
        metadata.description = String(repeating: "€", count: 20_000)
        metadata.software = "one\0two"
        let tags = try exiftool(jpeg(metadata, still()), .jpeg)
        #expect(tags["Model"] == "x" + String(repeating: "ü", count: 127))
        #expect(tags["ImageDescription"] == String(repeating: "€", count: 10_922))
        #expect(tags["Software"] == "one")
    }

    @Test(arguments: [
        (Duration.nanoseconds(100_000), "0.0001"), (.nanoseconds(33_333_333), "0.033333333"),
        (.milliseconds(5000), "5"), (.milliseconds(30_500), "30.5"),
    ])
    func exposureTimesAreExact(_ time: Duration, _ words: String) throws {
        var metadata = PhotoMetadata()
        metadata.manual = ManualSettings(exposure: time)
        #expect(try exiftool(jpeg(metadata, still()), .jpeg)["ExposureTime"] == words)
    }

    @Test func noExposureTimeIsTold() throws {
        for time in [Duration.zero, .milliseconds(-5)] {
            var metadata = PhotoMetadata()
            metadata.manual = ManualSettings(exposure: time)
            #expect(try exiftool(jpeg(metadata, still()), .jpeg)["ExposureTime"] == nil)
        }
    }

    @Test func exifReplacesTheCamerasOwnBlock() throws {
        var cameras = PhotoMetadata()
        cameras.software = "firmware"
        let frame = try jpeg(cameras, still())
        let tagged = full.inserted(intoJPEG: frame.span.bytes)
        expectFull(try exiftool(tagged, .jpeg))
        #expect(try tagged == jpeg(full, still()))
        // Data that is not JPEG is returned unchanged.
        let bytes: [UInt8] = [1, 2, 3]
        let unchanged = full.inserted(intoJPEG: bytes.span.bytes)
        #expect(unchanged == bytes)
    }
}
