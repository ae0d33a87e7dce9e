// SPDX-License-Identifier: MIT
// What livecap itself finds in movies, and that it accepts any bytes.

import Foundation
import FrameRing
import LivecapFrames
import LivecapMovies
import LivecapSeededRandom
import Testing

@Suite struct MovieInspectionTests {
    private func movie(_ name: String, _ settings: MovieSettings = MovieSettings()) async throws -> MovieStage {
        let stage = try MovieStage()
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name), settings)
        movie.start()
        try stage.publish(at: (0..<12).map { $0 * 100 })
        #expect(await movie.finish().failure == nil)
        return stage
    }

    @Test(arguments: [("a.mkv", "mjpeg"), ("a.mp4", "h264"), ("a.webm", "vp9")])
    func itsTracksAreFound(name: String, codec: String) async throws {
        let stage = try await movie(name)
        let found = try MovieInspection(stage.path(name))
        try #require(found.tracks.count == 1)
        let track = found.tracks[0]
        #expect(track.kind == .pictures && track.codec == codec && track.size == MovieStage.size)
        #expect(track.packets == 12 && track.keys > 0 && track.bytes > 0 && track.begin == .zero)
        let end = try #require(track.end)
        #expect(abs((end - .milliseconds(1133)).milliseconds) < 5, "\(end)")
        #expect(found.provenance?.contains("\"name\":\"Eye\"") == true && found.damage == nil)
        #expect(found.text("comment")?.hasPrefix("Eye, 64x48 MJPG") == true)
    }

    @Test func withoutItsPacketsItIsDescribedAllTheSame() async throws {
        let stage = try await movie("a.mp4")
        let found = try MovieInspection(stage.path("a.mp4"), isQuick: true)
        #expect(found.tracks.first?.size == MovieStage.size && found.tracks.first?.packets == 0)
    }

    @Test(arguments: RotationAngle.allCases, [false, true])
    func turnsComeBack(angle: RotationAngle, isMirrored: Bool) async throws {
        var settings = MovieSettings()
        settings.mount = CameraMount(angle: angle, isMirrored: isMirrored)
        let stage = try await movie("a.mp4", settings)
        #expect(try MovieInspection(stage.path("a.mp4")).tracks.first?.mount == settings.mount)
    }

    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"]) func damagedFilesDoNoHarm(name: String) async throws {
        let stage = try await movie(name)
        let whole = try stage.bytes(name)
        var random = SeededRandom(seed: 5)
        for attempt in 0..<60 {
            var bytes = whole
            if attempt % 2 == 0 { bytes.removeLast(Int(random.next() % UInt64(whole.count))) }
            for _ in 0..<(attempt % 9) where !bytes.isEmpty {
                bytes[Int(random.next() % UInt64(min(bytes.count, 2000)))] = UInt8(truncatingIfNeeded: random.next())
            }
            try stage.write(bytes, to: "b.\(name)")
            do throws(MovieError) {
                let found = try MovieInspection(stage.path("b.\(name)"))
                #expect(found.tracks.allSatisfy { $0.packets >= 0 && $0.keys <= $0.packets })
            } catch { #expect(error.code == "bad-file") }
        }
    }

    @Test(arguments: [
        "", "RIFF    AVI LIST", "ffconcat version 1.0\nfile a.mp4\n", "#EXTM3U\nhttp://example.invalid/a.ts\n",
    ])
    func otherFilesAreNone(text: String) throws {
        let stage = try MovieStage()
        try stage.write(Array(text.utf8), to: "a.mp4")
        #expect { try MovieInspection(stage.path("a.mp4")) } throws: { ($0 as? MovieError)?.code == "bad-file" }
    }

    @Test func whatIsNoFileIsRefused() throws {
        let stage = try MovieStage()
        #expect(throws: MovieError.self) { try MovieInspection(stage.path("none.mp4")) }
        #expect(throws: MovieError.self) { try MovieInspection("/dev/zero") }
    }
}
