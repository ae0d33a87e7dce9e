// SPDX-License-Identifier: MIT
// JPEG frames of a person, as a webcam gives them.

import Foundation
import LivecapFrames
import LivecapJPEG
import LivecapSeededRandom

/// Frames of 1280x720 that show the photograph of a person in their middle, on grey, with noise.
enum PersonFrames {
    static let size = FrameSize(width: 1280, height: 720)
    static let format = FrameFormat(pixelFormat: .mjpeg, size: size, colorimetry: .jpeg)

    /// There is no photograph beside the benchmarks' source.
    struct Missing: Error, CustomStringConvertible {
        let path: String
        var description: String { "there is no \(path): this needs livecap's source folder" }
    }

    /// `count` frames.
    static func make(_ count: Int) throws -> [[UInt8]] {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Tests/Support/Pictures/astronaut.jpg").standardizedFileURL
        guard let photograph = try? Data(contentsOf: path) else { throw Missing(path: path.path) }
        let small = FrameSize(width: 640, height: 360)
        let from = PlanarLayout(size: small, sampling: .s420)!, to = PlanarLayout(size: size, sampling: .s420)!
        var planes = [UInt8](repeating: 0, count: from.byteCount)
        var decoder = try JPEGDecoder(), encoder = try JPEGEncoder()
        try planes.withUnsafeMutableBytes {
            _ = try decoder.decode(Array(photograph).span.bytes, to: from, in: $0)
        }
        var random = SeededRandom(seed: 37)
        return try (0..<count).map { _ in
            var frame = [UInt8](repeating: 128, count: to.byteCount)
            for (source, target) in zip(from.planes, to.planes) {
                let left = (target.rowBytes - source.rowBytes) / 2, top = (target.rows - source.rows) / 2
                for y in 0..<source.rows {
                    let row = source.offset + y * source.stride
                    let place = target.offset + (top + y) * target.stride + left
                    frame.replaceSubrange(
                        place..<place + source.rowBytes, with: planes[row..<row + source.rowBytes])
                }
            }
            for place in 0..<size.area {
                frame[place] = UInt8(clamping: Int(frame[place]) + Int(random.next() % 9) - 4)
            }
            return try encoder.encode(frame.span.bytes, layout: to, quality: 88) { $0.withUnsafeBytes { Array($0) } }
        }
    }
}
