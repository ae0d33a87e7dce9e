// SPDX-License-Identifier: MIT
// What a camera of the lab draws into each frame: its number and time, and the state the camera was in.

import FrameRing
import LivecapFrames
import LivecapJPEG
import Testing

@testable import LivecapFrameFiles

/// The marks of one frame, as `Tests/LabCamera/pictures.c` describes them.
struct LabMarks: Hashable {
    /// Counts the frames of a camera, across streams and replugs. No number comes twice.
    let number: UInt32
    /// When the camera began to send the frame, on CLOCK_MONOTONIC, down to a tenth of a millisecond.
    let time: Timestamp
    let isExposureAutomatic: Bool
    /// In units of 100 microseconds, as V4L2 has it.
    let exposure: Int
    let brightness: Int
    let gain: Int
    /// The camera's place in the order in which they were added to the bus.
    let camera: Int
    /// How often it was plugged in.
    let plugs: Int
    /// In kelvins.
    let whiteBalance: Int
    let focus: Int
    /// Whether the frame is one of those that the microphone's clicks accompany.
    let isFlash: Bool

    private static let count = 4

    /// Reads the marks at the top of a picture, and compares them with the bar at its bottom. Nil if a mark is
    /// unreadable, or if top and bottom are of different frames.
    init?(_ frame: RawSpan, format: FrameFormat) {
        guard let mark = FrameMark(fitting: format.size) else { return nil }
        // Each mark is read as if it were the first of a picture.
        let step = mark.height * format.bytesPerLine
        let bytes = frame.withUnsafeBytes { Array($0) } + [UInt8](repeating: 0, count: Self.count * step)
        let words = (0..<Self.count).compactMap { index in
            bytes.withUnsafeBytes {
                mark.read(UnsafeRawBufferPointer(rebasing: $0[(index * step)...]).bytes, format: format)
            }
        }
        guard words.count == Self.count, Self.bar(frame, format) == Int(words[0]) % (format.size.width / 8) else {
            return nil
        }
        number = words[0]
        time = Timestamp(nanoseconds: Int64(words[1]) * 100_000)
        isExposureAutomatic = words[2] >> 31 == 1
        exposure = Int(words[2] >> 16 & 0x7fff)
        brightness = Int(words[2] >> 8 & 0xff) - 128
        gain = Int(words[2] & 0xff)
        camera = Int(words[3] >> 24)
        plugs = Int(words[3] >> 16 & 0xff)
        whiteBalance = Int(words[3] >> 8 & 0xff) * 50
        focus = Int(words[3] & 0xff)
        isFlash = Self.isWhite(frame, format)
    }

    /// Reads the marks in a photo.
    init?(_ picture: PNGPicture) {
        let format = FrameFormat(pixelFormat: .grey, size: picture.size)
        let levels = (0..<picture.size.area).map { pixel in
            UInt8(255 * picture.brightness(pixel % picture.size.width, pixel / picture.size.width))
        }
        guard let marks = levels.withUnsafeBytes({ LabMarks($0.bytes, format: format) }) else { return nil }
        self = marks
    }

    /// Whether the blocks above the bar are white: their brightest column otherwise is far below that. JPEG frames have
    /// a texture there, so it is their mean that counts.
    private static func isWhite(_ frame: RawSpan, _ format: FrameFormat) -> Bool {
        let step = format.bytesPerLine / format.size.width
        var (sum, y) = (0, format.size.height - 16)
        while y < format.size.height - 8 {
            var x = 0
            while x < format.size.width {
                sum += Int(frame.unsafeLoad(fromByteOffset: y * format.bytesPerLine + x * step, as: UInt8.self))
                x += 2
            }
            y += 2
        }
        return sum / (2 * format.size.width) > 200
    }

    /// The place of the brightest block of 8x8 pixels in the last row of blocks. Plain loops, as a debug build in an
    /// emulated processor has to keep up with the camera.
    private static func bar(_ frame: RawSpan, _ format: FrameFormat) -> Int {
        let step = format.bytesPerLine / format.size.width
        var (place, brightest, block) = (0, -1, 0)
        while block < format.size.width / 8 {
            var (sum, y) = (0, format.size.height - 8)
            while y < format.size.height {
                let start = y * format.bytesPerLine + block * 8 * step
                var offset = 0
                while offset < 8 * step {
                    sum += Int(frame.unsafeLoad(fromByteOffset: start + offset, as: UInt8.self))
                    offset += step
                }
                y += 1
            }
            if sum > brightest { (place, brightest) = (block, sum) }
            block += 1
        }
        return place
    }
}

/// Reads the marks of a stream's frames, or of a recording's.
final class MarkReader {
    private let format: FrameFormat
    private var decoder: JPEGDecoder
    private let layout: PlanarLayout
    private var memory: [UInt8]

    init(_ format: FrameFormat) throws {
        self.format = format
        decoder = try JPEGDecoder()
        layout = try #require(PlanarLayout(size: format.size, sampling: .s422))
        memory = [UInt8](repeating: 0, count: layout.byteCount)
    }

    /// The marks of a frame. Throws if the frame is not whole.
    func read(_ lease: borrowing FrameLease) throws -> LabMarks {
        do { return try lease.withBytes { try read($0) } } catch {
            throw LabStream.Missing("frame \(lease.metadata.id): \(error)")
        }
    }

    /// The marks of a frame's bytes. Throws if the frame is not whole.
    func read(_ bytes: RawSpan) throws -> LabMarks {
        var marks: LabMarks?
        if format.pixelFormat.isJPEG {
            let flaw = try memory.withUnsafeMutableBytes { try decoder.decode(bytes, to: layout, in: $0) }
            if let flaw { throw LabStream.Missing("not whole: \(flaw)") }
            marks = memory.withUnsafeBytes { LabMarks($0.bytes, format: layout.luma) }
        } else {
            marks = LabMarks(bytes, format: format)
        }
        guard let marks else { throw LabStream.Missing("the marks are unreadable, or of several frames") }
        return marks
    }
}

extension LabMarks {
    /// The marks of all frames of a recording. Throws if a frame is not whole.
    static func all(inRecording path: String) throws -> [LabMarks] {
        let file = try DumpReader(path)
        let (memory, reader) = (try file.makeFrameMemory(), try MarkReader(file.description.format))
        return try (0..<file.frameCount).map { index in
            let frame = try file.read(index, into: memory.regions[0])
            return try reader.read(UnsafeRawBufferPointer(rebasing: memory.regions[0][..<frame.byteCount]).bytes)
        }
    }
}

extension LabStream {
    /// The next `count` frames: what livecap knows of each, and what its pixels say.
    func marked(_ count: Int) throws -> [(metadata: FrameMetadata, marks: LabMarks)] {
        let reader = try MarkReader(ring.format)
        var frames: [(metadata: FrameMetadata, marks: LabMarks)] = []
        try follow(count) { frames.append(($0.metadata, try reader.read($0))) }
        return frames
    }
}
