// SPDX-License-Identifier: MIT
// `livecap shoot` with several frames: which it uses, which it leaves out, and what it reports of them.

import Foundation
import LivecapFrames
import LivecapJPEG
import Testing

@Suite struct FusedShootTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// Shoots a scene of 25 fps at the fast pace.
    private func shoot(_ options: String...) throws -> Outcome {
        let scene = ["--synthetic", "tripod:frames=20,mark=off", "--size", "64x48", "--fps", "25", "--pace", "fast"]
        return try RunningLivecap(["shoot", "--json"] + scene + options).finish()
    }

    private func ids(_ shot: [String: Any], _ key: String = "framesUsed") throws -> [String] {
        try #require(shot[key] as? [[String: Any]]).compactMap { $0["id"] as? String }
    }

    @Test func everyKeyIsThere() throws {
        let shot = try shoot("--at", "400ms", "--threads", "1", "-o", files.path("a.png")).object
        #expect(
            Set(shot.keys) == [
                "file", "shot", "tapNs", "referenceId", "referenceNs", "lagMs", "lagBoundMs", "framesUsed", "rejected",
                "qualityAsked", "qualityGiven", "prioritized", "exposureSettled", "noise", "noiseBounds", "evidence",
                "refused", "hotPixels", "kernels", "threads", "bytes", "droppedByRing", "notes", "time", "width",
                "height",
                "format", "stagesMs",
            ])
        #expect(shot["qualityAsked"] as? String == "balanced" && shot["qualityGiven"] as? String == "balanced")
        #expect(shot["threads"] as? Int == 1)
        #expect(try shot["bytes"] as? Int == files.bytes("a.png").count)
        let stages = try #require(shot["stagesMs"] as? [String: Double])
        #expect(Set(stages.keys).isSuperset(of: ["prepare", "merge", "encode", "store"]))
        let used = try #require(shot["framesUsed"] as? [[String: Any]])
        #expect(used.allSatisfy { Set($0.keys) == ["id", "ns", "weight"] })
    }

    @Test func aSeriesIsNumberedByMoment() throws {
        let outcome = try shoot(
            "--at", "400ms", "--at", "120ms", "--at", "0s", "--quality", "speed", "-o", files.path("s.jpg"))
        let shots = try outcome.objects
        #expect(shots.map { $0["file"] as? String } == (1...3).map { files.path("s-\($0).jpg") })
        #expect(shots.map { $0["referenceId"] as? String } == ["0:0", "0:3", "0:10"])
    }

    @Test func whatTheCodecsEnvironmentSaysDoesNoHarm() throws {
        func pixels(_ name: String, _ environment: String) throws -> [UInt8] {
            let outcome = try RunningLivecap(
                ["shoot", "--synthetic", "tripod", "--size", "128x96", "--pace", "fast", "--at", "400ms", "-o"]
                    + [files.path(name)], shell: "export \(environment); exec \"$@\""
            ).finish()
            try #require(outcome.status == 0, "\(outcome.errors)")
            var pixels = [UInt8](repeating: 0, count: 3 * 128 * 96)
            var decoder = try JPEGDecoder()
            let file = try files.bytes(name)
            try pixels.withUnsafeMutableBytes { memory in
                _ = try decoder.decodeRGB(
                    file.span.bytes, size: FrameSize(width: 128, height: 96), into: memory)
            }
            return pixels
        }
        let usual = try pixels("a.jpg", "A=1")
        #expect(try pixels("b.jpg", "TJ_OPTIMIZE=1") == usual)
        #expect(try pixels("c.jpg", "TJ_RESTART=1") == usual)
        #expect(try pixels("d.jpg", "TJ_PROGRESSIVE=1") == usual)
    }

    @Test func framesBeforeTheMomentAreTheRule() throws {
        let shot = try shoot("--at", "400ms", "--quality", "mean", "-o", files.path("a.jpg")).object
        #expect(try ids(shot) == (3...10).map { "0:\($0)" })
    }

    @Test func laterFramesAreWaitedForAndCountedAmongAll() throws {
        let options = ["--quality", "mean", "--frames", "6", "--after", "2"]
        let shot = try RunningLivecap(
            ["shoot", "--json", "--synthetic", "tripod:frames=20", "--size", "64x48", "--fps", "25", "--pace", "fast"]
                + ["--at", "400ms", "-o", files.path("a.jpg")] + options
        ).finish().object
        #expect(try ids(shot) == (7...12).map { "0:\($0)" })
        #expect(shot["referenceId"] as? String == "0:10")
    }

    @Test(arguments: ["speed", "single"]) func oneFrameIsEnoughWhateverElseIsAskedFor(quality: String) throws {
        let (asked, plain) = (
            try shoot(
                "--at", "400ms", "--quality", quality, "--frames", "8", "--after", "3", "-o", files.path("a.png")),
            try shoot("--at", "400ms", "--quality", quality, "-o", files.path("b.png"))
        )
        #expect(try ids(asked.object) == ["0:10"])
        #expect(asked.errors.contains("change nothing") && !plain.errors.contains("change nothing"))
        #expect(try files.bytes("a.png") == files.bytes("b.png"))
    }

    @Test func aComparisonNeverTakesThePicturesPlace() throws {
        let same = try shoot("--at", "400ms", "-o", files.path("a.png"), "--compare", files.path("a.png"))
        #expect(same.status == 64)
        let spelt = try shoot("--at", "400ms", "-o", files.path("a.png"), "--explain", files.path("./a.png"))
        #expect(spelt.status == 64)
        let kind = try shoot("--at", "400ms", "-o", files.path("a.png"), "--explain", files.path("b.jpg"))
        #expect(kind.status == 64 && kind.errors.contains("name it .png"))
        #expect(files.names.isEmpty)
        _ = try files.write([1], to: "b.png")
        let taken = try shoot(
            "--at", "400ms", "--quality", "mean", "-o", files.path("a.png"), "--compare", files.path("b.png"))
        #expect(taken.status == 73)
        // The places are checked before anything is taken.
        #expect(try taken.objects.map { $0["code"] as? String } == ["file-error"])
        #expect(files.names == ["b.png"])
        #expect(try files.bytes("b.png") == [1])
    }

    @Test func withoutOverlapLaterFramesAreWaitedForOneShotAfterTheOther() throws {
        let outcome = try shoot(
            "--at", "200ms", "--count", "3", "--interval", "40ms", "--after", "3", "--quality", "mean", "--no-overlap",
            "-o", files.path("s") + "/")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try outcome.objects.map { $0["referenceId"] as? String } == ["0:5", "0:6", "0:7"])
    }

    @Test func atTheEndsOfAFileThereAreFewer() throws {
        let first = try shoot("--at", "0s", "--quality", "mean", "-o", files.path("a.jpg")).object
        #expect(try ids(first) == ["0:0"])
        let last = try shoot("--at", "760ms", "--after", "3", "--quality", "mean", "-n", "4", "-o", files.path("b.jpg"))
        #expect(try ids(last.object) == (16...19).map { "0:\($0)" })
    }

    @Test func inRealTimeThePresentBeginsWhenThereAreFramesToMerge() throws {
        let outcome = try livecap(
            "shoot", "--synthetic", "tripod", "--size", "64x48", "--fps", "25", "--quality", "mean", "-o",
            files.path("a.jpg"), "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try ids(outcome.object).count > 1)
    }

    @Test func aSeriesIsEvenlySpaced() throws {
        let outcome = try shoot("--at", "80ms", "--count", "3", "--interval", "200ms", "-o", files.path("s") + "/")
        #expect(try outcome.objects.map { $0["referenceId"] as? String } == ["0:2", "0:7", "0:12"])
    }

    @Test func damagedFramesAreLeftOutByName() throws {
        // Every fourth frame is cut short: numbers 3, 7 and 11.
        let shot = try RunningLivecap(
            ["shoot", "--json", "--synthetic", "tripod:damage=4", "--size", "64x48", "--fps", "25", "--pace", "fast"]
                + ["--at", "400ms", "-n", "4", "--quality", "mean", "-o", files.path("a.jpg")]
        ).finish().object
        #expect(try ids(shot) == ["0:6", "0:8", "0:9", "0:10"])
        #expect(try ids(shot, "rejected") == ["0:7"])
    }

    @Test(arguments: ["33x17", "17x33"]) func oddSizesAreFused(size: String) throws {
        for format in ["YUYV", "NV12", "GREY", "MJPG"] {
            let outcome = try livecap(
                "shoot", "--synthetic", "tripod", "--size", size, "--pace", "fast", "--at", "200ms", "--format", format,
                "--format", "png", "-o", files.path("a.png"), "--overwrite", "--json")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try outcome.object["qualityGiven"] as? String == "balanced")
            #expect(try pngSize(files.bytes("a.png")) == FrameSize(size))
        }
    }

    @Test func greyFramesGiveGreyPictures() throws {
        let outcome = try livecap(
            "shoot", "--synthetic", "tripod", "--size", "64x48", "--pace", "fast", "--format", "GREY", "-o",
            files.path("a.png"), "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try files.bytes("a.png")[24...25] == [16, 0])
    }

    @Test func framesOfRedGreenAndBlueAreMerged() throws {
        let frames = try files.write([UInt8](repeating: 90, count: 3 * 3 * 32 * 32), to: "rgb")
        let outcome = try livecap(
            "shoot", "--replay", frames, "--input-format", "RGB24", "--size", "32x32", "--at", "60ms", "-o",
            files.path("a.png"), "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try outcome.object["qualityGiven"] as? String == "balanced")
        #expect(!outcome.errors.contains("cannot be merged"))
    }

    private func pngSize(_ file: [UInt8]) -> FrameSize {
        func number(_ place: Int) -> Int { file[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) } }
        return FrameSize(width: number(16), height: number(20))
    }
}

