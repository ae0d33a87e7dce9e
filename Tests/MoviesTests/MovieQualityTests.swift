// SPDX-License-Identifier: MIT
// Bit rates and constant qualities of movies: what encoders are told, and what becomes of files.

import LivecapFrames
import Testing

@testable import LivecapMovies

@Suite struct MovieQualityTests {
    @Test func encodersAreToldOneOfTheTwo() throws {
        for codec in [MovieCodec.h264, .vp9, .av1] {
            let usual = try #require(EncoderChoice.all(of: codec, rate: 30).first?.options)
            let rated = EncoderChoice.all(of: codec, rate: 30, .bitrate(800_000))
            #expect(rated.allSatisfy { $0.options["crf"] == nil && $0.options["b"] == "800000" })
            let constant = EncoderChoice.all(of: codec, rate: 30, .constant(33))
            #expect(constant.first?.options["crf"] == "33" && usual["crf"] != "33")
            // An encoder without constant quality is not used for one.
            #expect(constant.allSatisfy { $0.options["crf"] == "33" })
            #expect(constant.first?.options["b"] == usual["b"])
        }
        #expect(EncoderChoice.all(of: .h264, rate: 30).map(\.name) == ["libx264", "libopenh264"])
        #expect(EncoderChoice.all(of: .h264, rate: 30, .constant(20)).map(\.name) == ["libx264"])
    }

    /// The size of a movie of ten seconds of noise.
    private func bytes(_ quality: MovieQuality, _ name: String = "a.mp4") async throws -> Int {
        let stage = try MovieStage(.i420, seconds: 20)
        var settings = MovieSettings()
        settings.quality = quality
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path(name), settings)
        movie.start(at: stage.begin)
        var random = UInt32(7)
        for number in 0..<300 {
            let picture = (0..<stage.source.format.byteCount).map { _ -> UInt8 in
                random = random &* 1_664_525 &+ 1_013_904_223
                return UInt8(truncatingIfNeeded: 96 + (random >> 26))
            }
            try stage.publish(picture, at: .milliseconds(Int64(number * 1000 / 30)))
        }
        let result = await movie.finish()
        #expect(result.failure == nil && result.summary.frames == 300)
        return result.byteCount
    }

    @Test func lessQualityTakesLessRoom() async throws {
        let (best, worst) = (try await bytes(.constant(10)), try await bytes(.constant(45)))
        #expect(best > 3 * worst, "\(best) \(worst)")
    }

    /// Within a factor of two: encoders that must not wait for later pictures cannot know better.
    @Test(arguments: [100_000, 400_000]) func aBitRateIsKept(_ rate: Int) async throws {
        let size = try await bytes(.bitrate(rate))
        #expect((rate * 10 / 8 / 2...rate * 10 / 8 * 2).contains(size), "\(size)")
    }

    /// A camera's JPEG pictures would stay as they are.
    @Test func picturesAreEncodedForIt() async throws {
        let stage = try MovieStage()
        var settings = MovieSettings()
        settings.quality = .constant(30)
        let movie = try await MovieFileOutput.open(stage.source, ring: stage.ring, to: stage.path("a.mkv"), settings)
        #expect(movie.format.codec == .h264 && movie.format.quality == .constant(30))
        movie.start(at: stage.begin)
        try stage.publish(at: [0, 33])
        #expect(await movie.finish().summary.frames == 2)
    }

    @Test func whatCannotBeIsRefused() async throws {
        func refusal(
            _ quality: MovieQuality, _ codec: MovieCodec?, _ format: PixelFormat = .mjpeg, _ name: String = "a.mkv"
        ) async throws -> MovieError? {
            let stage = try MovieStage(format)
            var settings = MovieSettings(codec: codec)
            settings.quality = quality
            do throws(MovieError) {
                _ = try await MovieFileOutput.open(
                    stage.source, ring: stage.ring, to: stage.path(name), settings
                ).finish()
                return nil
            } catch { return error }
        }
        #expect(try await refusal(.constant(30), .mjpeg)?.message.contains("JPEG") == true)
        #expect(try await refusal(.constant(52), .h264)?.hint.contains("51") == true)
        #expect(try await refusal(.constant(63), .vp9) == nil)
        for factor in [0, 64] { #expect(try await refusal(.constant(factor), .vp9)?.hint.contains("63") == true) }
        for rate in [0, 9_999, 1_000_000_001] { #expect(try await refusal(.bitrate(rate), nil) != nil) }
        #expect(try await refusal(.bitrate(1_000_000), nil, .h264)?.message.contains("bit rate") == true)
    }
}
