// SPDX-License-Identifier: MIT
// Movies whose pictures have the date of their frames.

import FrameRing
import LivecapFrames
import Testing

@testable import LivecapMovies

@Suite struct MovieDateTests {
    private static let size = FrameSize(width: 160, height: 96)
    private static let moment = CalendarTime(sinceEpoch: .seconds(1_796_053_510))

    private static func settings(_ codec: MovieCodec? = nil, mount: CameraMount = .upright) -> MovieSettings {
        var settings = MovieSettings(codec: codec)
        settings.date = .usual
        settings.mount = mount
        return settings
    }

    /// The source of a stage, whose first frame is of `moment`.
    private static func source(of stage: MovieStage) -> SourceDescription {
        var source = stage.source
        source.anchor = WallClockAnchor(monotonic: MovieStage.begin, calendar: moment, zoneName: "UTC")
        return source
    }

    /// The brightness of all pictures of a movie, one after the other.
    private static func pictures(_ path: String) throws -> [[UInt8]] {
        let bytes = [UInt8](
            try MovieProbe.run(
                ["ffmpeg", "-v", "error", "-noautorotate", "-i", path, "-vf", "scale=out_range=full"]
                    + ["-pix_fmt", "gray", "-f", "rawvideo", "-fps_mode", "passthrough"]
                    + ["-enc_time_base", "1:90000", "-"]))
        return stride(from: 0, to: bytes.count, by: size.area).map {
            Array(bytes[$0..<min($0 + size.area, bytes.count)])
        }
    }

    /// Whether a picture has a date at the lower left, as far as compression leaves it.
    private func expect(_ picture: [UInt8], has moment: CalendarTime, on grey: Int) {
        var mark = [UInt8](repeating: 1, count: Self.size.area)
        var stamp = DateStamp(.usual, of: .unknown, in: PixelArea(Self.size))
        stamp.show(moment)
        mark.withUnsafeMutableBufferPointer {
            stamp.draw(into: StampedPlane($0.baseAddress!, stride: Self.size.width, ink: 255, outline: 0))
        }
        guard picture.count == mark.count else {
            Issue.record("\(picture.count) samples")
            return
        }
        // Most pixels are what they should be; compression blurs a few.
        var wrong = 0
        for (sample, wanted) in zip(picture, mark) {
            let isRight = wanted == 255 ? sample > 160 : wanted == 0 ? sample < 96 : abs(Int(sample) - grey) < 40
            if !isRight { wrong += 1 }
        }
        #expect(wrong < 40, "\(wrong) pixels")
    }

    @Test(arguments: ["a.mkv", "a.mp4"], [CameraMount.upright, CameraMount(angle: .half, isMirrored: true)])
    func eachPictureHasItsOwn(name: String, mount: CameraMount) async throws {
        let stage = try MovieStage(.grey, size: Self.size)
        let movie = try await MovieFileOutput.open(
            Self.source(of: stage), ring: stage.ring, to: stage.path(name), Self.settings(mount: mount))
        movie.start()
        let frame = [UInt8](repeating: 128, count: Self.size.area)
        for time in [Int64(0), 500, 1000, 1999] { try stage.publish(frame, at: .milliseconds(time)) }
        #expect(await movie.finish().summary.frames == 4)
        let pictures = try Self.pictures(stage.path(name))
        try #require(pictures.count == 4)
        for (picture, second) in zip(pictures, [Int64(0), 0, 1, 1]) {
            expect(picture, has: Self.moment.advanced(by: .seconds(second)), on: 128)
        }
        // Nobody is left to turn them: the date would be turned, too.
        #expect(try MovieInspection(stage.path(name)).tracks[0].mount == .upright)
    }

    @Test func aCamerasOwnPicturesAreMadeAgain() async throws {
        let stage = try MovieStage(.mjpeg, size: Self.size)
        let movie = try await MovieFileOutput.open(
            Self.source(of: stage), ring: stage.ring, to: stage.path("a.mkv"), Self.settings(.mjpeg))
        movie.start()
        try stage.publish(at: [0, 33, 66])
        #expect(await movie.finish().summary.frames == 3)
        let payload = try MovieProbe.payload(stage.path("a.mkv"))
        let own = try stage.picture(0)
        #expect(payload.starts(with: [0xFF, 0xD8]) && !payload.starts(with: own))
    }

    @Test func aCamerasH264HasNone() async throws {
        let stage = try MovieStage(.h264)
        #expect(!Self.settings().keepsH264(at: "a.mp4"))
        await #expect {
            try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mp4"), Self.settings())
        } throws: {
            ($0 as? MovieError)?.message.contains("cannot have a date") == true
        }
    }

    @Test func aSessionsMovieIsTurnedAsItIsTold() {
        var settings = MovieSettings()
        #expect(settings.mount(in: { CameraMount(angle: .half) })() == CameraMount(angle: .half))
        settings.hostMount = CameraMount(angle: .quarter)
        #expect(settings.mount(in: { CameraMount(angle: .half) })() == CameraMount(angle: .quarter))
    }
}
