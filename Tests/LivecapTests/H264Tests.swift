// SPDX-License-Identifier: MIT
// H.264 of a camera on the command line: what takes it as it is, and what refuses it.

import Foundation
import LivecapFrameFiles
import LivecapFrames
import Testing

@Suite struct H264Tests {
    private let files: Scratch

    /// A recording of H.264, made by FFmpeg's program.
    init() throws {
        files = try Scratch()
        let made = try livecap(
            "version",
            shell:
                "ffmpeg -v error -f lavfi -i testsrc=size=64x48:rate=30 -frames:v 40 -c:v libx264 -profile:v baseline "
                + "-pix_fmt yuv420p -g 10 -threads 1 -x264-params repeat-headers=1:scenecut=0:slices=1 "
                + "-f h264 \(files.path("a.h264")) && \"$@\"")
        try #require(made.status == 0, "\(made.errors)")
        var frames: [[UInt8]] = [[]]
        // Units, each with the 1 of its start code. A picture is the last one of its frame.
        let units = try files.bytes("a.h264").split(separator: [0, 0, 1]).map(Array.init)
        for unit in units where unit.contains(where: { $0 != 0 }) {
            frames[frames.count - 1] += [0, 0, 1] + unit
            if [1, 5].contains(unit[0] & 0x1F) { frames.append([]) }
        }
        frames.removeLast()
        let format = FrameFormat(pixelFormat: .h264, size: FrameSize(width: 64, height: 48))
        let source = SourceDescription(
            name: "Eye", identity: "eye", format: format, rate: FrameRate(30), clock: .monotonic)
        let dump = try DumpWriter(files.path("a.lcap"), DumpHeader(of: source, recording: 1))
        for (number, frame) in frames.enumerated() {
            let metadata = FrameMetadata(
                time: Timestamp(nanoseconds: Int64(number) * 33_333_333), byteCount: frame.count,
                sequence: UInt32(number), id: FrameID(epoch: 0, counter: UInt64(number)))
            let result = frame.withUnsafeBytes { bytes in
                Result { () throws(FrameFileError) in try dump.append(metadata, bytes) }
            }
            try result.get()
        }
        try dump.finish()
    }

    @Test func moviesTakeItAsItIs() throws {
        let outcome = try livecap("movie", "--replay", files.path("a.lcap"), "-o", files.path("a.mp4"), "--json")
        try #require(outcome.status == 0, "\(outcome.errors)")
        let object = try outcome.object
        #expect(object["codec"] as? String == "h264" && object["unchanged"] as? Bool == true)
        #expect(object["frames"] as? Int == 40 && object["waitedForKey"] as? Int == 0)
    }

    @Test func aMovieOfThePastBeginsWithAWholePicture() throws {
        let outcome = try livecap(
            "movie", "--replay", files.path("a.lcap"), "-o", files.path("a.mkv"), "--pre", "500ms", "--json")
        try #require(outcome.status == 0, "\(outcome.errors)")
        let object = try outcome.object
        #expect((object["firstNs"] as? Int ?? -1) % 333_333_330 == 0, "one of ten pictures needs no other")
        #expect(object["preMs"] as? Double ?? 0 >= 500)
    }

    @Test func recordingsKeepIt() throws {
        let outcome = try livecap("record", "--replay", files.path("a.lcap"), "-o", files.path("b.lcap"), "--json")
        #expect(try outcome.object["format"] as? String == "H264")
        #expect(try outcome.object["frames"] as? Int == 40)
    }

    @Test(
        arguments: [
            ["shoot", "-o", "a.jpg"], ["shoot", "--quality", "single", "-o", "a.png"], ["run", "-o", "photos"],
            ["movie", "-o", "b.webm"], ["movie", "-o", "b.mkv", "--codec", "vp9"],
            ["movie", "-o", "b.mkv", "--stabilise", "standard"], ["movie", "-o", "b.mkv", "--timelapse", "1s"],
            ["movie", "-o", "b.mkv", "--canvas", "32x32"], ["live", "-o", "b.mkv"],
            ["shoot", "-o", "a.jpg", "--explain", "why.png"],
        ])
    func whatNeedsPixelsSaysWhatToUse(words: [String]) throws {
        var words = words
        if let place = words.firstIndex(of: "-o") { words[place + 1] = files.path(words[place + 1]) }
        let outcome = try RunningLivecap(words + ["--replay", files.path("a.lcap")]).finish()
        #expect(outcome.status != 0, "\(words)")
        #expect(outcome.errors.contains("MJPG"), "\(words): \(outcome.errors)")
        #expect(outcome.errors.contains("H264") || outcome.errors.contains("H.264"), "\(outcome.errors)")
    }
}
