// SPDX-License-Identifier: MIT
// Depth maps in JPEG and PNG files come back bit for bit, from our reader and from exiftool.

import Fusion
import LivecapFrames
import LivecapJPEG
import Testing

@testable import LivecapStills

@Suite struct GDepthTests {
    private let size = FrameSize(width: 96, height: 64)
    private static let account = #"{"name":"<a> & \"b\""}"#
    private let movie = Array("\0\0\0\u{14}ftypisom\0\0\u{2}\0mp42".utf8) + [0xFF, 0xD9, 0xFF, 0xD8] + Array(0...255)

    private func still(_ orientation: PhotoOrientation = .up, _ account: String? = Self.account) throws -> [UInt8] {
        let still = try picture(FrameFormat(pixelFormat: .yuyv, size: size)) { plane, x, y in
            plane == 0 ? UInt16(16 + x + y) << 8 : 128 << 8
        }
        var metadata = PhotoMetadata()
        metadata.provenance = account
        metadata.software = "livecap"
        metadata.orientation = orientation
        let encoder = try StripedJPEGEncoder()
        return try encoder.encode(still, quality: 90, metadata: metadata)
    }

    private func readBack(_ depth: DepthMap) throws -> DepthMap {
        let file = try PhotoDepth.added(depth, to: still())
        return try #require(PhotoDepth(file)).map(of: file)
    }

    /// Noise, so that the packet has several parts.
    private func noise(_ width: Int, _ height: Int) -> DepthMap {
        var state: UInt32 = 1
        return depthMap(width, height) { _, _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt16(truncatingIfNeeded: state >> 16)
        }
    }

    @Test(arguments: [
        FrameSize(width: 1, height: 1), FrameSize(width: 17, height: 33), FrameSize(width: 320, height: 241),
    ])
    func everyBitComesBack(size: FrameSize) throws {
        let depth = noise(size.width, size.height)
        #expect(try readBack(depth) == depth)
        let file = try DepthPNG.file(depth)
        #expect(try #require(PhotoDepth(file)).map(of: file) == depth)
    }

    @Test(arguments: [(0, 0), (1, 65535), (65535, 65535), (500, 500)] as [(UInt16, UInt16)])
    func extremes(first: UInt16, second: UInt16) throws {
        let depth = depthMap(40, 30) { x, _ in x < 20 ? first : second }
        #expect(try readBack(depth) == depth)
        let file = try PhotoDepth.added(depth, to: still())
        #expect(PhotoDepth(file)?.distances == depth.distances)
    }

    @Test func everythingSaidComesBack() throws {
        let depth = describedSlope()
        #expect(try readBack(depth) == depth)
        for file in [try PhotoDepth.added(depth, to: still()), try DepthPNG.file(depth)] {
            let told = try #require(PhotoDepth(file))
            #expect(told.size == depth.size && told.bits == 16 && told.isFiltered == true)
            #expect(told.distances == depth.distances && told.intrinsics == depth.intrinsics)
        }
    }

    @Test func exiftoolReadsTheSameBits() throws {
        let depth = noise(320, 240)
        let file = try PhotoDepth.added(depth, to: still())
        let png = try output(of: ["exiftool", "-b", "-XMP-GDepth:DepthImage"], for: file, suffix: ".jpg")
        #expect(try png == DepthPNG.plainFile(depth))
        #expect(try words(ffmpegSamples(of: png, as: "gray16le")) == depth.samples)
        let tags = try exiftool(file, .jpeg)
        #expect(tags["Format"] == "RangeLinear" && tags["Units"] == "m" && tags["Mime"] == "image/png")
        #expect(tags["Near"] == "0" && tags["Far"].flatMap { Double($0) } == 65535 * 0.001)
        #expect(tags["MeasureType"] == "OpticalAxis" && tags["Software"] == "livecap")
        #expect(try exiftool(file, .jpeg, ["-n", "-validate", "-warning", "-error"]) == ["Validate": "0 0 0"])
    }

    @Test func otherProgramsReadThePNGFile() throws {
        let depth = describedSlope()
        let file = try DepthPNG.file(depth)
        #expect(try words(ffmpegSamples(of: file, as: "gray16le")) == depth.samples)
        let tags = try exiftool(file, .png)
        #expect(tags["DepthMetresPerCount"] == "0.001" && tags["DepthFiltered"] == "True")
        #expect(tags["DepthFocalLengths"] == "612.25 611.5" && tags["DepthIntrinsicsSize"] == "640x480")
        #expect(try exiftool(file, .png, ["-n", "-validate", "-warning", "-error"]) == ["Validate": "0 0 0"])
    }