/// JPEG frames of which some cannot be decoded or have another chroma sampling.
@Suite struct FusedJPEGShootTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// A JPEG picture of noise, which takes many bytes.
    private func picture(_ sampling: ChromaSampling = .s422, seed: UInt8) throws -> [UInt8] {
        let size = FrameSize(width: 48, height: 32)
        let pixels = (0..<(3 * size.area)).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) &+ seed }
        var encoder = try JPEGEncoder()
        return try encoder.encodeRGB(pixels.span.bytes, size: size, sampling: sampling, quality: 90) { picture in
            picture.withUnsafeBytes { Array($0) }
        }
    }

    /// A picture with valid markers and invalid data.
    private func spoilt(_ picture: [UInt8]) throws -> [UInt8] {
        let structure = try #require(JPEGStructure.check(picture.span.bytes).structure)
        var spoilt = picture
        for place in (structure.dataStart + 20)..<(structure.end - 20) { spoilt[place] = 0xAA }
        return spoilt
    }

    private func shoot(_ frames: [[UInt8]], _ options: String...) throws -> Outcome {
        let movie = try files.write(Array(frames.joined()), to: "a.mjpg")
        return try RunningLivecap(
            ["shoot", "--replay", movie, "--fps", "10", "--quality", "mean", "-o", files.path("a.png"), "--json"]
                + options
        ).finish()
    }

    private func ids(_ shot: [String: Any], _ key: String) throws -> [String] {
        try #require(shot[key] as? [[String: Any]]).compactMap { $0["id"] as? String }
    }

    @Test func anUndecodableFrameIsLeftOut() throws {
        let good = try picture(seed: 0)
        let outcome = try shoot([good, spoilt(good), good, good], "--at", "300ms")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let shot = try outcome.object
        #expect(try ids(shot, "framesUsed") == ["0:0", "0:2", "0:3"])
        #expect(try ids(shot, "rejected") == ["0:1"])
        #expect((shot["stagesMs"] as? [String: Double])?["decode"] != nil)
    }

    @Test func anUndecodableReferenceGivesWayToTheNearest() throws {
        let good = try picture(seed: 0)
        for count in ["1", "3"] {
            let outcome = try shoot([good, good, good, spoilt(good)], "--at", "300ms", "-n", count, "--overwrite")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try outcome.object["referenceId"] as? String == "0:2")
            #expect(try outcome.object["lagMs"] as? Double == -100)
            #expect(outcome.errors.contains("0:3"))
            let notes = try #require(outcome.object["notes"] as? [String])
            #expect(notes.contains("frame 0:3 cannot be decoded: the picture shows 0:2"))
        }
    }

    @Test func framesSampledOtherwiseAreLeftOut() throws {
        let outcome = try shoot([picture(seed: 0), picture(.s420, seed: 0), picture(seed: 0)], "--at", "200ms")
        #expect(try ids(outcome.object, "framesUsed") == ["0:0", "0:2"])
    }

    @Test(arguments: [ChromaSampling.s444, .s422, .s420, .grey]) func everyUsualSamplingIsFused(
        sampling: ChromaSampling
    ) throws {
        let outcome = try shoot([picture(sampling, seed: 0), picture(sampling, seed: 9)], "--at", "100ms")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try ids(outcome.object, "framesUsed").count == 2)
    }

    @Test(arguments: [ChromaSampling.s444, .s422, .s420]) func coloursOfJPEGFramesAreKept(
        sampling: ChromaSampling
    ) throws {
        let size = FrameSize(width: 34, height: 18), colour: [UInt8] = [200, 60, 30]
        var encoder = try JPEGEncoder()
        let pixels = (0..<(3 * size.area)).map { colour[$0 % 3] }
        let frame = try encoder.encodeRGB(pixels.span.bytes, size: size, sampling: sampling, quality: 95) { picture in
            picture.withUnsafeBytes { Array($0) }
        }
        #expect(try shoot([frame, frame]).status == 0)
        let raw = ["-pix_fmt", "rgb24", "-f", "rawvideo", files.path("raw")]
        #expect(try run("ffmpeg", ["-v", "error", "-i", files.path("a.png")] + raw) == 0)
        let found = try files.bytes("raw")
        #expect(found.count == pixels.count)
        #expect(zip(found, pixels).allSatisfy { abs(Int($0) - Int($1)) <= 3 })
    }

    /// A picture with an invalid Huffman table.
    private func unreadable(_ picture: [UInt8]) throws -> [UInt8] {
        var unreadable = picture
        let table = try #require((2..<(picture.count - 21)).first { picture[$0] == 0xFF && picture[$0 + 1] == 0xC4 })
        for place in (table + 5)..<(table + 21) { unreadable[place] = 0xF0 }
        return unreadable
    }

    @Test func whereNothingCanBeDecodedThereIsNoPhoto() throws {
        let bad = try unreadable(picture(seed: 0))
        for file in ["a.png", "a.jpg", "a.heic"] {
            let outcome = try shoot([bad, bad], "--quality", "single", "-o", files.path(file))
            #expect(outcome.status == 65)
            #expect(try outcome.object["code"] as? String == "undecodable")
        }
        #expect(files.names == ["a.mjpg"])
    }
}

