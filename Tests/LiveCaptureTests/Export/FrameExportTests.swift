// SPDX-License-Identifier: MIT
// Frames exported for other programs have the same samples. What cannot be exported is reported, not replaced.

import Foundation
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames
import LivecapJPEG
import LivecapSeededRandom
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite struct FrameExportTests {
    private let folder: PhotoFolder

    init() throws { folder = try PhotoFolder() }

    /// A headerless file of noise in this format and size.
    private func raw(_ format: PixelFormat, _ size: FrameSize, frames: Int = 2) throws -> any FrameFile {
        var random = SeededRandom(seed: 11)
        let settings = ImportSettings(format: format, size: size, rate: FrameRate(25))
        let chroma = (size.width + 1) / 2
        let samples = try #require(format.samples), down = samples.subsampling.down
        let bytes =
            switch samples.packing {
            case .lumaAndChroma: 4 * chroma * size.height
            case .planes where samples.model == .grey: size.area
            default: size.area + 2 * chroma * ((size.height + down - 1) / down)
            }
        let count = frames * bytes
        folder.put((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }, "in.raw")
        return try openFrameFile(folder.file("in.raw"), settings)
    }

    private func frame(_ file: any FrameFile, _ index: Int) throws -> [UInt8] {
        let memory = try file.makeFrameMemory()
        defer { withExtendedLifetime(memory) {} }
        let frame = try file.read(index, into: memory.regions[0])
        return Array(memory.regions[0][..<frame.byteCount])
    }

    /// The pixels of a frame as R'G'B' by the plain converter, with the same colorimetry for every file.
    private func colors(_ file: any FrameFile, _ index: Int) throws -> [UInt8] {
        let bytes = try frame(file, index)
        var format = file.description.format
        format.colorimetry = .webcam
        let converter = try #require(PlainConverter(format))
        let colors = converter.rgb24(bytes.span.bytes)
        return try #require(colors)
    }

    @Test(arguments: [
        PixelFormat.yuyv, .uyvy, .yvyu, .vyuy, .nv12, .nv21, .nv16, .i420, .yv12, .yuv422p, .grey,
    ]) func y4mHoldsTheSameSamples(format: PixelFormat) throws {
        let size = FrameSize(width: 6, height: 4)
        let file = try raw(format, size)
        let made = try FrameExport(file, to: folder.file("out.y4m"), as: .y4m)
        #expect(made?.frames == 2 && made?.leftOut == 0)
        let back = try openFrameFile(folder.file("out.y4m"))
        #expect(back.frameCount == 2 && back.description.rate == FrameRate(25) && back.description.format.size == size)
        #expect(back.description.format.colorimetry.range == file.description.format.colorimetry.range)
        for index in 0..<2 { #expect(try colors(back, index) == colors(file, index), "\(format)") }
    }

    @Test func oddSizesKeepTheirLastColumnAndRow() throws {
        let file = try raw(.i420, FrameSize(width: 5, height: 3), frames: 1)
        _ = try FrameExport(file, to: folder.file("out.y4m"), as: .y4m)
        #expect(try frame(openFrameFile(folder.file("out.y4m")), 0) == frame(file, 0))
    }

    @Test func redGreenBlueBecomeFullRangeYCbCrWithoutSharedChroma() throws {
        folder.put([255, 0, 0, 0, 255, 0, 0, 0, 255, 128, 128, 128], "in.raw")
        let file = try openFrameFile(
            folder.file("in.raw"), ImportSettings(format: .rgb24, size: FrameSize(width: 2, height: 2)))
        _ = try FrameExport(file, to: folder.file("out.y4m"), as: .y4m)
        let bytes = try #require(folder.bytes("out.y4m"))
        let header = "YUV4MPEG2 W2 H2 F30:1 Ip A1:1 C444 XCOLORRANGE=FULL\nFRAME\n"
        #expect(bytes.starts(with: header.utf8))
        // By JFIF's equations.
        #expect(Array(bytes.dropFirst(header.utf8.count)) == [76, 150, 29, 128, 85, 44, 255, 128, 255, 21, 107, 128])
    }

    /// Two JPEG frames, of which the second lacks its end.
    private func jpegs() throws -> (file: any FrameFile, first: [UInt8]) {
        var encoder = try JPEGEncoder()
        let size = FrameSize(width: 32, height: 16)
        let pixels = (0..<(3 * size.area)).map { UInt8($0 % 97) }
        var picture: [UInt8] = []
        try encoder.encodeRGB(pixels.span.bytes, size: size, sampling: .s422, quality: 90) { bytes in
            picture = bytes.withUnsafeBytes { Array($0) }
        }
        folder.put(picture + picture.dropLast(40), "in.mjpg")
        return (try openFrameFile(folder.file("in.mjpg")), picture)
    }

    @Test func jpegFramesAreDecodedForY4MAndDamagedOnesLeftOut() throws {
        let (file, _) = try jpegs()
        let made = try FrameExport(file, to: folder.file("out.y4m"), as: .y4m)
        #expect(made?.frames == 1 && made?.leftOut == 1)
        let back = try openFrameFile(folder.file("out.y4m")).description.format
        #expect(back.pixelFormat == .yuv422p && back.colorimetry.range == .full)
    }

    @Test func jpegFramesStayAsTheyCame() throws {
        let (file, first) = try jpegs()
        _ = try FrameExport(file, to: folder.file("out.mjpg"), as: .mjpg)
        #expect(folder.bytes("out.mjpg") == first)
        _ = try FrameExport(file, to: folder.file("frames/"), as: .frames)
        #expect(folder.bytes("frames/000001.jpg") == first)
        #expect(folder.bytes("frames/000002.jpg") == nil)
    }

    @Test func aFolderGetsAPNGPerRawFrame() throws {
        let made = try FrameExport(
            try raw(.yuyv, FrameSize(width: 8, height: 8)), to: folder.file("frames/"), as: .frames)
        #expect(made?.frames == 2 && folder.bytes("frames/000002.png")?.starts(with: [0x89, 0x50]) == true)
    }

    /// Number 3 of a folder's pictures is somebody's own.
    @Test func aFoldersPicturesReplaceNothingAndKeepTheirNumbers() throws {
        let file = try raw(.grey, FrameSize(width: 4, height: 4), frames: 3)
        #expect(mkdir(folder.file("frames"), 0o777) == 0)
        folder.put([9], "frames/000003.png")
        #expect(throws: FrameFileError.failed(folder.file("frames/000003.png"), call: "open", errno: EEXIST)) {
            try FrameExport(file, to: folder.file("frames/"), as: .frames)
        }
        #expect(folder.bytes("frames/000003.png") == [9] && folder.bytes("frames/000001.png") == nil)
        let made = try FrameExport(file, to: folder.file("frames/"), as: .frames, overwrite: true)
        #expect(made?.frames == 3 && folder.bytes("frames/000003.png")?.starts(with: [0x89, 0x50]) == true)
    }

    /// Somebody's file that comes between.
    @Test func aPictureThatIsThereMeanwhileStays() throws {
        let file = try raw(.grey, FrameSize(width: 4, height: 4), frames: 3)
        #expect(throws: FrameFileError.failed(folder.file("frames/000003.png"), call: "rename", errno: EEXIST)) {
            try FrameExport(
                file, to: folder.file("frames/"), as: .frames,
                progress: { if $0 == 2 { folder.put([9], "frames/000003.png") } })
        }
        #expect(folder.bytes("frames/000003.png") == [9] && folder.bytes("frames/000004.png") == nil)
    }

    @Test func rawFramesAreNoJPEG() throws {
        let file = try raw(.grey, FrameSize(width: 4, height: 4))
        #expect(throws: FrameFileError.self) { try FrameExport(file, to: folder.file("out.mjpg"), as: .mjpg) }
        #expect(folder.names == ["in.raw"])
    }

    @Test func whatIsNotWholeHasNoName() throws {
        let file = try raw(.grey, FrameSize(width: 4, height: 4), frames: 9)
        let looked = Counter()
        let made = try FrameExport(
            file, to: folder.file("out.y4m"), as: .y4m, unless: { looked.value == 5 }, progress: { looked.value = $0 })
        #expect(made == nil && folder.names == ["in.raw"])
        folder.put([9], "out.y4m")
        #expect(throws: FrameFileError.self) { try FrameExport(file, to: folder.file("out.y4m"), as: .y4m) }
        #expect(folder.bytes("out.y4m") == [9])
        _ = try FrameExport(file, to: folder.file("out.y4m"), as: .y4m, overwrite: true)
        #expect(try openFrameFile(folder.file("out.y4m")).frameCount == 9)
    }

    /// A recording of one small JPEG frame that says its frames are of that size.
    private func saying(_ size: FrameSize) throws -> any FrameFile {
        var format = FrameFormat(pixelFormat: .mjpeg, size: size)
        format.byteCount = min(format.byteCount, 256 << 20)
        let source = SourceDescription(
            name: "hand", identity: "hand", format: format, rate: FrameRate(30), clock: .own)
        let writer = try DumpWriter(folder.file("in.lcap"), DumpHeader(of: source))
        let bytes = try jpegPicture(FrameSize(width: 32, height: 32))
        try bytes.withUnsafeBytes {
            try writer.append(FrameMetadata(time: .zero, byteCount: bytes.count), $0)
        }
        try writer.finish()
        return try openFrameFile(folder.file("in.lcap"))
    }

    @Test(arguments: [MovieKind.y4m]) func framesTooLargeForAnyPictureAreRefusedByTheirHeader(kind: MovieKind) throws {
        let file = try saying(FrameSize(width: 8193, height: 8193))
        let error = #expect(throws: FrameFileError.self) { try FrameExport(file, to: folder.file("out"), as: kind) }
        #expect(error?.message.contains("at most 8192x8192") == true, "\(error as Any)")
        #expect(folder.names == ["in.lcap"])
    }

    @Test func memoryIsPlannedBeforeAFrameIsRead() throws {
        let file = try saying(FrameSize(width: 4000, height: 3000))
        let error = #expect(throws: FrameFileError.self) {
            try FrameExport(file, to: folder.file("out"), as: .y4m, memory: 128 << 20)
        }
        #expect(error?.message.contains("137 MiB") == true, "\(error as Any)")
    }

    /// What nothing is allocated for may be of any size.
    @Test(arguments: [MovieKind.mjpg, .mkv, .frames]) func framesThatStayAsTheyCameMayBeOfAnySize(kind: MovieKind)
        throws
    {
        let made = try FrameExport(
            saying(FrameSize(width: 65535, height: 65535)), to: folder.file(kind == .frames ? "out/" : "out"), as: kind)
        #expect(made?.frames == 1)
    }

    @Test(arguments: ["a.mp4", "A.MOV", "a.avi", "a.webm", "a.jpg", "a.png"]) func otherNamesAreRefused(name: String) {
        #expect(throws: FrameFileError.self) { try MovieKind.checkName(name) }
    }

    @Test func namesSayWhatIsWritten() throws {
        for (name, kind) in [
            ("a.y4m", MovieKind.y4m), ("A.MJPEG", .mjpg), ("a.mkv", .mkv), ("a/", .frames), ("-", .y4m),
        ] { #expect(MovieKind(path: name) == kind) }
        for name in ["a.lcap", "a", "/dev/null"] {
            #expect(MovieKind(path: name) == nil)
            try MovieKind.checkName(name)
        }
    }
}

private final class Counter { var value = 0 }
