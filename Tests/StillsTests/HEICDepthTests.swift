// SPDX-License-Identifier: MIT
// Depth maps in HEIC files come back from our reader and from libheif's programs.

import Fusion
import LivecapFrames
import Testing

@testable import LivecapStills

@Suite struct HEICDepthTests {
    private func still(_ metadata: PhotoMetadata? = nil) throws -> [UInt8] {
        let format = FrameFormat(pixelFormat: .nv12, size: FrameSize(width: 80, height: 64), colorimetry: .jpeg)
        let still = try picture(format) { plane, x, y in UInt16(plane == 0 ? 60 + x + y : 128) << 8 }
        return try HEICEncoder(quality: 70).encode(still, metadata: metadata)
    }

    private func readBack(_ depth: DepthMap, bits: HEICEncoder.Depth = .ten) throws -> DepthMap {
        let file = try PhotoDepth.added(depth, to: still(), bits: bits)
        return try #require(PhotoDepth(file)).map(of: file)
    }

    /// The largest error in counts; nil if a hole was filled or made.
    private func error(_ found: DepthMap, _ depth: DepthMap) -> Int? {
        guard found.size == depth.size else { return nil }
        var worst = 0
        for (found, sample) in zip(found.samples, depth.samples) {
            guard (found == 0) == (sample == 0) else { return nil }
            worst = max(worst, abs(Int(found) - Int(sample)))
        }
        return worst
    }

