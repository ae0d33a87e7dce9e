// SPDX-License-Identifier: MIT
// Finished MP4 files have their index first, and hold what their fragments held.

import Foundation
import FrameRing
import LivecapFrames
import LivecapSeededRandom
import LivecapSound
import LivecapStills
import LivecapThreads
import Testing

@testable import LivecapMovies

@Suite struct MovieIndexTests {
    /// Makes a movie of two and a half seconds, with chapters, that stays in fragments.
    private func makeFragments(_ stage: MovieStage, _ name: String, hasSound: Bool) async throws -> MovieResult {
        let history = hasSound ? SoundHistory(channels: 2, seconds: 8) : nil
        if let history { Clicks.capture(history, from: -0.5, to: 4, since: stage.begin, channels: 2) }
        var settings = MovieSettings(codec: .h264)
        settings.hasIndexFirst = false
        settings.mount = CameraMount(angle: .quarter)
        let movie = try MovieFileOutput(
            stage.source, ring: stage.ring, to: stage.path(name), settings, sound: history)
        for time in stride(from: Int64(0), to: 2500, by: 33) {
            // The camera loses some.
            guard !(700..<900).contains(time) else { continue }
            try stage.publish(picture(Int(time), stage), at: .milliseconds(time))
        }
        movie.start(at: stage.begin)
        try movie.mark("Here")
        return await movie.finish()
    }

    private func picture(_ number: Int, _ stage: MovieStage) throws -> [UInt8] { try stage.picture(number) }

    /// Every packet's times, size and bytes, and every track and text, as ffprobe finds them.
    private func contents(_ path: String) throws -> (packets: [String], rest: [String: String]) {
        let entries =
            "packet=stream_index,pts,dts,size,flags,data_hash:stream=index,codec_name,width,height,sample_rate"
            + ":format_tags:stream_side_data=rotation:chapter=start_time:chapter_tags=title"
        let output = try MovieProbe.run([
            "ffprobe", "-v", "error", "-show_data_hash", "md5", "-of", "json", "-show_entries", entries, path,
        ])
        var object = try #require(try JSONSerialization.jsonObject(with: output) as? [String: Any])
        let packets = (object.removeValue(forKey: "packets") as? [[String: Any]] ?? []).map { packet in
            let isKey = (packet["flags"] as? String ?? "").hasPrefix("K")
            let facts = ["stream_index", "pts", "dts", "size", "data_hash"].map { "\(packet[$0] ?? "none")" }
            return facts.joined(separator: " ") + (isKey ? " key" : "")
        }
        var rest: [String: String] = [:]
        for (key, value) in object {
            let data = try JSONSerialization.data(withJSONObject: ["": value], options: .sortedKeys)
            // Which readers a file is for changes.
            rest[key] = String(decoding: data, as: UTF8.self)
                .replacing(/"(major_brand|compatible_brands|minor_version)":"[^"]*",?/, with: "")
        }
        return (packets, rest)
    }

    private func types(_ stage: MovieStage, _ name: String) throws -> [String] {
        let bytes = try stage.bytes(name)
        return try #require(MediaBox.all(in: bytes[...])).map(\.type)
    }

    private func copy(_ path: String, _ goesOn: (Int) -> Bool = { _ in true }) throws(MovieIndexGap) -> Int {
        let copy = try IndexedCopy(of: path)
        try copy.replace(goesOn)
        return copy.byteCount
    }

