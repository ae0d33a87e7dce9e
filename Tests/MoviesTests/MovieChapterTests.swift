// SPDX-License-Identifier: MIT
// Chapters: one for each camera, and what was marked, also in a file that was cut off.

import Foundation
import FrameRing
import Glibc
import LivecapFrames
import LivecapPatience
import Testing

@testable import LivecapMovies

@Suite struct MovieChapterTests {
    /// The chapters that ffprobe finds: when they begin, in seconds, and their names.
    private func probe(_ path: String) throws -> [(begin: Double, name: String)] {
        let output = try MovieProbe.run(["ffprobe", "-v", "error", "-show_chapters", "-of", "json", path])
        let object = try #require(try JSONSerialization.jsonObject(with: output) as? [String: Any])
        return (object["chapters"] as? [[String: Any]] ?? []).map { chapter in
            (
                (chapter["start_time"] as? String).flatMap(Double.init) ?? -1,
                (chapter["tags"] as? [String: Any])?["title"] as? String ?? ""
            )
        }
    }

    private func expect(_ path: String, _ chapters: [(Double, String)]) throws {
        let found = try probe(path)
        #expect(found.map(\.name) == chapters.map(\.1))
        for (found, chapter) in zip(found, chapters) { #expect(abs(found.begin - chapter.0) < 0.002, "\(found)") }
        let own = try MovieInspection(path).chapters
        #expect(own.map(\.name) == chapters.map(\.1))
        for (found, chapter) in zip(own, chapters) { #expect(abs(found.begin.seconds - chapter.0) < 0.002) }
    }

    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"]) func eachCameraIsAChapter(name: String) throws {
        let stage = try CanvasStage()
        let cameras = ["Left", "Left", "Right, ä ö ü"].enumerated().map { number, name in
            StageCamera(name: name, span: Double(2 * number)..<Double(2 * number) + 1)
        }
        let result = try stage.movie(name, of: cameras)
        try expect(stage.path(name), [(0, "Left"), (4, "Right, ä ö ü")])
        #expect(result.chapters.map(\.name) == ["Left", "Right, ä ö ü"])
        #expect(try MovieProbe.decoded(stage.path(name)) == result.summary.frames + result.repeated.pictures)
    }

    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"]) func marksAreWhereTheyWereMade(name: String) async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name))
        movie.start()
        try stage.publish(at: [0, 500, 1000])
        try movie.mark("Goal")
        try stage.publish(at: [1500, 2000])
        try movie.mark()
        movie.pause()
        try stage.publish(at: [2500, 3000])
        // Of a picture that is not in the movie: the next one.
        let long = String(repeating: "é", count: 127)
        try movie.mark(long)
        movie.resume()
        try stage.publish(at: [3500, 4000])
        try movie.mark("End")
        _ = await movie.finish()
        try expect(
            stage.path(name),
            [(0, "Eye"), (1, "Goal"), (2, "Mark 2"), (2 + 1.0 / 30, long), (2.5 + 1.0 / 30, "End")])
    }

    /// What a killed process leaves.
    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"]) func aFileThatIsCutOffHasThemToo(name: String) async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name))
        movie.start()
        try stage.publish(at: (0..<40).map { 33 * $0 })
        try movie.mark("Goal")
        try stage.publish(at: (40..<80).map { 33 * $0 })
        try eventually("eighty frames") { movie.progress.frames == 80 }
        let copy = try stage.bytes(name)
        _ = await movie.finish()
        try stage.write(copy, to: "copy-\(name)")
        try expect(stage.path("copy-\(name)"), [(0, "Eye"), (39 * 0.033, "Goal")])
        #expect(try MovieProbe.decoded(stage.path("copy-\(name)")) >= 60)
    }

    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"], ["Chapter number 123", nil, String(repeating: "a", count: 255)])
    func marksThatHaveNoRoomAreRefused(name: String, mark: String?) async throws {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name))
        movie.start()
        try stage.publish(at: [0])
        #expect(throws: MovieError.markTooLong(limit: 255)) { try movie.mark(String(repeating: "a", count: 60_000)) }
        var accepted = 0
        #expect(throws: MovieError.tooManyMarks) {
            while accepted < 400 {
                try movie.mark(mark)
                accepted += 1
            }
        }
        try stage.publish(at: [1000])
        let result = await movie.finish()
        // Whatever was accepted is in the file, beside the camera's chapter.
        #expect(result.failure == nil && result.chapters.count == accepted + 1, "\(accepted)")
        #expect(try probe(stage.path(name)).count == accepted + 1)
        #expect(accepted >= (mark?.utf8.count == 255 ? 25 : 150))
        #expect(try MovieProbe.decoded(stage.path(name)) == 2)
    }

    @Test func aMovieInPartsTakesMoreMarks() throws {
        var (one, many) = (MovieMarks(isSplit: false), MovieMarks(isSplit: true))
        func count(_ marks: inout MovieMarks) -> Int {
            for number in 0..<100_000 { do throws(MovieError) { try marks.take("a") } catch { return number } }
            return .max
        }
        let room = count(&one)
        #expect((200..<255).contains(room) && count(&many) / room == 100)
    }

    @Test func namesOfCamerasThatAreTooLongAreCutAtACharacter() throws {
        let head = try Self.head(names: 300)
        let room = try #require(ChapterRoom(in: head, .mp4))
        let (bytes, count) = room.bytes([MovieChapter(begin: .zero, name: String(repeating: "é", count: 60_000))])
        #expect(count == 1 && bytes.count == room.place.count)
        #expect(bytes[25] == 254 && Array(bytes[26..<280]) == Array(String(repeating: "é", count: 127).utf8))
    }

    /// The beginning of a file with room for one chapter whose name has so many bytes, or for more that are shorter.
    private static func head(names count: Int) throws -> [UInt8] {
        func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
            withUnsafeBytes(of: UInt32(content.count + 8).bigEndian) { Array($0) } + Array(type.utf8) + content
        }
        let content: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 9 + count)
        return box("ftyp", []) + box("moov", box("mvhd", []) + box("udta", box("chpl", content)))
    }

    @Test func roomsAreFilledToTheByte() throws {
        // A box of the smallest room in which there are chapters.
        let name = [UInt8](repeating: 0x2D, count: 30)
        let content: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8) + [30] + name
        func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
            withUnsafeBytes(of: UInt32(content.count + 8).bigEndian) { Array($0) } + Array(type.utf8) + content
        }
        let head = box("ftyp", []) + box("moov", box("mvhd", []) + box("udta", box("chpl", content)))
        let room = try #require(ChapterRoom(in: head, .mp4))
        #expect(room.place == (head.count - content.count - 8)..<head.count)
        for length in 0...40 {
            let chapter = MovieChapter(begin: .zero, name: String(repeating: "a", count: length))
            let (bytes, count) = room.bytes([chapter])
            #expect(bytes.count == room.place.count)
            // One more box needs eight bytes, or none.
            #expect(count == (length == 30 || length <= 22 ? 1 : 0), "\(length)")
        }
        #expect(ChapterRoom(in: Array(head.dropLast()), .mp4) == nil)
        #expect(ChapterRoom(in: head, .mkv) == nil)
    }
}
