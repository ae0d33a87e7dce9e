// SPDX-License-Identifier: MIT
// What four outputs of different sizes cost, compared with the dearest of them alone.

import LivecapFrames
import LivecapJPEG
import LivecapPictures

/// Makes pictures of frames of 1280x720, in four sizes and formats.
struct OutputPictures: FallibleBenchmark {
    let name = "outputs.pictures"

    private static let size = FrameSize(width: 1280, height: 720)
    /// For a movie, an analysis, a viewfinder and a list of cameras.
    private static let settings = [
        PictureSettings(), PictureSettings(format: .rgb24, size: FrameSize(width: 640, height: 360)),
        PictureSettings(format: .yuyv, size: FrameSize(width: 320, height: 180)),
        PictureSettings(format: .grey, size: FrameSize(width: 160, height: 90)),
    ]

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let rounds = options.isThorough ? 1000 : 100
        var result = BenchmarkResult(
            name, width: Self.size.width, height: Self.size.height, frames: rounds, threads: 1)
        for (kind, frame) in try [("Yuyv", yuyv()), ("Jpeg", jpeg())] {
            let all = try Painting(frame, Self.settings)
            let each = try Self.settings.map { try Painting(frame, [$0]) }
            // In turns, so that a slow moment of the machine affects all.
            var (together, alone) = ([Duration](), [[Duration]](repeating: [], count: each.count))
            for _ in 0..<rounds {
                together.append(try all.time())
                for (index, one) in each.enumerated() { alone[index].append(try one.time()) }
            }
            let (sum, dearest) = (Timings(of: together).median, alone.map { Timings(of: $0).median }.max() ?? .nan)
            let share = sum / dearest
            result.figures += [("msAll\(kind)", sum / 1e6), ("msDearest\(kind)", dearest / 1e6)]
            result.ratios.append(("allToDearest\(kind)", share))
            if share >= 1.5 {
                result.notes.append("missed: four outputs of \(kind) frames below 1.5 times the dearest")
            }
        }
        result.notes.append(
            "1280x720 I420, 640x360 RGB24, 320x180 YUYV and 160x90 grey; medians, decoding included")
        return result
    }

    private func yuyv() throws -> (FrameFormat, [UInt8]) {
        let format = FrameFormat(pixelFormat: .yuyv, size: Self.size)
        return (format, (0..<format.byteCount).map { UInt8(truncatingIfNeeded: 60 + $0 / 97 % 130) })
    }

    private func jpeg() throws -> (FrameFormat, [UInt8]) {
        let (format, bytes) = try yuyv()
        let painting = try Painting((format, bytes), [PictureSettings(format: .jpeg(quality: 90))])
        return (FrameFormat(pixelFormat: .mjpeg, size: Self.size), try painting.first())
    }
}

/// Draws pictures of one frame again and again.
private final class Painting {
    private let converter: PictureConverter
    private let frame: [UInt8]
    private let memory: [UnsafeMutableRawBufferPointer]

    struct NotDrawn: Error {}

    init(_ frame: (FrameFormat, [UInt8]), _ settings: [PictureSettings]) throws {
        self.frame = frame.1
        converter = try PictureConverter(frame.0, settings)
        memory = converter.formats.map { .allocate(byteCount: $0.byteCount, alignment: 64) }
        _ = try time()
    }

    deinit { memory.forEach { $0.deallocate() } }

    func time() throws -> Duration {
        let begun = Timestamp.now
        let frame = frame
        let isTaken = converter.take(frame.span.bytes)
        guard isTaken else { throw NotDrawn() }
        for index in converter.order {
            guard converter.draw(index, into: memory[index]) != nil else { throw NotDrawn() }
        }
        return Timestamp.now - begun
    }

    /// The bytes of the first picture.
    func first() throws -> [UInt8] {
        let frame = frame
        let isTaken = converter.take(frame.span.bytes)
        guard isTaken, let count = converter.draw(0, into: memory[0]) else { throw NotDrawn() }
        return Array(memory[0].prefix(count))
    }
}
