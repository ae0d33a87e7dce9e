// SPDX-License-Identifier: MIT
// Dark pictures brightened: how much, how fast, and without any net.

import Fusion
import LivecapDetection
import LivecapFrames
import Testing

@testable import LivecapEffects

@Suite struct LowLightPathTests {
    private static let frame = 1.0 / 30

    @Test func theLiftIsWhatMakesAPictureBright() {
        for luma in [0.12, 0.15, 0.2, 0.3, 0.39] {
            let lift = LowLightPath.needed(at: luma)
            #expect(abs(LowLightPath.lifted(luma, by: lift) - LowLightPath.bright) < 1e-9, "\(luma): \(lift)")
        }
        #expect(LowLightPath.needed(at: 0) == LowLightPath.most && LowLightPath.needed(at: 0.01) == LowLightPath.most)
        #expect(LowLightPath.needed(at: 0.4) == 0 && LowLightPath.needed(at: 1) == 0)
    }

    /// A darker picture needs more, and there is no jump where the second curve begins.
    @Test func theLiftIsContinuous() {
        let lifts = (0...400).map { LowLightPath.needed(at: Double($0) / 1000) }
        #expect(zip(lifts, lifts.dropFirst()).allSatisfy { $0 >= $1 && $0 - $1 < 0.05 })
    }

