// SPDX-License-Identifier: MIT
// Movies of lab cameras, read back with FFmpeg's programs: which frame each picture shows, and when a click is heard.

import Foundation
import LivecapFrames
import Testing

/// A movie of lab cameras whose JPEG frames were passed through, taken apart. Times are the movie's.
struct LabMovie {
    /// A picture of the movie.
    struct Picture {
        let time: Duration
        /// What the camera drew into it; nil where the last picture stands still with its mark.
        let marks: LabMarks?
    }
    /// A white picture, and its click.
    struct Flash {
        let time: Duration
        let marks: LabMarks
        /// How much later the camera's click begins; nil if there is none nearby.
        let delay: Duration?
        /// Whether a microphone was there.
        let hasSound: Bool
    }

    /// What each track holds, such as "video".
    let tracks: [String]
    let pictures: [Picture]
    /// When each block of sound begins and ends.
    let blocks: [(begin: Duration, end: Duration)]
    /// The sound as players hear it, from time 0 on, at 48 kHz.
    private let samples: [Int16]

    private static let rate = 48_000
    /// Half of the click's level: half of its edge, however that is rounded by interpolation.
    private static let threshold = 12_000
    /// A click farther away belongs to another flash. A camera's first two frames may both be flashes.
    private static let reach = Duration.milliseconds(30)

    /// Reads a file whose pictures have `size`.
    init(_ path: String, size: FrameSize = FrameSize(width: 160, height: 120)) throws {
        let folder = try TemporaryFolder()
        let (list, pictures, sound) = (folder.path("list"), folder.path("pictures"), folder.path("sound"))
        let outcome = try Lab.run(
            "ffmpeg",
            ["-v", "error", "-copyts", "-i", path, "-c", "copy", "-map", "0", "-f", "framecrc", list]
                + ["-c", "copy", "-map", "0:v", "-f", "data", pictures]
                + ["-map", "0:a", "-af", "aresample=48000:async=1:first_pts=0", "-ac", "1", "-f", "s16le", sound],
            within: 300)
        try #require(outcome.status == 0 && outcome.errors.isEmpty, "\(path): \(outcome.errors)")
        let packets = try PacketList(list)
        let bytes = try Data(contentsOf: URL(filePath: pictures))
        let reader = try MarkReader(FrameFormat(pixelFormat: .mjpeg, size: size))
        var place = 0
        self.pictures = bytes.withUnsafeBytes { bytes in
            packets.all.filter { packets.tracks[$0.track] == "video" }.map { packet in
                defer { place += packet.byteCount }
                let picture = UnsafeRawBufferPointer(rebasing: bytes[place...].prefix(packet.byteCount))
                return Picture(time: packet.begin, marks: try? reader.read(picture.bytes))
            }
        }
        try #require(place == bytes.count, "\(path): \(place) of \(bytes.count) bytes of pictures")
        tracks = packets.tracks
        blocks = packets.all.filter { packets.tracks[$0.track] == "audio" }.map { ($0.begin, $0.end) }
        samples = try Data(contentsOf: URL(filePath: sound)).withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    }

    // MARK: Pictures

    /// Each frame, when it is first shown.
    var frames: [(time: Duration, marks: LabMarks)] {
        var (camera, number) = (-1, UInt32.max)
        return pictures.compactMap { picture in
            guard let marks = picture.marks, marks.camera != camera || marks.number != number else { return nil }
            (camera, number) = (marks.camera, marks.number)
            return (picture.time, marks)
        }
    }

    /// There must be one track each, whose times grow, without a gap of more than two `intervals` or in the sound.
    func expectNoGap(interval: Duration) {
        #expect(tracks == ["video", "audio"])
        // Matroska's times are whole milliseconds.
        let longest = interval * 2 + .milliseconds(2)
        let gaps = zip(pictures, pictures.dropFirst()).filter { $1.time <= $0.time || $1.time - $0.time > longest }
        #expect(gaps.isEmpty, "\(gaps.map { ($0.time, $1.time) })")
        let holes = zip(blocks, blocks.dropFirst()).filter { ($1.begin - $0.end).magnitude > .milliseconds(2) }
        #expect(holes.isEmpty, "\(holes)")
        let (last, end) = (pictures.last?.time ?? .zero, blocks.last?.end ?? .zero)
        #expect((end - last).magnitude < .milliseconds(250), "the sound ends at \(end), the last picture is at \(last)")
    }

