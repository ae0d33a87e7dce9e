// SPDX-License-Identifier: MIT
// Effects drawn into a photograph of a person, and into pictures without people, by the nets themselves.

import Foundation
import Fusion
import LivecapDetection
import LivecapFrames
import Testing

@testable import LivecapEffects

/// `make setup` fetches the nets, if it can.
private let areNetsInstalled = (try? Nets().open(.matte)) != nil && (try? Nets().open(.faces)) != nil

@Suite(.enabled(if: areNetsInstalled, "'make effects' fetches the nets"))
struct FrameEffectsTests {
    private static let size = FrameSize(width: 640, height: 360)
    /// A photograph of a woman, from her shoulders up. NASA took it; it is in the public domain.
    private static let person: [UInt8] = {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Support/Pictures/astronaut.jpg")
        return Array((try? Data(contentsOf: path)) ?? Data())
    }()
    private static let jpeg = FrameFormat(pixelFormat: .mjpeg, size: size)

    /// A picture with effects, in planes.
    private struct Drawn {
        let bytes: [UInt8]
        let width = FrameEffectsTests.size.width, height = FrameEffectsTests.size.height

        /// The mean and the variance of brightness in a part of it, given in shares.
        func luma(_ columns: Range<Double>, _ rows: Range<Double>) -> (mean: Double, variance: Double) {
            var (sum, squares, count) = (0.0, 0.0, 0.0)
            for y in Int(rows.lowerBound * Double(height))..<Int(rows.upperBound * Double(height)) {
                for x in Int(columns.lowerBound * Double(width))..<Int(columns.upperBound * Double(width)) {
                    let sample = Double(bytes[y * width + x])
                    sum += sample
                    squares += sample * sample
                    count += 1
                }
            }
            return (sum / count, squares / count - sum * sum / (count * count))
        }
    }

    /// The last of `count` pictures of the same frame.
    private func draw(
        _ settings: EffectSettings, _ frame: [UInt8] = person, _ format: FrameFormat = jpeg, count: Int = 2,
        by backend: Nets.Backend? = nil, at level: KernelLevel = .best
    ) throws -> Drawn {
        let effects = try FrameEffects(format, EffectBoard(settings), by: LazyNets(wanted: backend), level)
        var picture = [UInt8](repeating: 0, count: effects.format.byteCount)
        for number in 0..<count {
            let metadata = FrameMetadata(
                time: Timestamp(nanoseconds: Int64(number) * 33_333_333), byteCount: frame.count,
                sequence: UInt32(number), timeSource: .scene, uncertainty: .zero,
                id: FrameID(epoch: 0, counter: UInt64(number)))
            let isAdded = effects.add(metadata, frame.span.bytes)
            let drawn = picture.withUnsafeMutableBytes { effects.draw(into: $0) }
            #expect(isAdded && drawn?.id == metadata.id)
        }
        return Drawn(bytes: picture)
    }

    private static let face = (columns: 0.37..<0.51, rows: 0.30..<0.55)
    /// The stripes of a flag.
    private static let flag = (columns: 0.02..<0.15, rows: 0.45..<0.95)

    @Test func whatIsBehindAPersonIsBlurredAndThePersonIsNot() throws {
        let (plain, drawn) = (try draw(EffectSettings()), try draw(EffectSettings(portrait: 1)))
        let before = plain.luma(Self.flag.columns, Self.flag.rows).variance
        #expect(drawn.luma(Self.flag.columns, Self.flag.rows).variance < before / 2)
        let difference = zip(plain.bytes, drawn.bytes).enumerated().filter { place, _ in
            let (x, y) = (Double(place % 640) / 640, Double(place / 640) / 360)
            return Self.face.columns.contains(x) && Self.face.rows.contains(y)
        }.map { abs(Int($1.0) - Int($1.1)) }
        // Hair in front of her forehead is hair in front of something.
        #expect(difference.reduce(0, +) < difference.count / 20)
    }

    @Test func aColourIsShownBehindAPerson() throws {
        let drawn = try draw(EffectSettings(background: .colour(red: 0, green: 255, blue: 0)))
        let corner = drawn.luma(0.0..<0.1, 0.0..<0.2)
        // Green in BT.601, full range.
        #expect(abs(corner.mean - 150) < 2 && corner.variance < 2)
        let face = drawn.luma(Self.face.columns, Self.face.rows)
        let own = try draw(EffectSettings()).luma(Self.face.columns, Self.face.rows)
        #expect(abs(face.mean - own.mean) < 1)
    }

