// SPDX-License-Identifier: MIT
// Pictures to encode, and a reader of PNG files that is not ours.

import Foundation
import Frames
import FusionKernels

/// A still whose samples are what `sample` says, by plane, column and row.
func picture(
    _ format: FrameFormat, _ sample: (_ plane: Int, _ x: Int, _ y: Int) -> UInt16
) throws -> FusedPicture {
    let picture = try Fuser(format).makePicture()
    for (index, plane) in picture.planes.enumerated() {
        for y in 0..<plane.height {
            for x in 0..<plane.width { plane.samples[y * plane.width + x] = sample(index, x, y) }
        }
    }
    return picture
}

/// A PNG file's samples by ffmpeg, rows without padding, as the pixel format `layout` has them.
func ffmpegSamples(of file: [UInt8], as layout: String) throws -> [UInt8] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "stills-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let input = folder.appending(path: "in.png"), output = folder.appending(path: "out.raw")
    try Data(file).write(to: input)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
        ["ffmpeg", "-v", "error", "-i", input.path, "-pix_fmt", layout, "-f", "rawvideo", output.path]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return [UInt8](try Data(contentsOf: output))
}

/// Little-endian pairs of bytes.
func words(_ bytes: [UInt8]) -> [UInt16] {
    stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
}

/// The chunks of a PNG file by name, with their data.
func chunks(_ file: [UInt8]) -> [(name: String, data: [UInt8])] {
    var chunks: [(String, [UInt8])] = []
    var place = 8
    while place + 12 <= file.count {
        let count = file[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
        let name = String(decoding: file[(place + 4)..<(place + 8)], as: UTF8.self)
        chunks.append((name, Array(file[(place + 8)..<(place + 8 + count)])))
        place += 12 + count
    }
    return chunks
}
