// SPDX-License-Identifier: MIT
// A movie outlives its cameras and microphones: one track each, without a gap, and together.

import Foundation
import FrameRing
import LivecapFrames
import LivecapPictures
import LivecapSound
import Testing

@testable import LivecapMovies

@Suite struct MovieCanvasTests {
    /// The largest step between two pictures of a file, in seconds. They must be in order.
    private func largestStep(_ path: String) throws -> Double {
        let times = try MovieProbe(path).times
        let steps = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { $0 > 0 })
        return Double(steps.max() ?? 0) * 1e-6
    }

    /// Eleven cameras, each of another kind, with nearly half a second between two.
    private var cameras: [StageCamera] {
        let kinds: [(PixelFormat, FrameSize, UInt32, CameraMount)] = [
            (.grey, FrameSize(width: 96, height: 64), 30, .upright),
            (.yuyv, FrameSize(width: 64, height: 48), 30, .upright),
            (.mjpeg, FrameSize(width: 48, height: 96), 20, .upright),
            (.nv12, FrameSize(width: 192, height: 128), 30, CameraMount(angle: .half)),
            (.mjpeg, FrameSize(width: 64, height: 96), 25, CameraMount(angle: .quarter)),
            (.rgb24, FrameSize(width: 96, height: 64), 60, CameraMount(angle: .none, isMirrored: true)),
            (.i420, FrameSize(width: 128, height: 72), 10, .upright),
            (.mjpeg, FrameSize(width: 96, height: 64), 30, .upright),
            (.grey, FrameSize(width: 40, height: 40), 15, CameraMount(angle: .threeQuarters)),
            (.yuyv, FrameSize(width: 160, height: 120), 30, .upright),
            (.grey, FrameSize(width: 96, height: 64), 30, .upright),
        ]
        return kinds.enumerated().map { number, kind in
            StageCamera(
                format: kind.0, size: kind.1, rate: FrameRate(kind.2), mount: kind.3,
                span: Double(2 * number)..<(2 * Double(number) + 1.55))
        }
    }

    @Test(arguments: ["a.mkv", "a.mp4", "a.webm"])
    func tenCamerasAndTenMicrophonesAreOneFile(name: String) throws {
        let stage = try CanvasStage()
        let history = SoundHistory(channels: 1, seconds: 30)
        let rates = [48_000, 44_100, 48_014.4, 47_985.6, 16_000, 48_000, 44_113.2, 32_000, 48_010, 96_000, 47_990]
        for (number, rate) in rates.enumerated() {
            // They never change with the cameras, and not while something is to be heard.
            let begin = Double(2 * number) - 0.6
            stage.capture(history, from: begin, to: begin + 1.9, rate: rate, channels: number % 3 == 1 ? 2 : 1)
        }
        let result = try stage.movie(name, of: cameras, sound: history)
        #expect(result.failure == nil && result.summary.dropped == 0 && result.summary.damaged == 0)
        #expect(result.repeated.marked > 0)
        let probe = try SoundProbe(stage.path(name))
        #expect(probe.tracks == 2)
        let video = try MovieProbe(stage.path(name))
        #expect(video.width == 96 && video.height == 64)
        #expect(try MovieProbe.decoded(stage.path(name)) == video.times.count)
        // Two intervals of the canvas, and a unit of the file.
        #expect(try largestStep(stage.path(name)) < 2.0 / 30 + 0.0016)
        for (a, b) in zip(probe.packets, probe.packets.dropFirst()) {
            #expect(b.time > a.time && b.time - a.time < 0.045, "\(a) \(b)")
        }
        let flashes = try stage.flashes(name, above: 57)
        let clicks = SoundProbe.clicks(try SoundProbe.heard(stage.path(name)))
        #expect(flashes.map { $0.rounded() } == (0..<22).map(Double.init), "\(flashes)")
        #expect(clicks.map { $0.rounded() } == (0..<22).map(Double.init), "\(clicks)")
        // The click's middle is 1 ms after its flash.
        for (flash, click) in zip(flashes, clicks) { #expect(abs(click - flash - 0.001) < 0.004, "\(flash) \(click)") }
    }

    /// Uncorrected, the sound would be 36 ms late at the end.
    @Test func clocksThatAreWrongBy300PPMStayTogether() throws {
        let stage = try CanvasStage()
        let history = SoundHistory(channels: 1, seconds: 130)
        stage.capture(history, from: -1, to: 125, rate: 48_000 * (1 + 300e-6))
        let result = try stage.movie(
            "a.mp4", of: [StageCamera(rate: FrameRate(10), span: 0..<120.5)], sound: history)
        #expect(result.failure == nil)
        let flashes = try stage.flashes("a.mp4", above: 57)
        let clicks = SoundProbe.clicks(try SoundProbe.heard(stage.path("a.mp4")))
        #expect(flashes.count == 121 && clicks.count == 121)
        for (flash, click) in zip(flashes, clicks) { #expect(abs(click - flash - 0.001) < 0.004, "\(flash) \(click)") }
    }

    @Test func aPictureThatStandsStillIsMarked() throws {
        let stage = try CanvasStage()
        let size = FrameSize(width: 160, height: 96)
        let cameras = [0.0..<1, 2.0..<3].map { StageCamera(size: size, span: $0, grey: { _ in 200 }) }
        let result = try stage.movie("a.mkv", of: cameras)
        // From 0.967 s to 2 s, every 33 ms.
        #expect(result.summary.frames == 60 && (29...31).contains(result.repeated.pictures))
        let brightness = try MovieProbe.brightness(stage.path("a.mkv"))
        let dark = brightness.filter { $0 < 120 }
        // The first quarter of a second is not marked.
        #expect(dark.count == result.repeated.marked && (20...24).contains(dark.count), "\(brightness)")
        #expect(brightness.allSatisfy { $0 < 120 ? $0 > 60 : abs(Int($0) - 200) <= 3 }, "\(brightness)")
    }

    @Test func picturesOfTheCanvasSizePassThroughAndOthersBecomeSuch() throws {
        let stage = try CanvasStage()
        let (large, small) = (FrameSize(width: 96, height: 64), FrameSize(width: 48, height: 48))
        let cameras = [
            StageCamera(format: .mjpeg, size: large, span: 0..<1),
            StageCamera(format: .mjpeg, size: small, span: 1.5..<2),
            StageCamera(format: .yuyv, size: large, span: 2..<3),
            StageCamera(format: .mjpeg, size: large, mount: CameraMount(angle: .half), span: 3..<4),
        ]
        let result = try stage.movie("a.mkv", of: cameras)
        #expect(result.failure == nil && result.summary.frames == 105 && result.summary.damaged == 0)
        let probe = try MovieProbe(stage.path("a.mkv"))
        #expect(probe.codec == "mjpeg" && probe.width == 96 && probe.height == 64)
        #expect(probe.times.count == 105 + result.repeated.pictures && result.repeated.marked > 0)
        #expect(try MovieProbe.decoded(stage.path("a.mkv")) == probe.times.count)
        #expect(try largestStep(stage.path("a.mkv")) < 2.0 / 30 + 0.0016)
        // Those of the first camera are untouched.
        let payload = try MovieProbe.payload(stage.path("a.mkv"))
        let frame = try stage.stream(cameras[0]).ring.leaseNewest()?.withBytes { bytes in
            bytes.withUnsafeBytes { Array($0) }
        }
        let last = try #require(frame)
        #expect(payload.contains(last))
    }

    @Test func aCanvasOfAnotherSizeIsEncoded() throws {
        let stage = try CanvasStage()
        let canvas = MovieCanvas(size: FrameSize(width: 128, height: 128), rate: FrameRate(20))
        let result = try stage.movie(
            "a.mkv", of: [StageCamera(format: .mjpeg, rate: FrameRate(5), span: 0..<2)], MovieSettings(canvas: canvas))
        let probe = try MovieProbe(stage.path("a.mkv"))
        #expect(probe.codec == "h264" && probe.width == 128 && probe.height == 128)
        // A slow camera's pictures are shown again, too, but not marked.
        #expect(result.summary.frames == 10 && result.repeated.pictures >= 18 && result.repeated.marked == 0)
        #expect(try largestStep(stage.path("a.mkv")) < 2.0 / 20 + 0.0016)
    }

    @Test func aSourceWithAClockOfItsOwnGoesOnWhereTheLastOneEnded() throws {
        let stage = try CanvasStage()
        let cameras = [0.0..<1, 0.0..<1].map { StageCamera(span: $0, clock: .own) }
        let result = try stage.movie("a.mkv", of: cameras)
        #expect(result.summary.frames == 60 && result.repeated.pictures == 0)
        let times = try MovieProbe(stage.path("a.mkv")).times
        #expect(times.count == 60 && abs(times.last! - 59_000_000 / 30) < 2000)
    }

    /// The second camera's colours are by another matrix than the canvas'.
    @Test func coloursStayTheSame() throws {
        let stage = try CanvasStage()
        let video = Colorimetry(range: .limited, matrix: .bt709)
        let cameras = [
            StageCamera(format: .mjpeg, span: 0..<1, grey: { _ in 150 }),
            StageCamera(format: .yuyv, colorimetry: video, span: 1..<2, grey: { _ in 145 }),
        ]
        _ = try stage.movie("a.mp4", of: cameras)
        // 145 of 16...235 is 150 of 0...255.
        for brightness in try MovieProbe.brightness(stage.path("a.mp4")) { #expect(abs(Int(brightness) - 150) <= 3) }
    }
}
