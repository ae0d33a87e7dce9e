// SPDX-License-Identifier: MIT
// Pictures to encode, and readers of files by other programs: ffmpeg, exiftool, libheif.

import Foundation
import Fusion
import LivecapFrames
import LivecapProcesses
import LivecapStills

/// A still of the samples that `sample` returns, by plane, column and row.
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

/// The samples of a PNG file, decoded by ffmpeg to the pixel format `layout`, rows without padding.
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
    process.awaitEnd()
    return [UInt8](try Data(contentsOf: output))
}

/// The tags that exiftool finds in a file; by default numeric where they are numbers.
func exiftool(_ file: [UInt8], _ format: StillFormat, _ options: [String] = ["-n"]) throws -> [String: String] {
    let path = FileManager.default.temporaryDirectory.appending(path: "stills-\(UUID().uuidString)\(format.suffix)")
    try Data(file).write(to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["exiftool", "-s", "-a"] + options + [path.path]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.awaitEnd()
    return text.split(separator: "\n").reduce(into: [:]) { tags, line in
        guard let colon = line.firstIndex(of: ":") else { return }
        let name = line[..<colon].trimmingCharacters(in: .whitespaces)
        // Values of duplicate tags are joined, so that they fail the comparison.
        tags[name, default: ""] += line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
}

/// A HEIC file converted to PNG by libheif's own program, turned and mirrored as the file says.
func converted(heic file: [UInt8]) throws -> [UInt8] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "stills-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let input = folder.appending(path: "in.heic"), output = folder.appending(path: "out.png")
    try Data(file).write(to: input)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["heif-convert", input.path, output.path]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.awaitEnd()
    return [UInt8](try Data(contentsOf: output))
}

/// A PNG file converted to HEIC by libheif's own program.
func heic(ofPNG file: [UInt8], _ options: [String]) throws -> [UInt8] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "stills-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let input = folder.appending(path: "in.png"), output = folder.appending(path: "out.heic")
    try Data(file).write(to: input)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["heif-enc"] + options + ["-o", output.path, input.path]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.awaitEnd()
    return [UInt8](try Data(contentsOf: output))
}

/// Little-endian 16-bit words.
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

/// Where text in the dot font has ink, row by row.
func dots(of text: String, _ scale: Int) -> [[Bool]] {
    (0..<(DotFont.height * scale)).map { y in
        text.utf8.flatMap { character in
            (0..<(DotFont.advance * scale)).map { x in
                x < DotFont.width * scale && DotFont.hasInk(DotFont.rows(character), x / scale, y / scale)
            }
        }
    }
}