    @Test func aPictureIsShownBehindAPerson() throws {
        let folder = try PictureFolder()
        let path = try folder.save(
            PlacedPixels.png(Self.size) { x, y in [UInt8(x / 3), UInt8(y / 2), UInt8(80 + x / 8)] })
        let background = EffectSettings.Background.picture(path: path)
        let drawn = try draw(EffectSettings(portrait: 1, background: background))
        let planes = BackgroundPicture(PictureKind(Self.size, .jpeg, .best)).planes(of: path)
        // It is sharp, to the bit, where nobody is.
        for y in 0..<70 {
            for x in 0..<60 { #expect(drawn.bytes[y * 640 + x] == planes.luma.row(y)[x]) }
        }
        let (face, own) = (Self.face, try draw(EffectSettings()))
        let difference =
            drawn.luma(face.columns, face.rows).mean - own.luma(face.columns, face.rows).mean
        #expect(abs(difference) < 1)
        // With nobody there, it is all that is shown.
        let format = FrameFormat(pixelFormat: .i420, size: Self.size, colorimetry: .jpeg)
        let empty = try draw(EffectSettings(background: background), [UInt8](repeating: 90, count: 345_600), format)
        for (plane, offset) in [(planes.luma, 0), (planes.cb, 230_400), (planes.cr, 288_000)] {
            for y in 0..<plane.height {
                let row = UnsafeBufferPointer(start: plane.row(y), count: plane.width)
                #expect(empty.bytes[(offset + y * plane.width)...].starts(with: row))
            }
        }
    }

    /// Somebody before a bright wall is dark, however bright the picture is as a whole.
    @Test func aPersonCountsForBrightness() throws {
        let format = FrameFormat(pixelFormat: .i420, size: Self.size, colorimetry: .jpeg)
        var frame = try draw(EffectSettings()).bytes
        // The person and the room at a third, and a wall at the left.
        for place in 0..<Self.size.area { frame[place] = place % 640 < 200 ? 230 : frame[place] / 3 }
        let alone = try draw(EffectSettings(brighten: 1), frame, format, count: 60)
        let black = EffectSettings.Background.colour(red: 0, green: 0, blue: 0)
        let seen = try draw(EffectSettings(background: black, brighten: 1), frame, format, count: 60)
        let face = Self.face
        let (own, without) = (Drawn(bytes: frame).luma(face.columns, face.rows), alone.luma(face.columns, face.rows))
        #expect(seen.luma(face.columns, face.rows).mean > max(own.mean * 1.3, without.mean))
    }

    @Test func aFaceIsLitAndTheRestDimmed() throws {
        let (plain, drawn) = (try draw(EffectSettings()), try draw(EffectSettings(light: 1)))
        func change(_ part: (columns: Range<Double>, rows: Range<Double>)) -> Double {
            drawn.luma(part.columns, part.rows).mean / plain.luma(part.columns, part.rows).mean
        }
        #expect(change(Self.face) > 1.08)
        #expect(change(Self.flag) < 0.8)
    }

    /// Nothing of a person is where none is, and nothing is done there.
    @Test func aPictureWithoutPeopleIsLeftAlone() throws {
        let format = FrameFormat(pixelFormat: .i420, size: Self.size, colorimetry: .jpeg)
        var frame = [UInt8](repeating: 128, count: format.byteCount)
        for place in 0..<Self.size.area { frame[place] = UInt8(64 + place % 640 / 8) }
        let drawn = try draw(EffectSettings(framing: 1), frame, format)
        #expect(drawn.bytes == frame)
    }

    @Test func bothRuntimesDrawTheSame() throws {
        let settings = EffectSettings(portrait: 0.6, light: 0.6)
        guard let first = try? draw(settings, by: .liteRT), let second = try? draw(settings, by: .xnnpack) else {
            withKnownIssue("only one runtime is installed", isIntermittent: true) { Issue.record("one runtime") }
            return
        }
        let most = zip(first.bytes, second.bytes).map { abs(Int($0) - Int($1)) }.max()!
        #expect(most <= 2)
    }

    @Test(arguments: KernelLevel.supported) func everyLevelDrawsTheSame(_ level: KernelLevel) throws {
        let settings = EffectSettings(portrait: 0.6, light: 0.6)
        #expect(try draw(settings, at: level).bytes == draw(settings, at: .portable).bytes)
    }

    /// Sizes that leave a part of a cell at their edges, and the least.
    @Test(arguments: [(641, 361), (642, 362), (646, 358), (18, 16), (17, 19)])
    func framesOfAnySizeAreDrawn(_ width: Int, _ height: Int) throws {
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: width, height: height))
        let frame = [UInt8](repeating: 90, count: format.byteCount)
        let drawn = try draw(EffectSettings(portrait: 1, light: 1, framing: 1), frame, format)
        #expect(drawn.bytes.count == (width & ~1) * (height & ~1) * 3 / 2)
        // An even grey is one, blurred or dimmed: no edge differs.
        #expect(Set(drawn.bytes.prefix((width & ~1) * (height & ~1))).count <= 2)
    }
}