    @Test(arguments: [false, true]) func theCopyHoldsWhatTheFragmentsHeld(hasSound: Bool) async throws {
        let stage = try MovieStage(.yuyv, seconds: 8, clock: .monotonic)
        let result = try await makeFragments(stage, "a.mp4", hasSound: hasSound)
        #expect(result.failure == nil && result.isIndexFirst == false && result.indexGap == nil)
        #expect(try types(stage, "a.mp4").contains("moof"))
        try stage.write(try stage.bytes("a.mp4"), to: "b.mp4")
        let count = try copy(stage.path("b.mp4"))
        #expect(stage.names == ["a.mp4", "b.mp4"])
        #expect(try types(stage, "b.mp4") == ["ftyp", "moov", "mdat"])
        #expect(try stage.bytes("b.mp4").count == count && count < (try stage.bytes("a.mp4").count))
        let (before, after) = (try contents(stage.path("a.mp4")), try contents(stage.path("b.mp4")))
        #expect(before.packets.count > 60 && before.rest == after.rest)
        for (before, after) in zip(before.packets, after.packets) { #expect(before == after) }
        #expect(before.packets.count == after.packets.count)
        // Players know how long it is without reading it.
        let length = try MovieProbe.run([
            "ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", stage.path("b.mp4"),
        ])
        let seconds = try #require(Double(String(decoding: length, as: UTF8.self).trimmingCharacters(in: .newlines)))
        #expect(abs(seconds - result.length.seconds) < 0.05, "\(seconds)")
        #expect(try MovieProbe.decoded(stage.path("b.mp4")) == result.summary.frames)
    }

    @Test(arguments: [false, true]) func moviesGetTheirIndexFirst(isSplit: Bool) async throws {
        let stage = try MovieStage(.grey)
        var settings = MovieSettings()
        settings.split = isSplit ? .duration(.seconds(1)) : nil
        let movie = try MovieFileOutput(stage.source, ring: stage.ring, to: stage.path("a.mp4"), settings)
        try stage.publish(at: (0..<60).map { 40 * Int64($0) })
        movie.start(at: stage.begin)
        let result = await movie.finish()
        #expect(result.failure == nil && result.isIndexFirst && result.indexGap == nil)
        #expect(result.parts.count == (isSplit ? 3 : 1) && stage.names.count == result.parts.count)
        for (name, part) in zip(stage.names, result.parts) {
            #expect(try types(stage, name) == ["ftyp", "moov", "mdat"])
            #expect(part.byteCount == (try stage.bytes(name).count))
            #expect(try MovieProbe.decoded(stage.path(name)) == part.pictures)
        }
        #expect(result.byteCount == result.parts.reduce(0) { $0 + $1.byteCount })
    }

    @Test func othersHaveNone() async throws {
        let stage = try MovieStage(.grey)
        let movie = try MovieFileOutput(stage.source, ring: stage.ring, to: stage.path("a.mkv"))
        try stage.publish(at: [0, 40, 80])
        movie.start(at: stage.begin)
        let result = await movie.finish()
        #expect(result.failure == nil && !result.isIndexFirst && result.indexGap == nil)
    }

    @Test func aMovieThatIsNotWaitedForStaysInFragments() async throws {
        let stage = try MovieStage(.grey)
        let movie = try MovieFileOutput(stage.source, ring: stage.ring, to: stage.path("a.mp4"))
        try stage.publish(at: (0..<30).map { 40 * Int64($0) })
        movie.start(at: stage.begin)
        movie.limitIndexing(to: .zero)
        let result = await movie.finish()
        #expect(result.failure == nil && !result.isIndexFirst && result.indexGap == .stopped)
        #expect(try types(stage, "a.mp4").contains("moof") && stage.names == ["a.mp4"])
        #expect(result.byteCount == (try stage.bytes("a.mp4").count))
        #expect(try MovieProbe.decoded(stage.path("a.mp4")) == 30)
    }

    /// The movie's thread is held at the first frame, so that the movie has ended for its owner and is not complete.
    @Test(arguments: [false, true]) func aMovieThatIsToEndHasItsIndexToPutFirst(isGivenUp: Bool) async throws {
        let stage = try MovieStage(.grey)
        let (reached, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let movie = try MovieFileOutput(
            stage.source, ring: stage.ring, to: stage.path("a.mp4"),
            camera: { _ in
                reached.signal()
                goesOn.wait()
                return "Eye"
            })
        try stage.publish(at: (0..<30).map { 40 * Int64($0) })
        movie.start(at: stage.begin)
        await onThread(named: "test") { reached.wait() }
        #expect(!movie.hasIndexToPutFirst)
        movie.stop()
        #expect(movie.hasIndexToPutFirst && !movie.isPuttingIndexFirst)
        if isGivenUp {
            movie.limitIndexing(to: .zero)
            #expect(!movie.hasIndexToPutFirst)
        }
        goesOn.signal()
        let result = await movie.finish()
        #expect(!movie.hasIndexToPutFirst && !movie.isPuttingIndexFirst)
        #expect(result.failure == nil && result.isIndexFirst != isGivenUp)
        #expect(result.indexGap == (isGivenUp ? .stopped : nil) && stage.names == ["a.mp4"])
        #expect(try types(stage, "a.mp4").contains("moof") == isGivenUp)
        #expect(try MovieProbe.decoded(stage.path("a.mp4")) == 30)
    }

    @Test func onlyMoviesWithAnIndexFirstHaveItToPut() async throws {
        for (name, hasIndexFirst) in [("a.mkv", true), ("a.mp4", false)] {
            let stage = try MovieStage(.grey)
            var settings = MovieSettings()
            settings.hasIndexFirst = hasIndexFirst
            let (reached, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let movie = try MovieFileOutput(
                stage.source, ring: stage.ring, to: stage.path(name), settings,
                camera: { _ in
                    reached.signal()
                    goesOn.wait()
                    return "Eye"
                })
            try stage.publish(at: [0, 40, 80])
            movie.start(at: stage.begin)
            await onThread(named: "test") { reached.wait() }
            movie.stop()
            #expect(!movie.hasIndexToPutFirst)
            goesOn.signal()
            #expect(await movie.finish().failure == nil)
        }
    }

    @Test func aCopyThatIsGivenUpLeavesNothing() async throws {
        let stage = try MovieStage(.grey, clock: .monotonic)
        _ = try await makeFragments(stage, "a.mp4", hasSound: false)
        let before = try stage.bytes("a.mp4")
        // At the first look, and when all is copied.
        for last in [false, true] {
            #expect(throws: MovieIndexGap.stopped) {
                try copy(stage.path("a.mp4")) { count in last && count < 20_000 }
            }
            #expect(try stage.bytes("a.mp4") == before && stage.names == ["a.mp4"])
        }
    }

    @Test func aFileThatTookThePlaceIsNotReplaced() async throws {
        let stage = try MovieStage(.grey, clock: .monotonic)
        _ = try await makeFragments(stage, "a.mp4", hasSound: false)
        try stage.write([1, 2, 3], to: "other")
        let path = stage.path("a.mp4")
        #expect(throws: MovieIndexGap.file(.removed(path))) {
            try copy(path) { _ in
                rename(stage.path("other"), path)
                return true
            }
        }
        #expect(try stage.bytes("a.mp4") == [1, 2, 3] && stage.names == ["a.mp4"])
    }

    @Test func aFileThatWasRemovedStaysAway() async throws {
        let stage = try MovieStage(.grey, clock: .monotonic)
        _ = try await makeFragments(stage, "a.mp4", hasSound: false)
        let path = stage.path("a.mp4")
        #expect(throws: MovieIndexGap.file(.removed(path))) {
            try copy(path) { _ in
                unlink(path)
                return true
            }
        }
        #expect(stage.names == [])
    }

