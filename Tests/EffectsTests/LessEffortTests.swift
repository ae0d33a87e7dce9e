// SPDX-License-Identifier: MIT
// Pictures that are drawn with less effort, by the nets themselves.

import Foundation
import Fusion
import LivecapDetection
import LivecapFrames
import Testing

@testable import LivecapEffects

@Suite(.enabled(if: (try? Nets().open(.matte)) != nil, "'make effects' fetches the nets"))
struct LessEffortTests {
    private static let size = FrameSize(width: 640, height: 360)
    private static let planes = FrameFormat(pixelFormat: .i420, size: size, colorimetry: .jpeg)
    /// The photograph of a woman, as planes, and the same with her and all else moved to the right.
    private static let (person, moved): ([UInt8], [UInt8]) = {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Support/Pictures/astronaut.jpg")
        let jpeg = Array((try? Data(contentsOf: path)) ?? Data())
        guard
            let effects = try? FrameEffects(
                FrameFormat(pixelFormat: .mjpeg, size: size), EffectBoard(), by: LazyNets(), .best)
        else { return ([], []) }
        var picture = [UInt8](repeating: 0, count: effects.format.byteCount)
        _ = effects.add(metadata(0, jpeg.count), jpeg.span.bytes)
        _ = picture.withUnsafeMutableBytes { effects.draw(into: $0) }
        return (picture, shift(picture, by: 80))
    }()

    private static func metadata(_ number: Int, _ count: Int) -> FrameMetadata {
        FrameMetadata(
            time: Timestamp(nanoseconds: Int64(number) * 33_333_333), byteCount: count, sequence: UInt32(number),
            timeSource: .scene, uncertainty: .zero, id: FrameID(epoch: 0, counter: UInt64(number)))
    }

    /// The planes of a picture, moved to the right; what leaves it comes in again.
    private static func shift(_ picture: [UInt8], by pixels: Int) -> [UInt8] {
        var (result, start) = (picture, 0)
        for (width, height) in [(640, 360), (320, 180), (320, 180)] {
            let far = pixels * width / 640
            for y in 0..<height {
                let row = start + y * width
                for x in 0..<width { result[row + (x + far) % width] = picture[row + x] }
            }
            start += width * height
        }
        return result
    }

    /// What is drawn into these frames with some effort; nil: as if nobody had ever heard of it.
    private func draw(
        _ settings: EffectSettings, _ effort: EffectEffort?, _ frames: [[UInt8]]
    ) throws -> [[UInt8]] {
        let kind = PictureKind(Self.size, Self.planes.colorimetry, .best)
        let effects = PictureEffects(kind, LazyNets())
        try effects.use(settings)
        if let effort { effects.effort = effort }
        return frames.map { frame in
            let planes = effects.planes
            var start = 0
            for plane in planes.all {
                for y in 0..<plane.height {
                    frame.withUnsafeBufferPointer {
                        plane.row(y).update(from: $0.baseAddress! + start + y * plane.width, count: plane.width)
                    }
                }
                start += plane.width * plane.height
            }
            var picture = [UInt8](repeating: 0, count: Self.planes.byteCount)
            picture.withUnsafeMutableBytes { effects.draw(after: 1.0 / 30, into: $0.baseAddress!) }
            return picture
        }
    }

    private static let green = EffectSettings.Background.colour(red: 0, green: 255, blue: 0)

    /// What is hidden is hidden by the matte of the very picture, however little effort there is.
    @Test(arguments: EffectEffort.allCases) func nothingShowsBehindSomebodyWhoMoves(_ effort: EffectEffort) throws {
        let frames = (0..<12).map { $0 % 4 < 2 ? Self.person : Self.moved }
        let settings = EffectSettings(background: Self.green)
        #expect(try draw(settings, effort, frames) == draw(settings, nil, frames))
    }

    /// At rest, all pictures are as good as with full effort once light and blur have come to rest, too.
    @Test(arguments: EffectEffort.allCases) func aPictureAtRestLooksTheSame(_ effort: EffectEffort) throws {
        let frames = [[UInt8]](repeating: Self.person, count: 60)
        for settings in [EffectSettings(portrait: 1), EffectSettings(light: 1), EffectSettings(light: 1, framing: 1)] {
            let (less, full) = (try draw(settings, effort, frames).last!, try draw(settings, nil, frames).last!)
            let differing = zip(less, full).count { abs(Int($0) - Int($1)) > 4 }
            #expect(differing < less.count / 100, "\(settings.list)")
        }
    }

    /// What is behind people is blurred in the first picture, and in the first after other effects.
    @Test(arguments: EffectEffort.allCases) func theFirstPictureIsBlurred(_ effort: EffectEffort) throws {
        let settings = EffectSettings(portrait: 1)
        #expect(try draw(settings, effort, [Self.person]) == draw(settings, nil, [Self.person]))
    }

    /// Less effort is less work: the blur of the picture before is shown again, and light follows later.
    @Test func lessEffortLeavesOutSomething() throws {
        let frames = [Self.person, Self.moved]
        for settings in [EffectSettings(portrait: 1), EffectSettings(light: 1)] {
            #expect(try draw(settings, .full, frames) == draw(settings, nil, frames))
            #expect(try draw(settings, .least, frames)[1] != draw(settings, nil, frames)[1])
        }
    }
}
