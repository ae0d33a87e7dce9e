// SPDX-License-Identifier: MIT
// Files of other programs are read as they were written, or refused with a reason.

import Glibc
import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import Camera
@testable import LivecapFrameFiles

/// Claims a frame larger than any address space.
final class HugeFile: FrameFile {
    let description = SampleRecording.source
    let frameCount = 1
    let largestFrame = 1 << 60
    let health = FileHealth()
    func metadata(_ index: Int) -> FrameMetadata { FrameMetadata(time: .zero, byteCount: largestFrame) }
    func read(_ index: Int, into bytes: UnsafeMutableRawBufferPointer) throws(FrameFileError) -> FrameMetadata {
        metadata(index)
    }
}

@Suite("Imports") struct ImportTests {
    let folder = TemporaryFolder()
    var path: String { folder.file("frames") }

    func y4m(_ line: String, frames: [[UInt8]]) -> [UInt8] {
        Array("YUV4MPEG2 \(line)\n".utf8) + frames.flatMap { Array("FRAME\n".utf8) + $0 }
    }

    /// The smallest byte sequence with the structure of a JPEG: a size, a table, a scan with stuffed bytes and a
    /// restart marker.
    func jpeg(_ width: Int, _ height: Int, tables: Bool = true, thumbnail: [UInt8] = [], scan: [UInt8] = [1, 2])
        -> [UInt8]
    {
        func segment(_ code: UInt8, _ body: [UInt8]) -> [UInt8] {
            [0xFF, code, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
        }
        let frame = [8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0].map { UInt8($0) }
        return [0xFF, 0xD8] + segment(0xE1, thumbnail) + segment(0xC0, frame)
            + (tables ? segment(0xC4, [UInt8](repeating: 0, count: 17)) : []) + segment(0xDA, [1, 1, 0, 0, 63, 0])
            + scan + [0xFF, 0x00, 7, 0xFF, 0xD3, 9, 0xFF, 0xD9]
    }

    // MARK: y4m

    @Test(
        "Every colour space that is read has its planes where they are",
        arguments: [
            ("C420jpeg", PixelFormat.i420, 15), ("C420mpeg2", .i420, 15), ("C420paldv", .i420, 15), ("C420", .i420, 15),
            ("", .i420, 15), ("C422", .yuv422p, 18 + 3), ("Cmono", .grey, 9),
        ])
    func y4mColourSpaces(field: String, format: PixelFormat, bytes: Int) throws {
        // 3x3: odd sizes round chroma up (4:2:0: 9 + 4 + 4, 4:2:2: 9 + 6 + 6).
        let count = format == .i420 ? 17 : bytes
        var noise = SeededRandom(seed: 3)
        let frames = [noise.bytes(count), noise.bytes(count)]
        writeFile(path, y4m("W3 H3 F25:1 Ip A1:1 \(field)", frames: frames))
        let file = try openFrameFile(path)
        #expect(file.description.format.pixelFormat == format)
        #expect(try file.everything().map(\.bytes) == frames)
        #expect(file.metadata(1).time == Timestamp(nanoseconds: 40_000_000))
        #expect(file.health.isIntact)
    }

    @Test("Frames have the range that their y4m file declares") func y4mRange() throws {
        for (text, range) in [
            ("XCOLORRANGE=FULL", Colorimetry.Range.full), ("XCOLORRANGE=LIMITED", .limited), ("", .limited),
        ] {
            writeFile(path, y4m("W2 H2 F30:1 \(text)", frames: [[1, 2, 3, 4, 5, 6]]))
            #expect(try openFrameFile(path).description.format.colorimetry.range == range)
        }
    }

    @Test(
        "What y4m can say and is not read is refused with a reason",
        arguments: [
            "W2 H2 It C420", "W2 H2 Ib", "W2 H2 Im", "W2 H2 C444", "W2 H2 C420p10", "W2", "W0 H2", "W2 H-2", "H2",
            "W99999 H2", "W2 H2 C",
        ])
    func y4mRefusals(line: String) {
        writeFile(path, y4m(line, frames: [[1, 2, 3, 4, 5, 6]]))
        #expect(failure { () throws(FrameFileError) in try openFrameFile(path) }?.blamesFile == true)
    }

    @Test("A y4m file cut within a frame costs that frame") func y4mTorn() throws {
        let whole = y4m("W2 H2", frames: [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]])
        for cut in 1..<12 {
            writeFile(path, whole.dropLast(cut))
            let file = try openFrameFile(path)
            #expect(file.frameCount == 1 && file.health.tornBytes == 12 - cut)
        }
    }

    @Test("A y4m header that promises more than the file holds allocates no memory") func y4mHuge() {
        writeFile(path, y4m("W65535 H65535", frames: [[1, 2, 3]]))
        #expect(failure { () throws(FrameFileError) in try openFrameFile(path) }?.blamesFile == true)
    }

    @Test("Absurdly large frames, as holes of a file, are refused before allocating memory") func sparse() {
        writeFile(path, y4m("W65535 H65535 Cmono", frames: [[]]))
        truncate(path, 9 << 30)
        #expect(failure { () throws(FrameFileError) in try openFrameFile(path) }?.blamesFile == true)
        writeFile(path, [0])
        truncate(path, 65535 * 65535)
        let settings = ImportSettings(format: .grey, size: FrameSize(width: 65535, height: 65535))
        guard case .badSettings = failure(of: { () throws(FrameFileError) in try openFrameFile(path, settings) }) else {
            Issue.record("opened raw frames of 4 GiB")
            return
        }
    }

