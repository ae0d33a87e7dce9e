// SPDX-License-Identifier: MIT
// Cameras that are not mounted upright: players turn MP4, and other files are encoded upright.

import FrameRing
import LivecapFrames
import Testing

@testable import LivecapMovies

@Suite struct MovieMountTests {
    private let quarter = CameraMount(angle: .quarter)

    private func movie(
        _ stage: MovieStage, _ name: String, codec: MovieCodec? = nil, canvas: MovieCanvas? = nil
    ) async throws -> (probe: MovieProbe, track: MovieInspection.Track) {
        var settings = MovieSettings(codec: codec, canvas: canvas)
        settings.mount = quarter
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name), settings)
        movie.start()
        // With a gap.
        try stage.publish(at: [0, 33, 500])
        let result = await movie.finish()
        #expect(result.failure == nil && result.summary.frames == 3 && (canvas != nil || result.repeated.pictures == 0))
        return (try MovieProbe(stage.path(name)), try MovieInspection(stage.path(name)).tracks[0])
    }

    @Test(arguments: [("a.mkv", "h264"), ("a.webm", "vp9")])
    func filesThatNobodyTurnsAreEncodedUpright(name: String, codec: String) async throws {
        for format in [PixelFormat.mjpeg, .yuyv] {
            let (probe, track) = try await movie(try MovieStage(format), name)
            #expect(probe.codec == codec && track.size == FrameSize(width: 48, height: 64) && probe.times.count == 3)
        }
    }

    @Test func playersTurnMP4() async throws {
        let (_, track) = try await movie(try MovieStage(), "a.mp4")
        #expect(track.size == MovieStage.size && track.mount == quarter)
    }

    @Test func picturesThatArePassedThroughAreNotTurned() async throws {
        let (probe, track) = try await movie(try MovieStage(), "a.mkv", codec: .mjpeg)
        #expect(probe.codec == "mjpeg" && track.size == MovieStage.size)
    }

    @Test(arguments: ["a.mkv", "a.mp4"]) func aCanvasOfASizeOfItsOwnIsUpright(name: String) async throws {
        let size = FrameSize(width: 96, height: 128)
        let (_, track) = try await movie(try MovieStage(), name, canvas: MovieCanvas(size: size, rate: FrameRate(30)))
        #expect(track.size == size && track.mount == .upright)
    }
}