    @Test(arguments: HEICEncoder.Depth.allCases) func distancesAreWithinAHalfStep(bits: HEICEncoder.Depth) throws {
        let depth = slope()
        let found = try readBack(depth, bits: bits)
        let range = try #require(depth.range)
        let span = Double(range.upperBound - range.lowerBound)
        let worst = try #require(error(found, depth), "holes differ")
        let step = max(span / Double(1 << bits.rawValue - 2), 1)
        #expect(Double(worst) <= step / 2 + 0.5)
        // 0.2 % of the range, with bits to spare from 10 bits on.
        if bits != .eight { #expect(Double(worst) <= 0.001 * span) }
        #expect(found.metresPerCount == 0.001)
    }

    @Test func aRangeOfFewCountsLosesNothing() throws {
        let depth = depthMap(96, 64) { x, y in x == y ? 0 : UInt16(40_000 + (x * 64 + y) % 1022) }
        let found = try readBack(depth)
        #expect(found == depth)
        // 12 bits have more codes.
        let wide = depthMap(96, 64) { x, y in UInt16(700 + (x * 64 + y) % 4094) }
        let fine = try readBack(wide, bits: .twelve)
        #expect(fine == wide)
    }

    @Test(arguments: [
        FrameSize(width: 1, height: 1), FrameSize(width: 17, height: 33), FrameSize(width: 80, height: 60),
        FrameSize(width: 65, height: 71), FrameSize(width: 2, height: 130),
    ])
    func everySizeIsKept(size: FrameSize) throws {
        let depth = depthMap(size.width, size.height) { x, y in UInt16(1000 + (x * 31 + y * 17) % 900) }
        let found = try readBack(depth)
        #expect(found == depth)
        let file = try PhotoDepth.added(depth, to: still())
        let other = try #require(try depthPicture(ofHEIC: file))
        let chunks = PNGChunks(other)
        #expect(chunks.size == size)
    }

    @Test(
        arguments: [
            (1, 65535), (65534, 65535), (65535, 65535), (1, 1), (500, 500), (0, 0),
        ] as [(UInt16, UInt16)])
    func extremes(nearest: UInt16, farthest: UInt16) throws {
        let depth = depthMap(64, 64) { x, _ in x < 20 ? nearest : x < 40 ? farthest : 0 }
        let found = try readBack(depth)
        let worst = try #require(error(found, depth), "holes differ")
        #expect(worst <= 33)
        #expect(found.samples[0] == nearest, "the nearest distance is exact")
    }

    @Test func everythingSaidComesBack() throws {
        let depth = describedSlope()
        let file = try PhotoDepth.added(depth, to: still())
        let told = try #require(PhotoDepth(file))
        #expect(told.form == .auxiliary && told.size == depth.size && told.bits == 10)
        #expect(told.isFiltered == true && told.metresPerCount == 0.001)
        #expect(told.distances == depth.distances && told.intrinsics == depth.intrinsics)
        let found = try told.map(of: file)
        #expect(found.reach == depth.reach && found.intrinsics == depth.intrinsics && found.isFiltered)
    }

    @Test func libheifFindsTheSame() throws {
        let depth = slope()
        let file = try PhotoDepth.added(depth, to: still())
        let words = String(decoding: try output(of: ["heif-info"], for: file, suffix: ".heic"), as: UTF8.self)
        #expect(words.contains("depth channel: yes"), "\(words)")
        #expect(words.contains("96x64"), "\(words)")
        let other = try #require(try depthPicture(ofHEIC: file))
        // Grey as three equal channels.
        let channels = try StillsTests.words(ffmpegSamples(of: other, as: "rgb48le"))
        let distances = try #require(depth.range)
        #expect(channels.count == 3 * depth.samples.count)
        // libheif's program shifts codes to 16 bits. Code 0 is a hole, and the largest the nearest distance.
        let step = Double(distances.upperBound - distances.lowerBound) / 1022
        let wrong = depth.samples.indices.count { place in
            let code = Int(channels[3 * place]) >> 6
            guard depth.samples[place] != 0 else { return code != 0 }
            let counts = Double(distances.lowerBound) + Double(1023 - code) * step
            return abs(counts - Double(depth.samples[place])) > 0.5 * step + 0.01
        }
        #expect(wrong == 0)
    }

    /// The same numbers as libheif prints them.
    @Test func libheifKnowsNearAndFar() throws {
        let depth = slope()
        let file = try PhotoDepth.added(depth, to: still())
        let words = String(decoding: try output(of: ["heif-info"], for: file, suffix: ".heic"), as: UTF8.self)
        func number(_ name: String) throws -> Double {
            let line = try #require(words.split(separator: "\n").first { $0.contains(name) }, "\(words)")
            let text = try #require(line.split(separator: ":").last)
            let number = String(text.filter { !$0.isWhitespace })
            return try #require(Double(number))
        }
        let coding = DepthCodes(depth, bits: 10).coding(0.001)
        #expect(abs(try number("z-near") - coding.lowerBound) < 0.001)
        #expect(abs(try number("z-far") - coding.upperBound) < 0.001)
        #expect(words.contains("uniform Z"), "\(words)")
    }

    @Test func thePictureStaysAsItWas() throws {
        var metadata = PhotoMetadata()
        metadata.provenance = #"{"name":"<a> & \"b\""}"#
        metadata.software = "livecap"
        let plain = try still(metadata)
        let file = try PhotoDepth.added(describedSlope(), to: plain)
        let before = try #require(PhotoInspection(plain))
        let after = try #require(PhotoInspection(file))
        #expect(before == after && after.provenance == metadata.provenance)
        #expect(try converted(heic: file) == converted(heic: plain))
        #expect(try exiftool(file, .heic)["Software"] == "livecap")
        #expect(try exiftool(file, .heic, ["-n", "-validate", "-warning", "-error"]) == ["Validate": "0 0 0"])
        let fine = try #require(try FinePicture(file))
        #expect(fine.size == before.size)
    }

    @Test func aMovieStaysAtTheEnd() throws {
        let movie = Array("\0\0\0\u{14}ftypisom\0\0\u{2}\0mp42".utf8) + Array(0...99)
        let plain = try still()
        let depth = slope()
        let joined = try #require(MotionPhoto.file(plain, movie: movie, moment: .zero))
        let file = try PhotoDepth.added(depth, to: joined)
        let motion = try #require(MotionPhoto(file))
        #expect(Array(file[motion.movie]) == movie)
        let other = try #require(MotionPhoto.file(PhotoDepth.added(depth, to: plain), movie: movie, moment: .zero))
        #expect(other == file)
        #expect(try #require(PhotoDepth(other)).map(of: other).samples == readBack(depth).samples)
    }

    /// Files of libheif's program have a thumbnail and a channel of transparency, which refer to the picture, too.
    @Test func thumbnailsAndTransparencyStay() throws {
        let size = FrameSize(width: 128, height: 96)
        var picture = PNGBytes(width: size.width, height: size.height, depth: 8, colourType: 6)
        picture.samples = (0..<4 * size.area).map { UInt16($0 / 7 % 256) }
        let plain = try heic(ofPNG: picture.file, ["-t", "64"])
        let file = try PhotoDepth.added(slope(), to: plain)
        let words = String(decoding: try output(of: ["heif-info"], for: file, suffix: ".heic"), as: UTF8.self)
        #expect(words.contains("thumbnail: 64x48"), "\(words)")
        #expect(words.contains("alpha channel: yes") && words.contains("depth channel: yes"), "\(words)")
        #expect(try converted(heic: file) == converted(heic: plain))
    }

    @Test(arguments: PhotoOrientation.allCases) func mapsAreTurnedLikePictures(orientation: PhotoOrientation) throws {
        let depth = describedSlope(70, 64)
        let file = try PhotoDepth.added(depth, to: still(), orientation: orientation)
        let found = try #require(PhotoDepth(file)).map(of: file)
        #expect(found.size == orientation.shown(depth.size))
        let turned = depth.turned(orientation)
        #expect(error(found, turned).map { $0 < 8 } == true)
        // A point in front of the lens is shown where the turned lens shows the turned point.
        let lens = try #require(depth.intrinsics)
        let other = try #require(found.intrinsics)
        let shown = orientation.shown(lens.size)
        #expect(other.size == shown)
        let middle = (x: Int(other.cx.rounded()), y: Int(other.cy.rounded()))
        let pixel = orientation.pixel(shownAt: middle.x, middle.y, of: lens.size)
        #expect(abs(Double(pixel.x) - lens.cx) <= 0.5 && abs(Double(pixel.y) - lens.cy) <= 0.5)
    }

    @Test func aSecondMapIsRefused() throws {
        let file = try PhotoDepth.added(slope(), to: still())
        #expect(throws: StillError.unencodable("the picture has a depth map already")) {
            try PhotoDepth.added(slope(), to: file)
        }
    }

    @Test func filesThatAreCutOrChangedDoNoHarm() throws {
        let file = try PhotoDepth.added(slope(66, 64), to: still())
        for count in stride(from: 0, to: file.count, by: 3) { _ = PhotoDepth(Array(file[..<count])) }
        // Each byte of the boxes in turn, in two ways.
        let end = try #require(HEICItems(file)).meta.whole.upperBound
        for place in 0..<end {
            for mask in [0xFF, 0x01] as [UInt8] {
                var changed = file
                changed[place] ^= mask
                _ = PhotoDepth(changed)
                let isKept = PhotoDepth.keepsItems(of: changed)
                #expect(isKept, "byte \(place), \(mask)")
            }
        }
    }
}