    @Test func thePictureStaysAsItWas() throws {
        let plain = try still(.right)
        let file = try PhotoDepth.added(describedSlope(), to: plain)
        #expect(PhotoInspection(file) == PhotoInspection(plain) && PhotoInspection(file)?.provenance == Self.account)
        let block = MetadataSegment.exif.block(of: file.span.bytes)
        #expect(block == MetadataSegment.exif.block(of: plain.span.bytes))
        // All that was added is in the header.
        let added = file.count - plain.count
        #expect(added > 0)
        let scan = try #require(plain.firstRange(of: [0xFF, 0xDA] as [UInt8]))
        #expect(file.suffix(plain.count - scan.lowerBound).elementsEqual(plain[scan.lowerBound...]))
        // The map has the rows of the file, as the picture has.
        #expect(try #require(PhotoDepth(file)).map(of: file).size == describedSlope().size)
    }

    @Test func anotherMapReplacesTheFirst() throws {
        let first = try PhotoDepth.added(noise(200, 200), to: still())
        let second = try PhotoDepth.added(slope(), to: first)
        #expect(try second == PhotoDepth.added(slope(), to: still()))
    }

    @Test func movieAndMapShareAFile() throws {
        let depth = describedSlope()
        let joined = try #require(MotionPhoto.file(still(), movie: movie, moment: .milliseconds(700)))
        let file = try PhotoDepth.added(depth, to: joined)
        // In whichever order they came.
        let withDepth = try PhotoDepth.added(depth, to: still())
        #expect(try #require(MotionPhoto.file(withDepth, movie: movie, moment: .milliseconds(700))) == file)
        let motion = try #require(MotionPhoto(file))
        #expect(Array(file[motion.movie]) == movie && motion.moment == .milliseconds(700))
        #expect(try #require(PhotoDepth(file)).map(of: file) == depth)
        #expect(PhotoInspection(file)?.provenance == Self.account)
        #expect(MotionPhoto.still(of: file) == withDepth)
        let tags = try exiftool(file, .jpeg)
        #expect(tags["MotionPhoto"] == "1" && tags["Format"] == "RangeLinear")
        // Without an account, too.
        let bare = try PhotoDepth.added(depth, to: still(.up, nil))
        let bareFile = try #require(MotionPhoto.file(bare, movie: movie, moment: .zero))
        #expect(MotionPhoto.still(of: bareFile) == bare)
    }

    // MARK: Other programs' files

    /// A picture with a packet of another program, and the map in it or in an extended packet.
    private func foreign(_ attributes: String, _ png: [UInt8]) throws -> [UInt8] {
        let data = String(decoding: Base64.text(png), as: UTF8.self)
        let packet = Array("<rdf:Description \(attributes) GDepth:Data='\(data)'/>".utf8)
        let still = try still()
        let file = MetadataSegment.inserted([(.xmp, packet)], into: still.span.bytes)
        return try #require(file)
    }