    /// Changes when the fragments of a file begin, in ticks, by their numbers. Returns how many there are.
    private func changeTimes(of name: String, _ stage: MovieStage, _ time: (UInt64) -> UInt64) throws -> Int {
        var bytes = try stage.bytes(name)
        let fragments = try #require(MediaBox.all(in: bytes[...])).filter { $0.type == "moof" }
        for (number, fragment) in fragments.enumerated() {
            let place = try #require(bytes[fragment.whole].firstRange(of: Array("tfdt".utf8))?.upperBound)
            var ticks: [UInt8] = []
            ticks.append(time(UInt64(number)), bytes: 8)
            bytes.replaceSubrange(place + 4..<place + 12, with: ticks)
        }
        try stage.write(bytes, to: name)
        return fragments.count
    }

    @Test func timesThatCannotBeAreRefused() async throws {
        let stage = try MovieStage(.grey, clock: .monotonic)
        _ = try await makeFragments(stage, "a.mp4", hasSound: false)
        _ = try changeTimes(of: "a.mp4", stage) { number in 1 << 61 + number * 0x7FFF_0000 }
        #expect(throws: MovieIndexGap.self) { try copy(stage.path("a.mp4")) }
    }

    @Test func aFileThatAnotherProgramHasLockedStays() async throws {
        let stage = try MovieStage(.grey, clock: .monotonic)
        _ = try await makeFragments(stage, "a.mp4", hasSound: false)
        let descriptor = open(stage.path("a.mp4"), O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        #expect(throws: MovieIndexGap.inUse) { try copy(stage.path("a.mp4")) }
    }

    /// Days long, as no test can film: the times of the last fragments are changed.
    @Test func lengthsBeyond32BitsAreKept() async throws {
        let stage = try MovieStage(.grey, clock: .monotonic)
        _ = try await makeFragments(stage, "a.mp4", hasSound: false)
        let count = try changeTimes(of: "a.mp4", stage) { number in number * 0x7FFF_0000 }
        #expect(count >= 4)
        _ = try copy(stage.path("a.mp4"))
        let inspection = try MovieInspection(stage.path("a.mp4"))
        let end = try #require(inspection.tracks.first?.end)
        #expect(abs(end.seconds - Double(count - 1) * Double(0x7FFF_0000) / 90_000) < 3, "\(end)")
        let written = try stage.bytes("a.mp4")
        let header = try #require(written.firstRange(of: Array("mdhd".utf8))?.upperBound)
        #expect(written[header] == 1)
    }

    @Test func damagedFragmentsAreNoIndexAndDoNoHarm() async throws {
        let stage = try MovieStage(.grey, clock: .monotonic)
        _ = try await makeFragments(stage, "a.mp4", hasSound: false)
        let whole = try stage.bytes("a.mp4")
        var generator = SeededRandom(seed: 5)
        var (refused, copied) = (0, 0)
        for round in 0..<150 {
            var bytes = whole
            if round % 3 == 0 {
                bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
            } else {
                for _ in 0..<4 {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
                }
            }
            try stage.write(bytes, to: "b.mp4")
            let count: Int
            do throws(MovieIndexGap) { count = try copy(stage.path("b.mp4")) } catch {
                refused += 1
                #expect(try stage.bytes("b.mp4") == bytes)
                continue
            }
            copied += 1
            #expect(try stage.bytes("b.mp4").count == count && count < 2 * whole.count)
            #expect(try types(stage, "b.mp4") == ["ftyp", "moov", "mdat"])
            // Its pictures may be damaged, and its names.
            _ = try? MovieInspection(stage.path("b.mp4"))
        }
        #expect(refused > 0 && copied > 0, "\(refused) and \(copied)")
        #expect(stage.names == ["a.mp4", "b.mp4"])
    }
}
