// SPDX-License-Identifier: MIT
// Streams of frames, fused one by one with their past.

import Fusion
import Glibc
import LivecapCFramePathProbe
import LivecapFrames
import LivecapPictureMetrics
import Testing

/// A stream of small frames whose truth is known.
struct SmallStream {
    let format: FrameFormat
    let frames: [[UInt8]]
    let truths: [CodePlane]
    let noise: Double

    init(
        _ pixelFormat: PixelFormat = .grey, width: Int = 128, height: Int = 96, count: Int = 24, noise: Double = 5,
        seed: UInt64 = 1, scene: (_ frame: Int, _ x: Double, _ y: Double) -> Double
    ) {
        let burst = SmallBurst(
            pixelFormat, width: width, height: height, count: count, noise: noise, seed: seed, scene: scene)
        (format, frames, self.noise) = (burst.format, burst.frames, noise)
        truths = (0..<count).map { frame in
            CodePlane(
                width: width, height: height,
                samples: (0..<width * height).map { Float(scene(frame, Double($0 % width), Double($0 / width))) })
        }
    }

    func single(_ frame: Int) -> CodePlane {
        let size = format.size
        return CodePlane(
            width: size.width, height: size.height,
            samples: (0..<size.area).map { format.code(0, $0 % size.width, $0 / size.width, frames[frame]) })
    }

    /// The pictures that a fuser makes, and what it says of them.
    func fused(
        _ settings: LiveSettings = LiveSettings(), pool: any FusionPool = CallersThread()
    ) throws -> (pictures: [[UInt8]], reports: [LiveReport]) {
        let fuser = try LiveFuser(format, settings, pool: pool)
        var pictures: [[UInt8]] = [], reports: [LiveReport] = []
        for frame in frames {
            reports.append(try fuser.take(frame))
            pictures.append(fuser.picture)
        }
        return (pictures, reports)
    }

    func luma(_ picture: [UInt8]) -> CodePlane {
        let size = format.size
        return CodePlane(width: size.width, height: size.height, samples: picture.prefix(size.area).map { Float($0) })
    }
}

extension LiveFuser {
    func take(_ frame: [UInt8]) throws -> LiveReport { try fuse(frame.span.bytes) }

    /// The newest picture.
    var picture: [UInt8] {
        var bytes = [UInt8](repeating: 0xA5, count: pictureFormat.neededBytes + 64)
        bytes.withUnsafeMutableBytes { write(into: $0) }
        #expect(bytes.suffix(64).allSatisfy { $0 == 0xA5 }, "nothing is written after the picture")
        return Array(bytes.dropLast(64))
    }
}

@Suite struct LiveFuserTests {
    /// A textured square of 32 pixels that moves by itself, 3 pixels per frame, before a background that stands still.
    private static func square(_ frame: Int, _ x: Double, _ y: Double) -> Double {
        let left = 8 + 3 * Double(frame)
        guard (left..<left + 32).contains(x), (32..<64).contains(y) else { return drawnScene(x, y) }
        return 60 + 100 * (Int(x - left) / 4 + Int(y) / 4 & 1 == 0 ? 0.2 : 1) + (x - left)
    }

    /// An exponential mean of perfectly aligned frames, with the same smallest share.
    private func ideal(_ noise: Double, frames: Int, memory: Double) -> Double {
        var variance = noise * noise
        for frame in 1..<frames {
            let share = max(1 / Double(frame + 1), 1 / memory)
            variance = variance * (1 - share) * (1 - share) + noise * noise * share * share
        }
        // Frames and pictures are rounded to codes.
        return variance + 1 / 12
    }

    @Test(arguments: [2.0, 5, 12]) func whatStandsStillGainsLikeTheIdealMean(_ noise: Double) throws {
        let stream = SmallStream(noise: noise) { _, x, y in drawnScene(x, y) }
        let (pictures, reports) = try stream.fused()
        let error = stream.luma(pictures[23]).squaredError(against: stream.truths[23])
        // Weaker noise shows more of what motion by a fraction of a pixel, and edges, leave.
        #expect(error <= (noise < 3 ? 1.6 : 1.26) * ideal(noise, frames: 24, memory: 16), "within 1 dB, or 2")
        #expect(abs(Double(reports[23].noise) - noise) < 0.2 * noise, "the noise is known")
        #expect(reports[23].evidence > 12)
    }

    @Test func whatTheCameraMovesGainsToo() throws {
        let stream = SmallStream { frame, x, y in SmallBurst.shaking(frame, x, y) }
        let (pictures, _) = try stream.fused()
        for frame in 8..<24 {
            let error = stream.luma(pictures[frame]).squaredError(against: stream.truths[frame])
            let before = stream.single(frame).squaredError(against: stream.truths[frame])
            #expect(error < before / 2, "3 dB in frame \(frame)")
        }
    }

    @Test(arguments: [2.0, 5, 12]) func whereSomethingMovesNoPictureIsWorseThanItsFrame(_ noise: Double) throws {
        let stream = SmallStream(noise: noise, scene: Self.square)
        let (pictures, _) = try stream.fused()
        for frame in 4..<24 {
            let path = (0..<stream.format.size.area).map { place in
                let (x, y) = (place % 128, place / 128)
                return (29..<67).contains(y) && (3 * (frame - 8) + 5..<3 * frame + 43).contains(x)
            }
            let error = stream.luma(pictures[frame]).squaredError(against: stream.truths[frame], where: path)
            let before = stream.single(frame).squaredError(against: stream.truths[frame], where: path)
            #expect(error <= 1.023 * before, "0.1 dB in frame \(frame)")
        }
    }