    @Test func inversesOfPhonesAreRead() throws {
        // Eight bits: 0 is 2 m, 255 is 4 m, 85 is a third of the way between their inverses.
        let png = try PNGEncoder(depth: .eight).encode(grey: [0, 85, 255, 0], size: FrameSize(width: 2, height: 2))
        let file = try foreign(
            "GDepth:Format=\"RangeInverse\" GDepth:Near=\"2000\" GDepth:Far = \"4000\" GDepth:Units='mm'", png)
        let told = try #require(PhotoDepth(file))
        #expect(told.form == .gDepth && told.bits == 8 && told.isFiltered == nil && told.distances == 2...4)
        let map = try told.map(of: file)
        let metres = map.samples.map { map.metres($0) }
        for (found, expected) in zip(metres, [2.0, 2.4, 4, 2]) { #expect(abs(found - expected) < 0.0001) }
    }

    @Test func elementsAreRead() throws {
        let packet = Array(
            "<GDepth:Near>1</GDepth:Near><GDepth:Far>3</GDepth:Far><GDepth:Format>RangeLinear</GDepth:Format>".utf8)
        let depth = try #require(GDepth(packet))
        #expect(depth.distance(0.5) == 2 && depth.mime == "image/jpeg")
    }

    @Test(arguments: [
        "", "GDepth:Near=\"1\"", "GDepth:Near=\"2\" GDepth:Far=\"1\"", "GDepth:Near=\"nan\" GDepth:Far=\"1\"",
        "GDepth:Near=\"-1\" GDepth:Far=\"inf\"", "GDepth:Near=\"1\" GDepth:Far=\"2\" GDepth:Format=\"x\"",
        "GDepth:Near=\"1", "GDepth:Near=",
    ])
    func otherTextIsNoMap(text: String) { #expect(GDepth(Array(text.utf8)) == nil) }

    @Test func mapsThatCannotBeReadSayWhy() throws {
        let colour = try PNGEncoder(depth: .eight).encode(
            rgb24: [1, 2, 3], size: FrameSize(width: 1, height: 1), .sRGB)
        let grey = try PNGEncoder(depth: .eight).encode(grey: [1], size: FrameSize(width: 1, height: 1))
        let range = "GDepth:Near=\"1\" GDepth:Far=\"2\""
        for (attributes, png, word) in [
            (range, colour, "grey"), (range, Array(grey.dropLast(20)), "complete"), (range, [0xFF, 0xD8], "PNG"),
            (range + " GDepth:Units='feet'", grey, "how far"),
        ] {
            let file = try foreign(attributes, png)
            let error = #expect(throws: StillError.self) { try #require(PhotoDepth(file)).map(of: file) }
            #expect(error?.message.contains(word) == true, "\(error as Any)")
        }
    }

    @Test func partsThatAreMissingOrDoubledAreNoMap() throws {
        let whole = try PhotoDepth.added(noise(320, 240), to: still())
        let parts = MetadataSegment.extendedXMP.blocks(of: whole.span.bytes)
        #expect(parts.count > 2)
        let block = MetadataSegment.xmp.block(of: whole.span.bytes)
        let packet = try #require(block)
        func file(with parts: [[UInt8]]) throws -> [UInt8] {
            let blocks = parts.map { (kind: MetadataSegment.extendedXMP, bytes: $0) }
            let changed = MetadataSegment.replaced(
                [.xmp, .extendedXMP], by: [(.xmp, packet)] + blocks, in: whole.span.bytes)
            return try #require(changed)
        }
        for parts in [Array(parts.dropFirst()), Array(parts.dropLast()), parts + parts, []] {
            let changed = try file(with: parts)
            #expect(throws: StillError.undecodable("its depth map is not complete")) {
                try #require(PhotoDepth(changed)).map(of: changed)
            }
        }
        // Their order does not matter.
        let turned = try file(with: parts.reversed())
        #expect(try #require(PhotoDepth(turned)).map(of: turned) == noise(320, 240))
    }

    @Test func filesThatAreCutDoNoHarm() throws {
        let depth = slope(20, 10)
        for file in [try PhotoDepth.added(depth, to: still()), try DepthPNG.file(depth)] {
            for count in 0..<file.count {
                let cut = Array(file[..<count])
                if let depth = PhotoDepth(cut) { _ = try? depth.map(of: cut) }
            }
        }
    }

    // MARK: Text

    @Test func digestsAreThoseOfTheStandard() {
        #expect(MD5.digits(of: []) == "D41D8CD98F00B204E9800998ECF8427E")
        #expect(MD5.digits(of: Array("abc".utf8)) == "900150983CD24FB0D6963F7D28E17F72")
        let digits = Array(String(repeating: "1234567890", count: 8).utf8)
        #expect(MD5.digits(of: digits) == "57EDF4A22BE3C955AC49DA2E2107B67A")
    }

    @Test func textOf64CharactersComesBack() {
        for count in 0..<40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 200) }
            #expect(Base64.bytes(Base64.text(bytes)) == bytes)
        }
        #expect(Base64.text(Array("foobar".utf8)) == Array("Zm9vYmFy".utf8))
        #expect(Base64.text(Array("fooba".utf8)) == Array("Zm9vYmE=".utf8))
        #expect(Base64.bytes("Zm9v\n YmFy".utf8) == Array("foobar".utf8) && Base64.bytes("Zm9v*".utf8) == nil)
    }
}
