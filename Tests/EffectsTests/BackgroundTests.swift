// SPDX-License-Identifier: MIT
// Pictures as backgrounds: which part of them is shown, in which colours, and which files are refused.

import Fusion
import Glibc
import LivecapDetection
import LivecapFiles
import LivecapFrames
import LivecapJPEG
import LivecapStills
import Testing

@testable import LivecapEffects

@Suite struct BackgroundTests {
    private let folder: PictureFolder
    private static let size = FrameSize(width: 64, height: 36)

    init() throws { folder = try PictureFolder() }

    private func save(_ bytes: [UInt8], as name: String = "picture") throws -> String {
        try folder.save(bytes, as: name)
    }

    private func png(_ size: FrameSize, _ colour: (Int, Int) -> [UInt8]) throws -> [UInt8] {
        try PlacedPixels.png(size, colour)
    }

    private func jpeg(_ size: FrameSize, _ colour: (Int, Int) -> [UInt8]) throws -> [UInt8] {
        var encoder = try JPEGEncoder()
        let pixels = PlacedPixels.bytes(size, colour)
        return try encoder.encodeRGB(pixels.span.bytes, size: size, sampling: .s444, quality: 100) {
            $0.withUnsafeBytes { Array($0) }
        }
    }

    private func kind(_ colorimetry: Colorimetry = .webcam, _ size: FrameSize = size) -> PictureKind {
        PictureKind(size, colorimetry, .best)
    }

    /// Red, green and blue at a place of planes, from 0 to 255.
    private func colour(_ planes: PicturePlanes, _ x: Int, _ y: Int, _ colorimetry: Colorimetry = .webcam) -> [Double] {
        let found = ColorDecoder(colorimetry).color(
            luma: Double(planes.luma.row(y)[x]), cb: Double(planes.cb.row(y / 2)[x / 2]),
            cr: Double(planes.cr.row(y / 2)[x / 2]))
        return [found.red * 255, found.green * 255, found.blue * 255]
    }

    private func isNear(_ found: [Double], _ expected: [UInt8], _ most: Double = 2) -> Bool {
        zip(found, expected).allSatisfy { abs($0 - Double($1)) <= most }
    }

    @Test(arguments: [
        Colorimetry.webcam, .jpeg, Colorimetry(range: .limited, matrix: .bt709),
        Colorimetry(range: .full, matrix: .bt2020),
    ])
    func aPictureHasItsColoursInEveryColorimetry(_ colorimetry: Colorimetry) throws {
        // Squares of 8x8 in nine colours, as large as the frame: nothing is scaled.
        let colours: [[UInt8]] = [
            [255, 255, 255], [0, 0, 0], [200, 40, 40], [40, 200, 40], [40, 40, 200], [128, 128, 128], [250, 220, 180],
        ]
        func at(_ x: Int, _ y: Int) -> [UInt8] { colours[(x / 8 + y / 8) % colours.count] }
        let background = BackgroundPicture(kind(colorimetry))
        let planes = background.planes(of: try save(png(Self.size, at)))
        for y in 0..<Self.size.height {
            for x in 0..<Self.size.width {
                let found = colour(planes, x, y, colorimetry)
                #expect(isNear(found, at(x, y)), "\(found) at \(x), \(y)")
            }
        }
    }

