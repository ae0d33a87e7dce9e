// SPDX-License-Identifier: MIT
// Movies of an enlarged part of the frames.

import FrameRing
import LivecapFrames
import Testing

@testable import LivecapMovies

@Suite struct MovieZoomTests {
    /// A movie of frames whose left half is dark, and whose right half is bright.
    private func movie(
        _ name: String, _ zoom: DigitalZoom?, codec: MovieCodec? = nil, mount: CameraMount = .upright
    ) async throws -> (brightness: [UInt8], track: MovieInspection.Track, comment: String) {
        let stage = try MovieStage(.grey)
        var settings = MovieSettings(codec: codec)
        settings.zoom = zoom
        settings.mount = mount
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name), settings)
        movie.start()
        let width = MovieStage.size.width
        let frame = (0..<stage.source.format.byteCount).map { UInt8($0 % width < width / 2 ? 40 : 200) }
        for time in [Int64(0), 33, 66] { try stage.publish(frame, at: .milliseconds(time)) }
        let result = await movie.finish()
        #expect(result.failure == nil && result.summary.frames == 3)
        let inspection = try MovieInspection(stage.path(name))
        return (
            try MovieProbe.brightness(stage.path(name)), inspection.tracks[0], inspection.provenance ?? ""
        )
    }

    @Test(arguments: ["a.mkv", "a.mp4"]) func thePartFillsThePicture(name: String) async throws {
        for (x, grey) in [(0.25, 40), (0.75, 200)] {
            let zoom = try #require(DigitalZoom(factor: 2, centerX: x))
            let (brightness, track, comment) = try await movie(name, zoom)
            #expect(track.size == MovieStage.size && comment.contains(#""zoom":"2.0@\#(x),0.5""#))
            for found in brightness { #expect(abs(Int(found) - grey) < 6, "\(found)") }
        }
        let whole = try await movie(name, nil)
        for found in whole.brightness { #expect(abs(Int(found) - 120) < 8, "\(found)") }
    }

    @Test func aPartIsTurnedToo() async throws {
        let zoom = try #require(DigitalZoom(factor: 2, centerX: 0.25))
        let (brightness, track, _) = try await movie("a.mkv", zoom, mount: CameraMount(angle: .quarter))
        #expect(track.size == FrameSize(width: 48, height: 64))
        for found in brightness { #expect(abs(Int(found) - 40) < 6, "\(found)") }
    }

    @Test func aCamerasOwnPicturesAreMadeAgain() async throws {
        let stage = try MovieStage(.mjpeg)
        var settings = MovieSettings(codec: .mjpeg)
        settings.zoom = DigitalZoom(factor: 2)
        settings.mount = CameraMount(angle: .half)
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"), settings)
        movie.start()
        try stage.publish(at: [0, 33, 66])
        #expect(await movie.finish().summary.frames == 3)
        let payload = try MovieProbe.payload(stage.path("a.mkv"))
        let own = try stage.picture(0)
        #expect(payload.starts(with: [0xFF, 0xD8]) && !payload.starts(with: own))
    }

    @Test func aCamerasH264IsNotEnlarged() async throws {
        let stage = try MovieStage(.h264)
        var settings = MovieSettings()
        settings.zoom = DigitalZoom(factor: 2)
        await #expect {
            try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mp4"), settings)
        } throws: {
            ($0 as? MovieError)?.message.contains("cannot be enlarged") == true
        }
    }
}
