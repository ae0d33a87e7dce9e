// SPDX-License-Identifier: MIT
// H.264 as cameras send it, made by FFmpeg's program.

import Foundation
import Testing

/// The frames of a short film, each as a camera delivers it: parameters with each picture that needs no other.
struct H264Clip {
    let frames: [[UInt8]]
    /// The number of frames from one picture that needs no other to the next.
    static let interval = 15

    init(count: Int = 60, width: Int = 64, height: Int = 48) throws {
        let stream = [UInt8](
            try MovieProbe.run(
                ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=\(width)x\(height):rate=30"]
                    + ["-frames:v", "\(count)", "-c:v", "libx264", "-profile:v", "baseline", "-pix_fmt", "yuv420p"]
                    + [
                        "-g", "\(Self.interval)", "-threads", "1", "-x264-params",
                        "repeat-headers=1:scenecut=0:slices=1",
                    ]
                    + ["-f", "h264", "-"]))
        var frames: [[UInt8]] = [[]]
        for unit in Self.units(of: stream) {
            frames[frames.count - 1] += [0, 0, 0, 1] + unit
            // Each picture has one slice, which comes last.
            if [1, 5].contains(unit[0] & 0x1F) { frames.append([]) }
        }
        self.frames = frames.filter { !$0.isEmpty }
        try #require(self.frames.count == count)
    }

    /// The units of a stream, without start codes.
    static func units(of stream: [UInt8]) -> [[UInt8]] {
        var (units, place): ([[UInt8]], Int) = ([], 0)
        var begin: Int?
        while place + 3 <= stream.count {
            guard stream[place] == 0, stream[place + 1] == 0, stream[place + 2] == 1 else {
                place += 1
                continue
            }
            if let begin { units.append(Array(stream[begin..<place])) }
            place += 3
            begin = place
        }
        if let begin { units.append(Array(stream[begin...])) }
        // The first zero of a longer start code is no part of the unit before it.
        return units.map { unit in Array(unit.prefix((unit.lastIndex { $0 != 0 } ?? -1) + 1)) }
    }

    /// A frame as containers hold it: each unit after its length.
    static func contained(_ frame: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        for unit in units(of: frame) {
            withUnsafeBytes(of: UInt32(unit.count).bigEndian) { bytes += $0 }
            bytes += unit
        }
        return bytes
    }
}