    @Test("A frame that does not fit into memory is an error") func noMemory() {
        let huge = HugeFile()
        let reported = failure { () throws(FrameFileError) in try huge.summary(verifying: true) }
        #expect(reported == .noMemory(bytes: huge.largestFrame))
    }

    // MARK: Headerless

    @Test("Headerless frames need format and size, and the errors list sizes that fit") func rawSettings() {
        writeFile(path, [UInt8](repeating: 1, count: 2 * 640 * 480 * 2))
        func opening(_ settings: ImportSettings) -> FrameFileError? {
            failure { () throws(FrameFileError) in try openFrameFile(path, settings) }
        }
        #expect(opening(ImportSettings()) == .unknownFormat(path))
        guard case .unknownSize(path, let sizes) = opening(ImportSettings(format: .yuyv)) else {
            Issue.record("opened without a size")
            return
        }
        #expect(sizes.contains(FrameSize(width: 640, height: 480)))
        let wrong = opening(ImportSettings(format: .yuyv, size: FrameSize(width: 640, height: 481)))
        guard case .wrongSize(path, 1_228_800, let fits) = wrong else {
            Issue.record("a wrong size gave \(String(describing: wrong))")
            return
        }
        #expect(fits.first == FrameSize(width: 640, height: 480))
        for format in [PixelFormat("H264"), .mjpeg, PixelFormat("ABCD")] {
            #expect(opening(ImportSettings(format: format, size: FrameSize(width: 640, height: 480))) != nil)
        }
        #expect(opening(ImportSettings(format: .yuyv, size: FrameSize(width: 1 << 40, height: 1 << 40))) != nil)
    }

    @Test("Raw frames that begin like something else are raw when the settings say so") func rawWins() throws {
        writeFile(path, [0xFF, 0xD8, 0xFF, 0xE0])
        let file = try openFrameFile(path, ImportSettings(format: .grey, size: FrameSize(width: 2, height: 2)))
        #expect(try file.everything().map(\.bytes) == [[0xFF, 0xD8, 0xFF, 0xE0]])
    }

    @Test("The times of imported frames stay exact over hours") func exactTimes() {
        let rate = FrameRate(30000, per: 1001)
        #expect(rate.time(of: 30000 * 3600) == Timestamp(nanoseconds: 1001 * 3600 * 1_000_000_000))
        #expect(rate.time(of: 1) == Timestamp(nanoseconds: 33_366_666))
        #expect(FrameRate(1, per: .max).time(of: .max) == .distantFuture)
    }

    // MARK: JPEG

    @Test("Concatenated JPEGs are separated by their markers; thumbnails and junk between them are skipped")
    func jpegs() throws {
        let pictures = [
            jpeg(64, 48), jpeg(64, 48, tables: false), jpeg(64, 48, thumbnail: jpeg(8, 8)), jpeg(32, 48),
        ]
        let junk = Array("\r\n--boundary\r\nContent-Type: image/jpeg\r\n\r\n".utf8)
        writeFile(path, pictures.joined(separator: junk))
        let file = try openFrameFile(path, ImportSettings(rate: FrameRate(10)))
        let frames = try file.everything()
        #expect(frames.map(\.bytes) == pictures)
        #expect(frames.map(\.metadata.damage) == [.none, .none, .none, .jpegSize])
        #expect(frames.map { $0.metadata.flags.contains(.standardHuffmanTables) } == [false, true, false, false])
        #expect(file.description.format.size == FrameSize(width: 64, height: 48))
        #expect(frames[3].metadata.time == Timestamp(nanoseconds: 300_000_000))
    }

    @Test("A picture without its end is delivered as damaged, and the next one intact") func jpegWithoutEnd() throws {
        let whole = jpeg(64, 48)
        writeFile(path, whole + whole.dropLast(2) + whole + whole.dropLast(5))
        let file = try openFrameFile(path)
        #expect(try file.everything().map(\.metadata.damage) == [.none, .jpegNoEnd, .none, .jpegNoEnd])
        #expect(file.health.tornBytes == whole.count - 5)
    }

    @Test("Markers across chunk boundaries are found") func jpegAcrossBorders() throws {
        let (first, second) = (jpeg(64, 48), jpeg(64, 48, thumbnail: jpeg(8, 8)))
        writeFile(path, first + second)
        for window in 1...200 {
            var scanner = JPEGBoundaryScanner(try InputFile(path), windowBytes: window)
            var found: [JPEGExtent] = []
            while let next = try scanner.next(from: found.last?.range.upperBound ?? 0) { found.append(next) }
            try #require(
                found.map(\.range) == [0..<first.count, first.count..<(first.count + second.count)], "window \(window)")
            try #require(found.allSatisfy { $0.damage == .none && $0.hasHuffmanTables }, "window \(window)")
        }
    }

    // MARK: By name

    @Test("A name that contradicts the content is reported") func namesThatLie() {
        for name in ["a.y4m", "a.mjpg", "a.lcap", "a.mp4"] {
            writeFile(folder.file(name), Array("something else entirely".utf8))
            #expect(failure { () throws(FrameFileError) in try openFrameFile(folder.file(name)) }?.blamesFile == true)
        }
    }
}
