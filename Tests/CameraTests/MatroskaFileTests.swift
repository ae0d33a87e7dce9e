// SPDX-License-Identifier: MIT
// A camera's JPEG pictures are read out of Matroska files as they were put in.

import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import LivecapFrameFiles

@Suite struct MatroskaFileTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.file("a.mkv") }

    /// The smallest bytes with the structure of a JPEG of 64x48.
    private func jpeg(_ number: UInt8) -> [UInt8] {
        let frame: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0, 48, 0, 64, 1, 1, 0x11, 0]
        let tables: [UInt8] = [0xFF, 0xC4, 0, 19] + [UInt8](repeating: 0, count: 17)
        return [0xFF, 0xD8] + frame + tables + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, number, 0xFF, 0xD9]
    }

    private func track(_ number: UInt8, _ codec: String) -> [UInt8] {
        let size = EBML.element(0xE0, EBML.element(0xB0, [0, 64]) + EBML.element(0xBA, [0, 48]))
        return EBML.element(0xAE, EBML.element(0xD7, [number]) + EBML.element(0x86, Array(codec.utf8)) + size)
    }

    private func block(_ track: UInt8, _ time: Int16, _ bytes: [UInt8], isGroup: Bool = false) -> [UInt8] {
        let bits = UInt16(bitPattern: time)
        let content = [0x80 | track, UInt8(bits >> 8), UInt8(bits & 255), 0] + bytes
        return isGroup ? EBML.element(0xA0, EBML.element(0xA1, content)) : EBML.element(0xA3, content)
    }

    /// A file of two clusters, the first of a length that is not known, with sound in between.
    private func movie(_ codec: String = "V_MJPEG") -> [UInt8] {
        let unknown: [UInt8] = [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        let info = EBML.element(0x1549_A966, EBML.element(0x2AD7B1, EBML.unsigned(100_000)))
        let tracks = EBML.element(0x1654_AE6B, track(2, "A_FLAC") + track(1, codec))
        let first = EBML.id(0x1F43_B675) + unknown + EBML.element(0xE7, EBML.unsigned(0))
        let pictures = block(1, 0, jpeg(1)) + block(2, 0, [9, 9]) + block(1, 333, jpeg(2), isGroup: true)
        let second = EBML.element(0xE7, EBML.unsigned(1000)) + block(1, -334, jpeg(3)) + block(1, 20, jpeg(4))
        return EBML.element(0x1A45_DFA3, EBML.element(0x4282, Array("matroska".utf8))) + EBML.id(0x1853_8067) + unknown
            + info + tracks + first + pictures + EBML.element(0x1F43_B675, second)
    }

    private func frames(_ file: any FrameFile) throws -> [(time: Int64, bytes: [UInt8])] {
        try (0..<file.frameCount).map { index in
            var bytes = [UInt8](repeating: 0, count: file.largestFrame)
            let frame = try bytes.withUnsafeMutableBytes { try file.read(index, into: $0) }
            #expect(frame.isUsable && frame.id.counter == UInt64(index))
            return (frame.time.nanoseconds, Array(bytes.prefix(frame.byteCount)))
        }
    }

    @Test func picturesKeepTheirBytesAndTimes() throws {
        writeFile(path, movie())
        let file = try openFrameFile(path)
        #expect(file.description.format.pixelFormat == .mjpeg && file.health.isIntact)
        #expect(file.description.format.size == FrameSize(width: 64, height: 48))
        let found = try frames(file)
        #expect(found.map(\.bytes) == (1...4).map { jpeg(UInt8($0)) })
        #expect(found.map(\.time) == [0, 33_300_000, 66_600_000, 102_000_000])
        #expect(abs((file.description.rate?.framesPerSecond ?? 0) - 30) < 0.1)
    }

    @Test func aFileThatWasCutOffHasWhatIsComplete() throws {
        let whole = movie()
        writeFile(path, Array(whole.dropLast(5)))
        let file = try openFrameFile(path)
        #expect(file.frameCount == 3 && file.health.tornBytes > 0 && !file.health.isIntact)
    }

    @Test func otherPicturesAreNoFrames() throws {
        writeFile(path, movie("V_MPEG4/ISO/AVC"))
        #expect {
            try openFrameFile(path)
        } throws: { error in
            let error = error as? FrameFileError
            return error?.message.contains("MPEG4/ISO/AVC, not a camera's JPEG") == true
                && error?.hint.contains("frames.y4m") == true
        }
    }

    @Test func damagedFilesDoNoHarm() throws {
        let whole = movie()
        var generator = SeededRandom(seed: 8)
        var opened = 0
        for _ in 0..<400 {
            var bytes = whole
            for _ in 0..<3 {
                bytes[Int.random(in: 4..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            writeFile(path, bytes)
            guard let file = try? openFrameFile(path) else { continue }
            opened += 1
            var room = [UInt8](repeating: 0, count: file.largestFrame)
            for index in 0..<file.frameCount { _ = try room.withUnsafeMutableBytes { try file.read(index, into: $0) } }
        }
        #expect(opened > 100 && opened < 400, "\(opened)")
    }
}