    /// The numbers of frames that a camera sent between two of the movie's without having been unplugged.
    var missing: [UInt32] {
        zip(frames, frames.dropFirst()).filter {
            ($0.marks.camera, $0.marks.plugs) == ($1.marks.camera, $1.marks.plugs)
        }
        .flatMap { before, next in Array(min(before.marks.number + 1, next.marks.number)..<next.marks.number) }
    }

    /// Which camera is seen when, one after the other.
    var stays: [(camera: Int, times: ClosedRange<Duration>)] {
        frames.reduce(into: []) { stays, frame in
            if let last = stays.last, last.camera == frame.marks.camera {
                stays[stays.count - 1].times = last.times.lowerBound...frame.time
            } else {
                stays.append((frame.marks.camera, frame.time...frame.time))
            }
        }
    }

    // MARK: Flashes and clicks

    /// The white frames, in order.
    var flashes: [Flash] {
        let clicks = clicks
        return frames.filter(\.marks.isFlash).map { frame in
            let nearest = clicks.filter { $0.isInverted == (frame.marks.camera % 2 == 1) }.map(\.time).min {
                ($0 - frame.time).magnitude < ($1 - frame.time).magnitude
            }
            let delay = nearest.map { $0 - frame.time }.flatMap { $0.magnitude < Self.reach ? $0 : nil }
            return Flash(
                time: frame.time, marks: frame.marks, delay: delay,
                hasSound: hasSound(max(frame.time - Self.reach, .zero)) && hasSound(frame.time + Self.reach))
        }
    }

    /// Clicks without a flash, up to the last picture: sound at the wrong time. A flash may lack its picture where a
    /// camera was unplugged.
    var strayClicks: [Duration] {
        let flashes = frames.filter(\.marks.isFlash).map(\.time)
        let end = pictures.last?.time ?? .zero
        return clicks.map(\.time).filter { click in
            click <= end && !flashes.contains { (click - $0).magnitude < Self.reach }
        }
    }

    /// When each click begins, to a sample, and whether it begins downwards, as those of each second camera.
    private var clicks: [(time: Duration, isInverted: Bool)] {
        samples.withUnsafeBufferPointer { samples in
            var (clicks, last, index) = ([(time: Duration, isInverted: Bool)](), -Self.rate, 0)
            while index < samples.count {
                if samples[index].magnitude >= Self.threshold {
                    if index - last > Self.rate / 100 {
                        clicks.append((Self.time(of: index), samples[index] < 0))
                    }
                    last = index
                }
                index += 1
            }
            return clicks
        }
    }

    private static func time(of sample: Int) -> Duration { .nanoseconds(Int64(sample) * 1_000_000 / 48) }

    /// Whether there is sound in the 5 ms after a time: a microphone's tone has no such pause.
    private func hasSound(_ time: Duration) -> Bool {
        let first = Int(time.nanoseconds * 48 / 1_000_000)
        return samples[max(0, min(first, samples.count))..<max(0, min(first + 240, samples.count))].contains { $0 != 0 }
    }
}

/// The packets of a movie, as FFmpeg's format `framecrc` lists them.
private struct PacketList {
    struct Packet {
        let track: Int
        let begin: Duration
        let end: Duration
        let byteCount: Int
    }
    /// What each track holds, such as "video".
    private(set) var tracks: [String] = []
    private(set) var all: [Packet] = []

    init(_ path: String) throws {
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("#tb") {
                // The unit of all times.
                try #require(line.hasSuffix("1/1000"), "\(line)")
            } else if line.hasPrefix("#media_type") {
                tracks.append(String(line.split(separator: " ").last ?? ""))
            } else if !line.hasPrefix("#") {
                // Track, decoding time, time, duration, bytes, checksum.
                let numbers = line.split(separator: ",").map { Int($0.drop { $0 == " " }) ?? 0 }
                try #require(numbers.count >= 6, "\(line)")
                all.append(
                    Packet(
                        track: numbers[0], begin: .milliseconds(numbers[2]),
                        end: .milliseconds(numbers[2] + numbers[3]), byteCount: numbers[4]))
            }
        }
    }
}
