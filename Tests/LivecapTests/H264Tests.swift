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
            ["shoot", "-o", "a.jpg"], ["shoot", "--quality", "single", "-o", "a.png"],
            ["movie", "-o", "b.webm"], ["movie", "-o", "b.mkv", "--codec", "vp9"],
            ["movie", "-o", "b.mkv", "--stabilise", "standard"], ["movie", "-o", "b.mkv", "--timelapse", "1s"],
            ["movie", "-o", "b.mkv", "--canvas", "32x32"], ["movie", "-o", "b.mkv", "--crf", "30"],
            ["live", "-o", "b.mkv"], ["record", "-o", "b.y4m"], ["shoot", "-o", "a.jpg", "--explain", "why.png"],
        ])
    func whatNeedsPixelsDecodesIt(words: [String]) throws {
        let outcome = try RunningLivecap(placed(words) + ["--replay", files.path("a.lcap")]).finish()
        #expect(outcome.status == 0, "\(words): \(outcome.errors)")
    }

    /// Decoding H.264 is exact: each picture is the one that FFmpeg's program makes, to the bit.
    @Test func exportDecodesItExactly() throws {
        let outcome = try livecap("export", files.path("a.lcap"), "-o", files.path("b.y4m"), "--json")
        try #require(outcome.status == 0, "\(outcome.errors)")
        #expect(try outcome.object["frames"] as? Int == 40 && outcome.object["leftOut"] as? Int == 0)
        let made = try livecap(
            "version",
            shell: "ffmpeg -v error -i \(files.path("a.h264")) -pix_fmt yuv420p "
                + "\(files.path("c.y4m")) && \"$@\"")
        try #require(made.status == 0, "\(made.errors)")
        #expect(try pictures("b.y4m") == pictures("c.y4m"))
    }

    /// The samples of a .y4m file's pictures.
    private func pictures(_ name: String) throws -> [[UInt8]] {
        var bytes = try files.bytes(name)[...]
        bytes = bytes.dropFirst((bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0) + 1)
        let (head, count) = ("FRAME\n".utf8.count, 64 * 48 * 3 / 2)
        var pictures: [[UInt8]] = []
        while bytes.count >= head + count {
            pictures.append(Array(bytes.dropFirst(head).prefix(count)))
            bytes = bytes.dropFirst(head + count)
        }
        try #require(pictures.count == 40 && bytes.isEmpty)
        return pictures
    }

    /// The picture is that of its moment.
    @Test func aStillHasTheTimeOfItsFrame() throws {
        let outcome = try livecap(
            "shoot", "--replay", files.path("a.lcap"), "--at", "800ms", "-o", files.path("a.jpg"), "--json")
        try #require(outcome.status == 0, "\(outcome.errors)")
        #expect(try outcome.object["referenceNs"] as? Int == 24 * 33_333_333)
    }

    @Test(arguments: [["shoot", "-o", "a.jpg"], ["export", "-o", "b.y4m"], ["movie", "-o", "b.webm"]])
    func withoutFFmpegThatIsSaidOfVideo(words: [String]) throws {
        try files.hideFFmpeg(in: "libraries")
        let source = words[0] == "export" ? [files.path("a.lcap")] : ["--replay", files.path("a.lcap")]
        let outcome = try RunningLivecap(
            placed(words) + source + ["--json"],
            shell: "LD_LIBRARY_PATH='\(files.path("libraries"))' exec \"$@\""
        ).finish()
        #expect(outcome.status == 69, "\(outcome.errors)")
        #expect(try outcome.object["code"] as? String == "no-ffmpeg")
        #expect((try outcome.object["hint"] as? String)?.contains("apt install ffmpeg") == true)
    }

    /// Words with their outputs in the folder.
    private func placed(_ words: [String]) -> [String] {
        var words = words
        for place in words.indices where place > 0 && ["-o", "--explain"].contains(words[place - 1]) {
            words[place] = files.path(words[place])
        }
        return words
    }
}
