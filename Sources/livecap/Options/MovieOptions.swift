// SPDX-License-Identifier: MIT
// The shape of movies on the command line: their parts, their size and rate, and how their time passes.

import LivecapCommandTable
import LivecapFrames
import LivecapMovies

enum MovieOptions {
    static let split = Option(
        "split",
        ValueKind<MovieSplit>(
            "TIME|SIZE", expects: "a time of at least 100ms such as 10m, or a size of at least 1MB such as 2GB"
        ) { MovieSplit($0) },
        help:
            "Go on in another file after this time, such as 10m, or before a file is larger than this size, such as 2GB. "
            + "The files of walk.mkv are walk-001.mkv, walk-002.mkv and so on, after the numbers that exist; no picture and "
            + "no sound is lost in between")
    static let canvas = Option(
        "canvas",
        ValueKind<MovieCanvas>(
            "SIZE[@FPS]",
            expects: "a size from 16x16 to 16384x16384 such as 1280x720, or 1280x720@30 with up to 240 fps"
        ) { MovieCanvas($0) },
        help:
            "The size of the movie's pictures, and their exact rate, whatever the camera delivers: frames are turned "
            + "upright, fitted in and encoded; surplus ones are left out, and missing ones are filled in (default: those "
            + "of the first camera)")
    static let bitrate = Option(
        "bitrate",
        ValueKind<Int>("RATE", expects: "bits per second from 10k to 1G, such as 6M or 800k") { parseBitrate($0) },
        help: "Aim at this many bits of pictures per second, such as 6M or 800k: the movie's size is known beforehand")
    static let crf = Option(
        "crf", .integer(MovieQuality.constants),
        help:
            "Aim at this constant quality, as encoders number it: less is better and larger, 1 to 51 for h264 (usual: 20), to "
            + "63 for vp9 (28) and av1 (34)")
    /// Options that exclude each other.
    static let qualities: [any Declared] = [bitrate, crf]
    static let timelapse = Option(
        "timelapse", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help:
            "Take one picture of each such interval, the nearest to its time, and show them at 30 fps, or the rate of "
            + "--canvas; without sound")
}

extension Arguments {
    /// What the encoder of movies aims at, if that was said.
    var movieQuality: MovieQuality? {
        self[MovieOptions.bitrate].map { .bitrate($0) } ?? self[MovieOptions.crf].map { .constant($0) }
    }
}

/// Bits per second, as encoders count them: `6M` is 6,000,000.
private func parseBitrate(_ text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let scale: Double
    switch text[digits.endIndex...].lowercased() {
    case "", "bit/s", "bps": scale = 1
    case "k", "kbit/s", "kbps": scale = 1e3
    case "m", "mbit/s", "mbps": scale = 1e6
    case "g", "gbit/s", "gbps": scale = 1e9
    default: return nil
    }
    guard let value = Double(digits), value.isFinite else { return nil }
    return Int(exactly: (value * scale).rounded()).flatMap { MovieQuality.bitrates.contains($0) ? $0 : nil }
}

extension MovieSplit {
    /// Sizes end with B or G. M is neither minutes nor megabytes: `10m` is a time, and `10MB` a size.
    init?(_ text: String) {
        if let last = text.last, "bBgG".contains(last) {
            guard let bytes = try? ValueKind<Int>.bytes().parse(text), bytes >= 1 << 20 else { return nil }
            self = .bytes(bytes)
        } else {
            guard let time = try? ValueKind<Int64>.positiveNanoseconds().parse(text), time >= 100_000_000 else {
                return nil
            }
            self = .duration(.nanoseconds(time))
        }
    }
}

extension MovieCanvas {
    /// `1280x720`, or with a rate `1280x720@30`. No less than 16x16 can be encoded, and no more than 16384x16384 as
    /// H.264. At rates that no camera has, the disk would fill with repeated pictures.
    init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, let size = FrameSize(parts[0]) else { return nil }
        guard (16...16384).contains(size.width), (16...16384).contains(size.height) else { return nil }
        self.init(size: size)
        guard parts.count == 2 else { return }
        guard let rate = FrameRate(parts[1]), rate.framesPerSecond <= 240 else { return nil }
        self.rate = rate
    }
}
