// SPDX-License-Identifier: MIT
// Reads movies back with FFmpeg's own programs.

import Foundation
import LivecapProcesses
import Testing

/// What ffprobe finds in a movie.
struct MovieProbe {
    /// The times of the pictures, in microseconds, in the file's order.
    let times: [Int]
    /// The codec's name.
    let codec: String
    let width: Int
    let height: Int
    /// What the file says of its colours.
    let range: String
    /// The tags of the file.
    let tags: [String: String]

    init(_ path: String) throws {
        let entries = "packet=pts_time:stream=codec_name,width,height,color_range:format_tags"
        let output = try Self.run([
            "ffprobe", "-v", "error", "-select_streams", "v", "-of", "json", "-show_entries", entries, path,
        ])
        let object = try #require(try JSONSerialization.jsonObject(with: output) as? [String: Any])
        let packets = try #require(object["packets"] as? [[String: Any]])
        times = packets.map { packet in
            (packet["pts_time"] as? String).flatMap(Double.init).map { Int(($0 * 1e6).rounded()) } ?? -1
        }
        let stream = try #require((object["streams"] as? [[String: Any]])?.first)
        codec = stream["codec_name"] as? String ?? ""
        (width, height) = (stream["width"] as? Int ?? 0, stream["height"] as? Int ?? 0)
        range = stream["color_range"] as? String ?? ""
        tags = (object["format"] as? [String: Any])?["tags"] as? [String: String] ?? [:]
    }

    /// The number of pictures that can be decoded.
    static func decoded(_ path: String) throws -> Int {
        let output = try run(
            ["ffmpeg", "-v", "error", "-i", path, "-vf", "scale=1:1", "-pix_fmt", "gray", "-f", "rawvideo"]
                + ["-fps_mode", "passthrough", "-enc_time_base", "1:90000", "-"])
        return output.count
    }

    /// The bytes of all pictures, one after the other, as they are in the file.
    static func payload(_ path: String) throws -> [UInt8] {
        [UInt8](try run(["ffmpeg", "-v", "error", "-i", path, "-c", "copy", "-f", "data", "-map", "0:v", "-"]))
    }

    /// The brightness of the middle of each picture, as it is shown.
    static func brightness(_ path: String) throws -> [UInt8] {
        [UInt8](
            try run(
                ["ffmpeg", "-v", "error", "-i", path, "-vf", "scale=1:1:flags=area:out_range=full", "-pix_fmt", "gray"]
                    + ["-f", "rawvideo", "-fps_mode", "passthrough", "-enc_time_base", "1:90000", "-"]))
    }

    /// Runs a program of FFmpeg's, which must have nothing to complain about, and returns its output.
    static func run(_ words: [String]) throws -> Data {
        let (process, output, errors) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        let words = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.awaitEnd()
        try #require(process.terminationStatus == 0, "\(words)")
        #expect(words == "", "FFmpeg complains")
        return data
    }
}