    @Test func whatHasLeftLeavesNoGhost() throws {
        // A faint square, 8 codes brighter, disappears; the noise is 5.
        let stream = SmallStream { frame, x, y in
            drawnScene(x, y) + (frame < 16 && (40..<72).contains(x) && (32..<64).contains(y) ? 8 : 0)
        }
        let (pictures, _) = try stream.fused()
        let inside = (0..<stream.format.size.area).filter {
            (42..<70).contains($0 % 128) && (34..<62).contains($0 / 128)
        }
        for frame in 16..<24 {
            let ghost = inside.reduce(0.0) {
                $0 + Double(pictures[frame][$1]) - Double(stream.truths[frame].samples[$1])
            }
            // The mean over the square would be 8 codes if all of it stayed.
            #expect(abs(ghost / Double(inside.count)) < 1, "frame \(frame)")
        }
    }

    @Test func anotherSceneBeginsAnew() throws {
        let stream = SmallStream(count: 12) { frame, x, y in frame < 8 ? drawnScene(x, y) : Page.brightness(x, y) }
        let (pictures, reports) = try stream.fused()
        #expect(reports.map(\.outcome).enumerated().filter { $0.element == .begun }.map(\.offset) == [0, 8])
        let error = stream.luma(pictures[8]).squaredError(against: stream.truths[8])
        #expect(error <= 1.023 * stream.single(8).squaredError(against: stream.truths[8]))
    }

    @Test func aRepeatedFrameChangesNothing() throws {
        let stream = SmallStream(count: 3) { _, x, y in drawnScene(x, y) }
        let fuser = try LiveFuser(stream.format)
        for frame in stream.frames { _ = try fuser.take(frame) }
        let before = fuser.picture
        #expect(try fuser.take(stream.frames[2]).outcome == .repeated)
        #expect(fuser.picture == before)
    }

    @Test func aShortFrameChangesNothing() throws {
        let stream = SmallStream(count: 2) { _, x, y in drawnScene(x, y) }
        let fuser = try LiveFuser(stream.format)
        for frame in stream.frames { _ = try fuser.take(frame) }
        let before = fuser.picture
        let short = Array(stream.frames[0].dropLast())
        #expect(throws: FusionError.self) { try fuser.take(short) }
        #expect(fuser.picture == before)
    }

    @Test(arguments: [PixelFormat.yuyv, .nv12, .i420, .yuv422p, .grey, .rgb24, .y10])
    func everyLevelAndAnyThreadsGiveTheSameBits(_ pixels: PixelFormat) throws {
        let stream = SmallStream(pixels, width: pixels == .grey ? 83 : 82, height: 70, count: 4) {
            SmallBurst.shaking($0, $1, $2)
        }
        let portable = try stream.fused(LiveSettings(level: .portable)).pictures
        for level in KernelLevel.supported {
            #expect(try stream.fused(LiveSettings(level: level)).pictures == portable, "\(level)")
        }
        #expect(try stream.fused(pool: ThreadPool(threads: 2)).pictures == portable, "two threads")
    }

    @Test(arguments: [PixelFormat.yuyv, .nv12]) func colourGainsAsBrightnessDoes(_ pixels: PixelFormat) throws {
        let stream = SmallStream(pixels) { _, x, y in drawnScene(x, y) }
        let (pictures, _) = try stream.fused()
        let fuser = try LiveFuser(stream.format), area = stream.format.size.area
        let chroma = pictures[23][area..<fuser.pictureFormat.neededBytes], half = chroma.count / 2
        for (place, tint) in [148.0, 113].enumerated() {
            let plane = chroma.dropFirst(place * half).prefix(half)
            let error = plane.reduce(0.0) { $0 + (Double($1) - tint) * (Double($1) - tint) } / Double(half)
            // Its noise is half as strong as that of brightness.
            #expect(error < 6.25 / 8, "plane \(place + 1)")
        }
    }

    @Test func aFrameAllocatesNothing() throws {
        let stream = SmallStream(.nv12, count: 10) { SmallBurst.shaking($0, $1, $2) }
        let fuser = try LiveFuser(stream.format)
        var picture = [UInt8](repeating: 0, count: fuser.pictureFormat.neededBytes)
        for frame in stream.frames.prefix(4) { _ = try fuser.take(frame) }
        var counts = lc_probe_counts()
        let measured = lc_probe_start()
        for number in 4..<10 {
            _ = try fuser.take(stream.frames[number])
            picture.withUnsafeMutableBytes { fuser.write(into: $0) }
        }
        lc_probe_stop(&counts)
        guard measured & Int32(LC_PROBE_HEAP) != 0 else {
            #expect(getenv("LIVECAP_SANITIZER") != nil, "the probe counts nothing, so nothing has been checked")
            return
        }
        #expect(counts.allocations == 0)
    }

    @Test func theSmallestFramesAreFused() throws {
        for (width, height) in [(16, 16), (17, 16), (18, 33)] {
            let stream = SmallStream(width: width, height: height, count: 3) { _, x, y in drawnScene(x, y) }
            #expect(try stream.fused().pictures[2].count == width * height)
        }
    }
}
