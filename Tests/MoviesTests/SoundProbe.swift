// SPDX-License-Identifier: MIT
// Reads a movie's sound back with FFmpeg's own programs.

import Foundation
import Testing

/// What ffprobe and ffmpeg find in a movie's track of sound.
struct SoundProbe {
    /// The codec's name.
    let codec: String
    let channels: Int
    let rate: Int
    /// The time and duration of each packet, in seconds, in the file's order.
    let packets: [(time: Double, duration: Double)]
    /// The track of each packet of the file, in its order: true for sound.
    let order: [(isSound: Bool, time: Double)]
    /// The number of tracks in the file.
    let tracks: Int
    /// When the last picture ends, in seconds.
    let picturesEnd: Double

    init(_ path: String) throws {
        let entries =
            "packet=pts_time,duration_time,codec_type:stream=codec_name,codec_type,channels,sample_rate"
        let output = try MovieProbe.run(["ffprobe", "-v", "error", "-of", "json", "-show_entries", entries, path])
        let object = try #require(try JSONSerialization.jsonObject(with: output) as? [String: Any])
        let streams = try #require(object["streams"] as? [[String: Any]])
        tracks = streams.count
        let stream = try #require(streams.first { $0["codec_type"] as? String == "audio" })
        codec = stream["codec_name"] as? String ?? ""
        channels = stream["channels"] as? Int ?? 0
        rate = Int(stream["sample_rate"] as? String ?? "") ?? 0
        let all = (object["packets"] as? [[String: Any]] ?? []).map { packet in
            func number(_ key: String) -> Double { (packet[key] as? String).flatMap(Double.init) ?? .nan }
            return (packet["codec_type"] as? String == "audio", number("pts_time"), number("duration_time"))
        }
        packets = all.filter(\.0).map { ($0.1, $0.2) }
        order = all.map { ($0.0, $0.1) }
        picturesEnd = all.filter { !$0.0 }.map { $0.1 + ($0.2.isNaN ? 0 : $0.2) }.max() ?? 0
    }

    /// The end of the last packet.
    var end: Double { packets.map { $0.time + $0.duration }.max() ?? 0 }

    /// The sound as players hear it, from the movie's time 0 on: mono at 48 kHz.
    static func heard(_ path: String) throws -> [Float] {
        let data = try MovieProbe.run(
            [
                "ffmpeg", "-v", "error", "-copyts", "-i", path, "-map", "0:a", "-af",
                "aresample=48000:async=1:first_pts=0",
            ]
                + ["-ac", "1", "-f", "f32le", "-"])
        return data.withUnsafeBytes { bytes in
            (0..<(bytes.count / 4)).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
    }

    /// When clicks are heard, in seconds: the middle of their energy.
    static func clicks(_ samples: [Float]) -> [Double] {
        var clicks: [Double] = []
        var (weight, sum, last) = (0.0, 0.0, Int.min / 2)
        for (index, sample) in samples.enumerated() where abs(sample) > 0.1 {
            if index - last > 4800 {
                if weight > 0 { clicks.append(sum / weight / 48_000) }
                (weight, sum) = (0, 0)
            }
            last = index
            let energy = Double(sample) * Double(sample)
            weight += energy
            sum += energy * Double(index)
        }
        if weight > 0 { clicks.append(sum / weight / 48_000) }
        return clicks
    }
}