    @Test func blackAndWhiteStay() {
        for lift in [0.3, 1, 1.7, 2] {
            #expect(LowLightPath.lifted(0, by: lift) == 0 && LowLightPath.lifted(1, by: lift) == 1)
            let curve = (0...100).map { LowLightPath.lifted(Double($0) / 100, by: lift) }
            #expect(zip(curve, curve.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test(arguments: [(0.6, 0.15), (0.1, 0.3), (0.2, 0.8)])
    func theLiftFollowsInASecondWithoutOvershoot(_ from: Double, _ to: Double) {
        var path = LowLightPath()
        let start = path.next(from, after: 0), goal = LowLightPath.needed(at: to)
        #expect(start == LowLightPath.needed(at: from))
        var lifts = [start]
        for _ in 0..<90 { lifts.append(path.next(to, after: Self.frame)) }
        #expect(zip(lifts, lifts.dropFirst()).allSatisfy { start < goal ? $0 <= $1 : $0 >= $1 })
        #expect(lifts.allSatisfy { min(start, goal)...max(start, goal) ~= $0 })
        // Softly at first, mostly there after a second, and at rest after three.
        #expect(abs(lifts[1] - start) < 0.1 * abs(goal - start))
        #expect(abs(lifts[30] - goal) < 0.2 * abs(goal - start))
        #expect(lifts[90] == lifts[89] && abs(lifts[90] - goal) <= 0.13)
    }

    @Test func smallChangesAreNone() {
        var path = LowLightPath()
        let lift = path.next(0.2, after: 0)
        for number in 0..<300 { #expect(path.next(0.2 + (number % 20 < 10 ? 0.01 : -0.01), after: Self.frame) == lift) }
        // The brightness at which nothing is needed is no edge to flicker at either.
        path = LowLightPath()
        #expect(path.next(0.39, after: 0) == 0)
        for number in 0..<300 { #expect(path.next(number % 20 < 10 ? 0.385 : 0.405, after: Self.frame) == 0) }
    }

    @Test func aFlashChangesLittle() {
        var path = LowLightPath()
        let lift = path.next(0.15, after: 0)
        var least = path.next(0.9, after: Self.frame)
        for _ in 0..<60 { least = min(least, path.next(0.15, after: Self.frame)) }
        #expect(least > 0.7 * lift)
    }
}

@Suite struct BrightenTests {
    private static let size = FrameSize(width: 64, height: 48)
    private static let settings = EffectSettings(brighten: 1)

    /// Draws frames of a stream, by no net at all.
    private final class Stream {
        let effects: FrameEffects
        private var count = 0

        init(
            _ settings: EffectSettings = BrightenTests.settings, _ format: FrameFormat = BrightenTests.format,
            _ level: KernelLevel = .best
        ) throws {
            effects = try FrameEffects(
                format, EffectBoard(settings), by: LazyNets(in: ["/nonexistent"], wanted: .liteRT), level)
        }

        func draw(_ frame: [UInt8]) -> [UInt8] {
            let metadata = FrameMetadata(
                time: Timestamp(nanoseconds: Int64(count) * 33_333_333), byteCount: frame.count,
                sequence: UInt32(count), timeSource: .scene, uncertainty: .zero,
                id: FrameID(epoch: 0, counter: UInt64(count)))
            count += 1
            var picture = [UInt8](repeating: 0, count: effects.format.byteCount)
            let isAdded = effects.add(metadata, frame.span.bytes)
            let drawn = picture.withUnsafeMutableBytes { effects.draw(into: $0) }
            #expect(isAdded && drawn?.id == metadata.id)
            return picture
        }
    }

    private static let format = FrameFormat(pixelFormat: .i420, size: size, colorimetry: .webcam)

    /// A frame of even brightness, but for four black and four white pixels, with chroma.
    private func frame(_ luma: UInt8, cb: UInt8 = 120, cr: UInt8 = 140) -> [UInt8] {
        let area = Self.size.area
        var frame =
            [UInt8](repeating: luma, count: area) + [UInt8](repeating: cb, count: area / 4)
            + [UInt8](repeating: cr, count: area / 4)
        for place in [0, 1, 64, 65] { frame[place] = 16 }
        for place in [8, 9, 72, 73] { frame[place] = 235 }
        return frame
    }

    @Test func itNeedsNoNet() {
        #expect(Self.settings.models.isEmpty && !Self.settings.areNone && Self.settings.lack == nil)
        #expect(EffectSettings(brighten: 0).areNone)
    }

    @Test func aDarkPictureIsLifted() throws {
        // 0.2 of the way from black to white.
        let drawn = try Stream().draw(frame(60))
        #expect(abs(Int(drawn[40 * 64 + 30]) - (16 + 88)) <= 2, "\(drawn[40 * 64 + 30])")
        #expect(drawn[0] == 16 && drawn[8] == 235)
        // Chroma grows as brightness does, so that colours stay.
        let cb = Int(drawn[Self.size.area + 10 * 32 + 10]), cr = Int(drawn[Self.size.area * 5 / 4 + 10 * 32 + 10])
        #expect(abs(cb - (128 - 16)) <= 1 && abs(cr - (128 + 24)) <= 1, "\(cb), \(cr)")
        let half = try Stream(EffectSettings(brighten: 0.5)).draw(frame(60))
        #expect(70..<100 ~= half[40 * 64 + 30])
    }

    @Test func aVeryDarkPictureIsLiftedAtMostFourTimes() throws {
        let drawn = try Stream().draw(frame(20))
        #expect(29...32 ~= drawn[40 * 64 + 30])
        // With light on faces, there is less left for the rest.
        let effects = LowLight(PictureKind(Self.size, .webcam, .best)), planes = PicturePlanes(Self.size)
        for y in 0..<Self.size.height { planes.luma.row(y).update(repeating: 20, count: Self.size.width) }
        let both = EffectSettings(light: 1, brighten: 1)
        #expect(effects.brighten(planes, seen: QuadMap(Self.size), people: nil, both, after: 0))
        #expect(planes.luma.row(9)[9] < drawn[40 * 64 + 30])
    }

    @Test(arguments: [112, 160, 235] as [UInt8]) func aBrightPictureStaysToTheBit(_ luma: UInt8) throws {
        let stream = try Stream(), bright = frame(luma)
        for _ in 0..<5 { #expect(stream.draw(bright) == bright) }
    }

    @Test func aPictureIsThatAgainWhenLightReturns() throws {
        let stream = try Stream(), bright = frame(150)
        #expect(stream.draw(frame(50))[40 * 64 + 30] > 80)
        for _ in 0..<120 { _ = stream.draw(bright) }
        #expect(stream.draw(bright) == bright)
    }

    @Test func aLampDoesNotMakeARoomBright() throws {
        var lit = frame(50)
        for y in 10..<14 { for x in 20..<40 { lit[y * 64 + x] = 235 } }
        let (dark, found) = (try Stream().draw(frame(50)), try Stream().draw(lit))
        #expect(abs(Int(dark[40 * 64 + 30]) - Int(found[40 * 64 + 30])) <= 3)
    }

    @Test func noiseDoesNotMakeItPump() throws {
        let stream = try Stream()
        var seed: UInt32 = 1
        var means: [Double] = []
        for _ in 0..<60 {
            var noisy = frame(50)
            for place in 200..<Self.size.area {
                seed = seed &* 1_664_525 &+ 1_013_904_223
                noisy[place] = UInt8(Int(noisy[place]) + Int(seed >> 24) % 17 - 8)
            }
            let drawn = stream.draw(noisy)
            means.append(drawn.prefix(Self.size.area).reduce(0) { $0 + Double($1) } / Double(Self.size.area))
        }
        #expect(means.max()! - means.min()! < 1)
    }

    @Test(arguments: KernelLevel.supported) func everyLevelDrawsTheSame(_ level: KernelLevel) throws {
        let size = FrameSize(width: 70, height: 34)
        let format = FrameFormat(pixelFormat: .i420, size: size, colorimetry: .jpeg)
        let frame = (0..<format.byteCount).map { UInt8($0 < size.area ? $0 % 97 : 100 + $0 % 50) }
        #expect(
            try Stream(Self.settings, format, level).draw(frame)
                == Stream(Self.settings, format, .portable).draw(frame))
    }
}
