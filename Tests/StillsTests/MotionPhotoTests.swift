// SPDX-License-Identifier: MIT
// Stills with a movie in the same file, as other programs read them.

import Foundation
import Fusion
import LivecapFrames
import LivecapJPEG
import Testing

@testable import LivecapStills

@Suite struct MotionPhotoTests {
    private let size = FrameSize(width: 32, height: 16)
    private static let account = #"{"name":"<Grüne> & \"Kamera\""}"#
    /// A box that begins as MP4 files do, and bytes that look like the end of a JPEG picture.
    private let movie = Array("\0\0\0\u{14}ftypisom\0\0\u{2}\0mp42".utf8) + [0xFF, 0xD9, 0xFF, 0xD8] + Array(0...255)

    private func still(_ format: StillFormat, _ account: String? = Self.account) throws -> [UInt8] {
        let still = try picture(FrameFormat(pixelFormat: .yuyv, size: size)) { plane, x, y in
            plane == 0 ? UInt16(16 + x + y) << 8 : 128 << 8
        }
        var metadata = PhotoMetadata()
        (metadata.provenance, metadata.software) = (account, "livecap")
        switch format {
        case .jpeg:
            let encoder = try StripedJPEGEncoder()
            return try encoder.encode(still, quality: 90, metadata: metadata)
        case .heic: return try HEICEncoder(quality: 70).encode(still, metadata: metadata)
        case .png: return try PNGEncoder().encode(still, metadata: metadata)
        }
    }

    private func joined(_ format: StillFormat, _ account: String? = Self.account) throws -> [UInt8] {
        try #require(MotionPhoto.file(still(format, account), movie: movie, moment: .milliseconds(1480)))
    }

    @Test(arguments: [StillFormat.jpeg, .heic]) func theMovieIsFoundAgain(format: StillFormat) throws {
        let file = try joined(format)
        let found = try #require(MotionPhoto(file))
        #expect(Array(file[found.movie]) == movie)
        #expect(found.moment == (format == .jpeg ? .milliseconds(1480) : nil))
        #expect(MotionPhoto.still(of: file) == (try still(format)))
    }

    @Test(arguments: [StillFormat.jpeg, .heic]) func theStillIsWhatItWas(format: StillFormat) throws {
        let inspection = try #require(PhotoInspection(joined(format)))
        #expect(inspection.format == format && inspection.size == size && inspection.isWhole)
        #expect(inspection.provenance == Self.account)
        #expect(try exiftool(joined(format), format, ["-n", "-Software"])["Software"] == "livecap")
    }

    @Test func exiftoolFindsTheMovie() throws {
        let file = try joined(.jpeg)
        let tags = try exiftool(file, .jpeg)
        #expect(tags["MotionPhoto"] == "1" && tags["MotionPhotoVersion"] == "1")
        #expect(tags["MotionPhotoPresentationTimestampUs"] == "1480000")
        #expect(tags["MicroVideoOffset"] == "\(movie.count)")
        // Both values together: that of the still, which is not said, and that of the movie.
        #expect(tags["DirectoryItemLength"] == "0\(movie.count)")
        #expect(try exiftool(file, .jpeg, ["-n", "-validate", "-warning"])["Validate"]?.hasPrefix("0") == true)
    }

    @Test func aMovieIsReplaced() throws {
        let file = try joined(.jpeg)
        let other = movie + [1, 2, 3]
        let again = try #require(MotionPhoto.file(file, movie: other, moment: .seconds(1)))
        let found = try #require(MotionPhoto(again))
        #expect(Array(again[found.movie]) == other && found.moment == .seconds(1))
        #expect(again.count == file.count + 3)
    }

    @Test func aStillWithoutAnAccountIsJoined() throws {
        let file = try joined(.jpeg, nil)
        #expect(PhotoInspection(file)?.provenance == nil)
        #expect(MotionPhoto.still(of: file) == (try still(.jpeg, nil)))
    }

    @Test func otherFilesHaveNone() throws {
        #expect(MotionPhoto.file(try still(.png), movie: movie, moment: .zero) == nil)
        for format in StillFormat.allCases { #expect(MotionPhoto(try still(format)) == nil) }
        #expect(MotionPhoto([]) == nil && MotionPhoto([0xFF, 0xD8]) == nil)
    }

    @Test(arguments: [StillFormat.jpeg, .heic]) func filesThatAreCutDoNoHarm(format: StillFormat) throws {
        let file = try joined(format)
        for count in 0..<file.count {
            guard let found = MotionPhoto(Array(file[..<count])) else { continue }
            #expect(found.movie.upperBound <= count, "cut at \(count)")
        }
    }

    @Test(
        "What phones write is read",
        arguments: [
            #"GCamera:MicroVideo="1" GCamera:MicroVideoOffset="280""#,
            #"<Container:Item Item:Length="280" Item:Semantic="MotionPhoto" Item:Mime="video/mp4"/>"#,
            #"<Container:Item Item:Semantic="Primary" Item:Length="9"/><Container:Item Item:Semantic="MotionPhoto" Item:Length="280"/>"#,
        ])
    func phones(text: String) {
        #expect(XMPPacket.motion(in: Array(text.utf8)) == XMPPacket.Motion(movieBytes: 280, moment: nil))
    }

    @Test(arguments: ["", "GCamera:MicroVideoOffset=\"x\"", "GCamera:MicroVideoOffset=\"12", "Item:Length=\"5\""])
    func otherTextSaysNothing(text: String) { #expect(XMPPacket.motion(in: Array(text.utf8)) == nil) }

    @Test(arguments: ["-5", "0", "99999999999999999999", "1000000"]) func impossibleLengthsAreNoMovie(length: String)
        throws
    {
        let still = try still(.jpeg)
        let text = Array(#"GCamera:MicroVideoOffset="\#(length)""#.utf8)
        let inserted = MetadataSegment.inserted([(.xmp, text)], into: still.span.bytes)
        #expect(MotionPhoto(try #require(inserted) + movie) == nil)
    }
}
