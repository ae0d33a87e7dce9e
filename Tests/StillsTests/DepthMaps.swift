// SPDX-License-Identifier: MIT
// Depth maps to write into files, and what other programs say of such files.

import Foundation
import LivecapFrames
import LivecapProcesses
import LivecapStills

/// A map whose samples `sample` returns, by column and row.
func depthMap(
    _ width: Int, _ height: Int, metresPerCount: Double = 0.001, _ sample: (_ x: Int, _ y: Int) -> UInt16
) -> DepthMap {
    var samples: [UInt16] = []
    for y in 0..<height { for x in 0..<width { samples.append(sample(x, y)) } }
    return DepthMap(
        size: FrameSize(width: width, height: height), samples: samples, metresPerCount: metresPerCount)
}

/// A ramp from 0.5 m to 8 m with two steps and some holes.
func slope(_ width: Int = 96, _ height: Int = 64) -> DepthMap {
    depthMap(width, height) { x, y in
        if (x * 7 + y * 13) % 31 == 0 { return 0 }
        let far = 500 + 7500 * (x + y * width) / (width * height - 1)
        return UInt16(x < width / 3 ? far / 2 + 250 : far)
    }
}

/// The same with everything that a file can say of a map.
func describedSlope(_ width: Int = 96, _ height: Int = 64) -> DepthMap {
    var depth = slope(width, height)
    depth.reach = 0.25...10
    depth.isFiltered = true
    depth.intrinsics = DepthIntrinsics(
        size: FrameSize(width: 640, height: 480), fx: 612.25, fy: 611.5, cx: 318.125, cy: 242.75
    ).distorted(.brownConrady, [0.125, -0.25, 0.0015, -0.0005, 0.0625])
    return depth
}

/// What a program prints on its standard output, of a file with a suffix.
func output(of program: [String], for file: [UInt8], suffix: String) throws -> [UInt8] {
    let path = FileManager.default.temporaryDirectory.appending(path: "depth-\(UUID().uuidString)\(suffix)")
    try Data(file).write(to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = program + [path.path]
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.awaitEnd()
    return [UInt8](bytes)
}

/// The depth picture of a HEIC file as libheif's own program writes it: a PNG file. Nil if it finds none.
func depthPicture(ofHEIC file: [UInt8]) throws -> [UInt8]? {
    let folder = FileManager.default.temporaryDirectory.appending(path: "depth-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let input = folder.appending(path: "in.heic")
    try Data(file).write(to: input)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["heif-convert", "--with-aux", input.path, folder.appending(path: "out.png").path]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.awaitEnd()
    let found = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return try found.first { $0.lastPathComponent.contains("depth") }.map { [UInt8](try Data(contentsOf: $0)) }
}
