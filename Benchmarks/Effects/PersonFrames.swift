// SPDX-License-Identifier: MIT
// JPEG frames of a person, as a webcam gives them.

import Foundation
import LivecapFrames
import LivecapJPEG
import LivecapSeededRandom

/// Frames of 1280x720 that show the photograph of a person in their middle, on grey, with noise; or the person between
/// drawn hands.
enum PersonFrames {
    static let size = FrameSize(width: 1280, height: 720)
    static let format = FrameFormat(pixelFormat: .mjpeg, size: size, colorimetry: .jpeg)

    /// There is no such picture beside the benchmarks' source.
    struct Missing: Error, CustomStringConvertible {
        let path: String
        var description: String { "there is no \(path): this needs livecap's source folder" }
    }

    private static let file = FrameSize(width: 640, height: 360)

    /// Columns of a file, and where in the frame they are to be.
    private struct Part {
        var picture = "astronaut"
        var columns = 0..<file.width
        var left: Int
        var top: Int
        /// How large they are there.
        var scale = 1
        var isMirrored = false
    }

    /// The photograph alone.
    private static let alone = [Part(left: 320, top: 180)]
    /// The woman between two hands that show victory.
    private static let withHands = [
        Part(picture: "hands", columns: 20..<240, left: 0, top: 0, scale: 2),
        Part(picture: "hands", columns: 20..<240, left: 840, top: 0, scale: 2, isMirrored: true),
        Part(columns: 120..<440, left: 480, top: 360),
    ]

    /// `count` frames.
    static func make(_ count: Int, withHands hasHands: Bool = false) throws -> [[UInt8]] {
        let layout = PlanarLayout(size: size, sampling: .s420)!
        let clean = try scene(hasHands ? Self.withHands : alone)
        var scene = clean
        var random = SeededRandom(seed: 37)
        var encoder = try JPEGEncoder()
        return try (0..<count).map { _ in
            for place in 0..<size.area {
                scene[place] = UInt8(clamping: Int(clean[place]) + Int(random.next() % 9) - 4)
            }
            return try encoder.encode(scene.span.bytes, layout: layout, quality: 88) {
                $0.withUnsafeBytes { Array($0) }
            }
        }
    }

    /// The planes of a frame without noise.
    private static func scene(_ parts: [Part]) throws -> [UInt8] {
        let from = PlanarLayout(size: file, sampling: .s420)!, to = PlanarLayout(size: size, sampling: .s420)!
        var scene = [UInt8](repeating: 128, count: to.byteCount)
        for part in parts {
            let picture = try planes(part.picture)
            for (source, target) in zip(from.planes, to.planes) {
                let shared = size.width / target.rowBytes, width = part.columns.count * part.scale / shared
                for y in 0..<source.rows * part.scale {
                    let row = source.offset + y / part.scale * source.stride + part.columns.lowerBound / shared
                    let place = target.offset + (part.top / shared + y) * target.stride + part.left / shared
                    for x in 0..<width {
                        scene[place + x] = picture[row + (part.isMirrored ? width - 1 - x : x) / part.scale]
                    }
                }
            }
        }
        return scene
    }

    /// The planes of a picture of the tests.
    private static func planes(_ name: String) throws -> [UInt8] {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Tests/Support/Pictures/\(name).jpg").standardizedFileURL
        guard let picture = try? Data(contentsOf: path) else { throw Missing(path: path.path) }
        let layout = PlanarLayout(size: file, sampling: .s420)!
        var planes = [UInt8](repeating: 0, count: layout.byteCount)
        var decoder = try JPEGDecoder()
        try planes.withUnsafeMutableBytes {
            _ = try decoder.decode(Array(picture).span.bytes, to: layout, in: $0)
        }
        return planes
    }
}
