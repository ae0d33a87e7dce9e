// SPDX-License-Identifier: MIT
// Cameras of every kind that come and go, with flashes at whole seconds, and a movie of them.

import Foundation
import FrameRing
import LivecapFrames
import LivecapJPEG
import LivecapPictures
import LivecapSound
import Testing

@testable import LivecapMovies

/// A camera that delivers for a while.
struct StageCamera {
    var name = "Eye"
    var format = PixelFormat.grey
    var size = FrameSize(width: 64, height: 48)
    var rate = FrameRate(30)
    var mount = CameraMount.upright
    var colorimetry: Colorimetry?
    /// In seconds since the stage's begin. A frame lies at each whole second in between.
    var span: Range<Double>
    /// The grey of a frame, by its time.
    var grey: (Double) -> UInt8 = { $0 - $0.rounded(.down) < 0.1 ? 220 : 40 }
    var clock = SourceClock.monotonic
}

/// A folder for movies, and cameras whose frames are all in their rings.
final class CanvasStage {
    /// Some time ago on CLOCK_MONOTONIC.
    let begin = Timestamp.now - .seconds(60)
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "canvas-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// A stream with all the frames of a camera, which has ended.
    func stream(_ camera: StageCamera) throws -> MovieSource {
        let format = FrameFormat(pixelFormat: camera.format, size: camera.size, colorimetry: camera.colorimetry)
        let length = camera.span.upperBound - camera.span.lowerBound
        let capacity = RingCapacity(duration: .seconds(length + 1), byteCap: 256 << 20)
        let plan = try #require(capacity.plan(format: format, rate: camera.rate))
        let ring = try #require(Ring.slabs(plan, format: format)).ring
        var producer: RingProducer? = RingProducer(filling: ring)
        let fps = camera.rate.framesPerSecond
        let numbers =
            Int((camera.span.lowerBound * fps).rounded(.up))..<Int((camera.span.upperBound * fps).rounded(.up))
        for number in numbers {
            let time = Double(number) / fps
            let bytes = try picture(camera.grey(time), format)
            let id = producer?.publish(byteCount: bytes.count) { room in
                bytes.withUnsafeBytes { bytes in
                    room.withUnsafeMutableBytes { $0.copyMemory(from: bytes) }
                }
                return FrameMetadata(
                    time: begin + .nanoseconds(Int64((time * 1e9).rounded())), byteCount: bytes.count)
            }
            _ = try #require(id)
        }
        producer = nil
        let source = SourceDescription(
            name: camera.name, identity: "eye", format: format, rate: camera.rate, clock: camera.clock)
        return MovieSource(source, ring, mount: { [mount = camera.mount] in mount })
    }

    /// Makes a movie of cameras, one after the other.
    func movie(
        _ name: String, of cameras: [StageCamera], _ settings: MovieSettings = MovieSettings(canvas: MovieCanvas()),
        sound: SoundHistory? = nil
    ) throws -> MovieResult {
        let streams = try cameras.map { try stream($0) }
        let movie = try MovieFileOutput(streams[0], to: path(name), settings, sound: sound) { feed in
            for stream in streams { feed.begin(stream) }
            feed.complete()
        }
        movie.start(at: begin)
        while !movie.waitForEnd(until: .now + .seconds(1)) {}
        return movie.finish()
    }

    /// A frame of one grey.
    private func picture(_ grey: UInt8, _ format: FrameFormat) throws -> [UInt8] {
        guard format.pixelFormat.isJPEG else {
            var bytes = [UInt8](repeating: grey, count: format.byteCount)
            if format.pixelFormat == .yuyv {
                for place in stride(from: 1, to: bytes.count, by: 2) { bytes[place] = 128 }
            }
            return bytes
        }
        var encoder = try JPEGEncoder()
        let pixels = [UInt8](repeating: grey, count: 3 * format.size.area)
        return try pixels.withUnsafeBytes { pixels in
            try encoder.encodeRGB(pixels.bytes, size: format.size, quality: 90) { $0.withUnsafeBytes { Array($0) } }
        }
    }

    /// Captures a click of 2 ms at each whole second, between two times in seconds since the begin, with a clock of
    /// `rate` samples per second.
    func capture(_ history: SoundHistory, from begin: Double, to end: Double, rate: Double, channels: Int = 1) {
        Clicks.capture(history, from: begin, to: end, since: self.begin, rate: rate, channels: channels)
        history.end()
    }

    /// When the pictures of a movie become bright, in seconds.
    func flashes(_ name: String, above limit: UInt8) throws -> [Double] {
        let (times, brightness) = (try MovieProbe(path(name)).times, try MovieProbe.brightness(path(name)))
        try #require(times.count == brightness.count)
        return times.indices.filter { brightness[$0] > limit && ($0 == 0 || brightness[$0 - 1] <= limit) }.map {
            Double(times[$0]) * 1e-6
        }
    }
}
