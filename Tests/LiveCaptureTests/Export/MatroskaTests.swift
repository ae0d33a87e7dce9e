// SPDX-License-Identifier: MIT
// Matroska files contain each frame as it came, with its own time, and remain readable when they are cut.

import Foundation
import LivecapFrameFiles
import LivecapFrames
import LivecapProcesses
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite struct MatroskaTests {
    private let folder: PhotoFolder

    init() throws { folder = try PhotoFolder() }

    /// Elements that contain others.
    private static let masters: Set<UInt32> = [
        0x1853_8067, 0x1549_A966, 0x1654_AE6B, 0xAE, 0xE0, 0x1F43_B675, 0x1A45_DFA3,
    ]

    /// Every complete element, in order. The size of the segment is unknown.
    private func elements(_ bytes: ArraySlice<UInt8>) -> [(id: UInt32, content: [UInt8])] {
        var (rest, found) = (bytes, [(id: UInt32, content: [UInt8])]())
        while let first = rest.first {
            let idLength = first.leadingZeroBitCount + 1
            guard idLength <= 4, rest.count > idLength else { break }
            let id = rest.prefix(idLength).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            rest = rest.dropFirst(idLength)
            let sizeLength = rest.first!.leadingZeroBitCount + 1
            guard sizeLength <= 8, rest.count >= sizeLength else { break }
            let size =
                rest.prefix(sizeLength).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & ((1 << UInt64(7 * sizeLength)) - 1)
            rest = rest.dropFirst(sizeLength)
            if id == 0x1853_8067 { return found + elements(rest) }
            guard rest.count >= size else { break }
            let content = rest.prefix(Int(size))
            found.append((id, Array(content)))
            if Self.masters.contains(id) { found += elements(content) }
            rest = rest.dropFirst(Int(size))
        }
        return found
    }

    /// The time in ticks and the bytes of every block.
    private func blocks(_ bytes: [UInt8]) -> [(tick: Int, data: [UInt8])] {
        var (cluster, found) = (0, [(tick: Int, data: [UInt8])]())
        for (id, content) in elements(bytes[...]) {
            if id == 0xE7 { cluster = content.reduce(0) { $0 << 8 | Int($1) } }
            if id == 0xA3 {
                let relative = Int16(bitPattern: UInt16(content[1]) << 8 | UInt16(content[2]))
                found.append((cluster + Int(relative), Array(content.dropFirst(4))))
            }
        }
        return found
    }

    /// A recording of grey frames at these times, in milliseconds.
    private func recording(_ times: [Int64], anchor: WallClockAnchor = .now) throws -> any FrameFile {
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 4, height: 2))
        let source = SourceDescription(
            name: "Eye", identity: "eye", format: format, rate: FrameRate(30), clock: .monotonic)
        let writer = try DumpWriter(folder.file("in.lcap"), DumpHeader(of: source, anchor: anchor))
        for (index, time) in times.enumerated() {
            let bytes = [UInt8](repeating: UInt8(index), count: format.byteCount)
            let frame = FrameMetadata(
                time: Timestamp(nanoseconds: 7_000_000_000 + time * 1_000_000), byteCount: bytes.count)
            try bytes.withUnsafeBytes { try writer.append(frame, $0) }
        }
        try writer.finish()
        return try openFrameFile(folder.file("in.lcap"))
    }

    @Test func framesHaveTheirOwnTimes() throws {
        // A gap of four seconds, and two frames with the same time.
        let file = try recording([0, 33, 67, 4100, 4100, 4133])
        #expect(try FrameExport(file, to: folder.file("out.mkv"), as: .mkv)?.frames == 6)
        let found = blocks(try #require(folder.bytes("out.mkv")))
        #expect(found.map(\.tick) == [0, 330, 670, 41000, 41001, 41330])
        #expect(found.map(\.data) == (0..<6).map { [UInt8](repeating: UInt8($0), count: 8) })
    }

    @Test func aCutFileHasItsWholeClustersStill() throws {
        let file = try recording((0..<90).map { $0 * 33 })
        _ = try FrameExport(file, to: folder.file("out.mkv"), as: .mkv)
        let bytes = try #require(folder.bytes("out.mkv"))
        #expect(blocks(bytes).count == 90)
        // Three clusters of a little more than a second. Half of the file contains the first.
        #expect(blocks(Array(bytes.prefix(bytes.count / 2))).count >= 30)
    }

    @Test(arguments: [(Int64.min, Int64.max), (.max, .min), (.min, .min), (.max, .max)])
    func anAnchorMayBeOfAnyTime(utc: Int64, monotonic: Int64) throws {
        let anchor = WallClockAnchor(
            monotonic: Timestamp(nanoseconds: monotonic), calendar: CalendarTime(utcNanoseconds: utc), zoneName: "UTC")
        #expect(try FrameExport(recording([0], anchor: anchor), to: folder.file("out.mkv"), as: .mkv)?.frames == 1)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ffprobe"), "ffprobe is not installed"))
    func ffprobeReadsIt() throws {
        _ = try FrameExport(try recording([0, 33, 67, 4100]), to: folder.file("out.mkv"), as: .mkv)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/ffprobe")
        process.arguments = [
            "-v", "error", "-show_entries", "stream=codec_name,pix_fmt,width,height:packet=pts_time", "-of", "csv=p=0",
            folder.file("out.mkv"),
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let lines = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).split(
            separator: "\n")
        process.awaitEnd()
        #expect(lines.prefix(4).map { $0.prefix(5) } == ["0.000", "0.033", "0.067", "4.100"], "\(lines)")
        #expect(lines.last == "rawvideo,4,2,gray", "\(lines)")
    }
}