    /// What is twice as wide or high as the frame loses a quarter on two sides.
    @Test(arguments: [FrameSize(width: 128, height: 36), FrameSize(width: 64, height: 72)])
    func whatDoesNotFitIsCutOffOnBothSides(_ size: FrameSize) throws {
        let (left, top) = ((size.width - 64) / 2, (size.height - 36) / 2)
        let picture = try png(size) { x, y in
            let isShown = left..<left + 64 ~= x && top..<top + 36 ~= y
            return isShown ? (x < size.width / 2 ? [200, 0, 0] : [0, 0, 200]) : [0, 255, 0]
        }
        let planes = BackgroundPicture(kind()).planes(of: try save(picture))
        for (x, y) in [(0, 0), (0, 35), (31, 17)] { #expect(isNear(colour(planes, x, y), [200, 0, 0])) }
        for (x, y) in [(63, 0), (63, 35), (32, 17)] { #expect(isNear(colour(planes, x, y), [0, 0, 200])) }
    }

    @Test(arguments: [1, 4]) func aPictureOfAnotherSizeFillsTheFrame(_ factor: Int) throws {
        let size = FrameSize(width: 16 * factor * factor, height: 9 * factor * factor)
        let picture = try jpeg(size) { x, y in
            [x < size.width / 2 ? 220 : 30, y < size.height / 2 ? 220 : 30, 90]
        }
        let planes = BackgroundPicture(kind()).planes(of: try save(picture))
        for (x, y) in [(2, 2), (61, 2), (2, 33), (61, 33)] {
            #expect(isNear(colour(planes, x, y), [x < 32 ? 220 : 30, y < 18 ? 220 : 30, 90], 4))
        }
    }

    @Test func aPhotoIsUpright() throws {
        let size = FrameSize(width: 36, height: 64)
        // Turned clockwise, its lower edge is at the left.
        let flat = try jpeg(size) { _, y in y < 32 ? [30, 30, 30] : [220, 220, 220] }
        var metadata = PhotoMetadata()
        metadata.orientation = .right
        let path = try save(metadata.inserted(intoJPEG: flat.span.bytes))
        let planes = BackgroundPicture(kind(.jpeg)).planes(of: path)
        #expect(abs(Int(planes.luma.row(18)[5]) - 220) <= 2 && abs(Int(planes.luma.row(18)[58]) - 30) <= 2)
    }

    @Test func aGreyJPEGIsGrey() throws {
        let size = FrameSize(width: 64, height: 36)
        var encoder = try JPEGEncoder()
        let pixels = [UInt8](repeating: 77, count: 3 * size.area)
        let grey = try encoder.encodeRGB(pixels.span.bytes, size: size, sampling: .grey, quality: 95) {
            $0.withUnsafeBytes { Array($0) }
        }
        let planes = BackgroundPicture(kind()).planes(of: try save(grey))
        #expect(isNear(colour(planes, 30, 20), [77, 77, 77]))
    }

    /// Left half opaque red, right half a white of no opacity: 16x9 pixels.
    private static let transparent: [UInt8] = [
        137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 16, 0, 0, 0, 9, 8, 6, 0, 0, 0, 59, 42,
        172, 50, 0, 0, 0, 26, 73, 68, 65, 84, 120, 218, 99, 56, 33, 34, 242, 31, 31, 6, 2, 6, 124, 152, 97, 212, 128,
        81, 3, 128, 24, 0, 149, 201, 98, 112, 250, 209, 213, 48, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
    ]

    @Test func whatIsTransparentIsBlack() throws {
        let planes = BackgroundPicture(kind()).planes(of: try save(Self.transparent))
        #expect(isNear(colour(planes, 4, 18), [200, 20, 20]) && isNear(colour(planes, 60, 18), [0, 0, 0]))
    }

    /// Baseline, 8x8 pixels, of four components and nothing but zeros.
    private static let cmyk: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0, 0xFF, 0xDB, 0, 67, 0]
        + [UInt8](repeating: 1, count: 64) + [0xFF, 0xC0, 0, 20, 8, 0, 8, 0, 8, 4]
        + (1...4).flatMap { [$0, 0x11, 0] as [UInt8] }
        + [0x00, 0x10].flatMap { [0xFF, 0xC4, 0, 20, $0, 1] + [UInt8](repeating: 0, count: 15) + [0] as [UInt8] }
        + [0xFF, 0xDA, 0, 14, 4] + (1...4).flatMap { [$0, 0] as [UInt8] } + [0, 63, 0, 0, 0xFF, 0xD9]

    @Test func aJPEGForPrintersIsRefused() throws {
        guard case .undecodable(_, let why)? = BackgroundFile.lack(of: try save(Self.cmyk)) else {
            Issue.record("it was taken")
            return
        }
        #expect(why.message.contains("Y'CbCr"), "\(why)")
    }

    @Test func whatIsNoPictureIsRefused() throws {
        let good = try jpeg(Self.size) { x, y in [UInt8(x), UInt8(y), UInt8(x ^ y)] }
        // Half of its data, and the end.
        let torn = good.prefix(good.count / 2) + [0xFF, 0xD9]
        var wide = try png(Self.size) { _, _ in [1, 2, 3] }
        let small = wide
        // A width of 65600.
        wide[17] = 1
        let cut = [Array(good.prefix(good.count / 2)), Array(small.prefix(small.count / 2))]
        for bytes in [[], Array("GIF89a".utf8), Array(torn), wide] + cut {
            let lack = BackgroundFile.lack(of: try save(bytes))
            if case .undecodable? = lack { continue }
            Issue.record("\(bytes.count) bytes: \(String(describing: lack))")
        }
        for bytes in [good, small] { #expect(try BackgroundFile.lack(of: save(bytes)) == nil) }
    }

    @Test func whatIsNoFileIsRefused() throws {
        let none = "\(folder.path)/none", pipe = "\(folder.path)/pipe", vast = try save([], as: "vast")
        #expect(BackgroundFile.lack(of: none) == .unreadable(path: none, errno: ENOENT))
        #expect(BackgroundFile.lack(of: folder.path) == .notAFile(path: folder.path))
        // Nobody writes to it, and it is not waited for.
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(BackgroundFile.lack(of: pipe) == .notAFile(path: pipe))
        #expect(truncate(vast, off_t(BackgroundFile.mostBytes + 1)) == 0)
        #expect(BackgroundFile.lack(of: vast) == .tooLarge(path: vast))
        let lack = try #require(EffectSettings(list: "background=\(none)")?.lack)
        #expect(!lack.hint.isEmpty && lack.message.contains(none))
    }

    /// As quickly as settings may change, a file is read when it is another one, and only then.
    @Test func aPictureIsReadOnce() throws {
        let background = BackgroundPicture(kind()), path = try save(png(Self.size) { _, _ in [200, 0, 0] })
        #expect(isNear(colour(background.planes(of: path), 9, 9), [200, 0, 0]))
        var before = stat()
        #expect(LivecapFiles.stat(path, &before) == 0)
        // Another picture in the same file, with nothing to tell it.
        let other = try png(Self.size) { _, _ in [0, 0, 200] }
        _ = try save(other)
        try #require(truncate(path, before.st_size) == 0)
        #expect(utimensat(AT_FDCWD, path, [before.st_atim, before.st_mtim], 0) == 0)
        for _ in 0..<1000 { #expect(isNear(colour(background.planes(of: path), 9, 9), [200, 0, 0])) }
        // And now as it is.
        _ = try save(other)
        #expect(utimensat(AT_FDCWD, path, [timespec(), timespec()], 0) == 0)
        #expect(isNear(colour(background.planes(of: path), 9, 9), [0, 0, 200]))
    }

    @Test func whatIsGoneOrDamagedLaterShowsNoRoom() throws {
        let background = BackgroundPicture(kind()), path = try save(png(Self.size) { _, _ in [200, 0, 0] })
        _ = background.planes(of: path)
        #expect(unlink(path) == 0)
        #expect(isNear(colour(background.planes(of: path), 9, 9), [200, 0, 0]))
        _ = try save(Array("damaged".utf8))
        #expect(isNear(colour(background.planes(of: path), 9, 9), [200, 0, 0]))
        #expect(isNear(colour(background.planes(of: "\(folder.path)/none"), 9, 9), [0, 0, 0]))
    }
}