/// Command lines that contradict themselves, and places that cannot be written to.
@Suite struct ShootRefusalTests {
    private let files: Scratch

    init() throws { files = try Scratch() }

    private func shoot(_ options: [String], environment: String? = nil) throws -> Outcome {
        let frames = try files.rawFrames(3)
        let line = ["shoot", "--replay", frames] + Scratch.rawOptions + options
        return try RunningLivecap(line, shell: environment.map { "export \($0); \"$@\"" }).finish()
    }

    @Test(arguments: [
        (["--frames", "17"], "from 1 to 16"), (["--after", "16"], "from 0 to 15"),
        (["--frames", "4", "--after", "4"], "--after 3"), (["--interval", "1s"], "--count"),
        (["--depth", "16", "-o", "a.jpg"], "choose 8"), (["--quality", "best"], "balanced"),
        (["--kernels", "sse"], "avx2"), (["--kernels", "avx512"], "portable, avx2"),
        (["--format", "tiff"], "jpeg, heic or png"), (["--threads", "0"], "from 1 to 64"),
        (["--size", "0x0"], "65535x65535"),
    ]) func contradictionsSayWhatWouldDo(options: [String], word: String) throws {
        let outcome = try shoot(options)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains(word), "\(outcome.errors)")
        #expect(files.names == ["frames.nv12"])
    }

    @Test func kernelsOfTheEnvironmentAreCheckedToo() throws {
        let outcome = try shoot(["-o", files.path("a.jpg")], environment: "LIVECAP_KERNELS=sse")
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("portable"))
        let overruled = try shoot(
            ["-o", files.path("a.jpg"), "--kernels", "portable", "--json"], environment: "LIVECAP_KERNELS=sse")
        #expect(try overruled.object["kernels"] as? String == "portable")
    }

    @Test func aPlaceThatCannotBeWrittenToIsSaid() throws {
        #expect(try shoot(["-o", "/sys/livecap.jpg"]).status == 73)
        #expect(try shoot(["-o", "/sys/livecap/"]).status == 73)
    }
}
