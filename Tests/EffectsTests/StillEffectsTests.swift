// SPDX-License-Identifier: MIT
// Effects drawn into stills: as in frames, but in the stills' full precision, and of any size.

import Foundation
import Fusion
import LivecapDetection
import LivecapFrames
import Testing

@testable import LivecapEffects

/// `make setup` fetches the nets, if it can.
private let areNetsInstalled = (try? Nets().open(.matte)) != nil && (try? Nets().open(.faces)) != nil

@Suite(.enabled(if: areNetsInstalled, "'make effects' fetches the nets"))
struct StillEffectsTests {
    private static let size = FrameSize(width: 640, height: 360)
    private static let planar = FrameFormat(pixelFormat: .i420, size: size, colorimetry: .jpeg)

    /// Draws effects into a frame of a photograph of a woman, as a stream of it would have them.
    private func frame(_ settings: EffectSettings = EffectSettings()) throws -> [UInt8] {
        // NASA took it; it is in the public domain.
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Support/Pictures/astronaut.jpg")
        let bytes = [UInt8](try Data(contentsOf: path))
        let jpeg = FrameFormat(pixelFormat: .mjpeg, size: Self.size)
        let effects = try FrameEffects(jpeg, EffectBoard(settings), by: LazyNets(), .best)
        let metadata = FrameMetadata(
            time: .zero, byteCount: bytes.count, sequence: 0, timeSource: .scene, uncertainty: .zero,
            id: FrameID(epoch: 0, counter: 0))
        let isAdded = effects.add(metadata, bytes.span.bytes)
        try #require(isAdded)
        var picture = [UInt8](repeating: 0, count: effects.format.byteCount)
        _ = picture.withUnsafeMutableBytes { effects.draw(into: $0) }
        return picture
    }

    /// The still of one frame.
    private func still(_ bytes: [UInt8], _ format: FrameFormat = planar) throws -> FusedPicture {
        let fuser = try Fuser(format, FusionSettings(.mean)), frame = fuser.makeFrame()
        try fuser.prepare(bytes.span.bytes, into: frame)
        let picture = fuser.makePicture()
        _ = try fuser.fuse([frame], reference: 0, into: picture)
        return picture
    }

    @discardableResult
    private func draw(
        _ settings: EffectSettings, into picture: FusedPicture, on pool: any FusionPool = CallersThread()
    ) throws -> StillMask? {
        try StillEffects(picture.size, picture.colorimetry, settings, by: Nets(), at: .best).draw(
            into: picture, on: pool)
    }

    private func samples(_ picture: FusedPicture) -> [[UInt16]] { picture.planes.map { Array($0.samples) } }

    /// The brightness of a part of a still of the photograph.
    private func luma(_ picture: FusedPicture, _ columns: Range<Int>, _ rows: Range<Int>) -> [UInt16] {
        rows.flatMap { y in columns.map { picture.planes[0].samples[y * picture.size.width + $0] } }
    }

    @Test func aColourCoversWhatIsBehindAndLeavesThePerson() throws {
        let bytes = try frame(), (plain, drawn) = (try still(bytes), try still(bytes))
        let found = try draw(EffectSettings(background: .colour(red: 0, green: 255, blue: 0)), into: drawn)
        let corner = luma(drawn, 0..<60, 0..<60)
        // Green in BT.601, full range, to a fraction of a code.
        #expect(Set(corner) == [UInt16((0.587 * 255 * 256).rounded())])
        let face = (columns: 255..<300, rows: 140..<180)
        #expect(luma(drawn, face.columns, face.rows) == luma(plain, face.columns, face.rows))
        for plane in 1...2 {
            for y in 70..<90 {
                for x in 128..<150 {
                    let place = y * 320 + x
                    #expect(drawn.planes[plane].samples[place] == plain.planes[plane].samples[place])
                }
            }
        }
        let mask = try #require(found)
        #expect(mask.isSeen && mask.width == 160 && mask.height == 90)
        #expect(mask.samples[40 * 160 + 70] == 255 && mask.samples[5 * 160 + 5] == 0)
    }

    @Test func theyAreTheSameAsInFrames() throws {
        let settings = EffectSettings(portrait: 0.7, light: 0.5)
        let (bytes, inFrame) = (try frame(), try frame(settings))
        let drawn = try still(bytes)
        try draw(settings, into: drawn)
        let inStill = samples(drawn).flatMap { $0 }
        let most = zip(inFrame, inStill).map { abs(Double($0) - Double($1) / 256) }.max()!
        // A frame's matte, blur and light are rounded to codes one after the other.
        #expect(most < 4, "\(most)")
    }

    @Test func noEffectLeavesEverySample() throws {
        let bytes = try frame(), (plain, drawn) = (try still(bytes), try still(bytes))
        #expect(try draw(EffectSettings(), into: drawn) == nil)
        // Framing is for frames.
        #expect(try draw(EffectSettings(framing: 1), into: drawn) == nil)
        #expect(samples(drawn) == samples(plain))
    }

    /// A ramp of ten codes over 641 samples has ten steps in 8 bits.
    @Test(arguments: [EffectSettings(portrait: 0.6), EffectSettings(light: 0.6)])
    func fractionsOfCodesAreKept(_ settings: EffectSettings) throws {
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 641, height: 361))
        let picture = try still([UInt8](repeating: 100, count: format.byteCount), format)
        for place in picture.planes[0].samples.indices {
            picture.planes[0].samples[place] = UInt16(100 * 256 + 4 * (place % 641))
        }
        try draw(settings, into: picture)
        let row = luma(picture, 0..<641, 180..<181)
        #expect(Set(row).count > 256)
        #expect(zip(row, row.dropFirst()).allSatisfy { $0 <= $1 && $1 - $0 < 16 })
    }

    private static let sizes = [
        FrameSize(width: 641, height: 361), FrameSize(width: 18, height: 17), FrameSize(width: 16, height: 16),
        FrameSize(width: 2100, height: 30),
    ]

    /// Nobody is in an even picture: all of it is behind, and stays even.
    @Test(arguments: sizes, [PixelFormat.grey, .rgb24, .i420])
    func stillsOfAnySizeAreDrawn(_ size: FrameSize, _ pixels: PixelFormat) throws {
        let format = FrameFormat(pixelFormat: pixels, size: size)
        let picture = try still([UInt8](repeating: 90, count: format.byteCount), format), before = samples(picture)
        try draw(EffectSettings(portrait: 1, light: 1), into: picture)
        let after = samples(picture)
        #expect(after[0].max()! - after[0].min()! <= 2)
        #expect(after[0][0] < before[0][0])
        try draw(EffectSettings(background: .colour(red: 255, green: 255, blue: 255)), into: picture)
        #expect(samples(picture).allSatisfy { $0.max() == $0.min() })
    }

    @Test(arguments: sizes) func filesOfAnySizeAreDrawn(_ size: FrameSize) throws {
        let picture = try FusedPicture(size, .singles, .jpeg, level: nil)
        for plane in picture.planes { plane.samples.update(repeating: 90 << 8) }
        try draw(EffectSettings(portrait: 1, light: 1), into: picture)
        let after = samples(picture)
        #expect(after.allSatisfy { $0.count == size.area && $0.max()! - $0.min()! <= 2 } && after[0][0] < 90 << 8)
    }

    /// The still of the photograph with chroma for each pixel, in which every other column is more red.
    private func striped(_ bytes: [UInt8]) throws -> FusedPicture {
        let shared = try still(bytes), picture = try FusedPicture(Self.size, .singles, .jpeg, level: nil)
        _ = picture.planes[0].samples.update(fromContentsOf: shared.planes[0].samples)
        for y in 0..<360 {
            for x in 0..<640 {
                for plane in 1...2 {
                    let sample = shared.planes[plane].samples[y / 2 * 320 + x / 2]
                    picture.planes[plane].samples[y * 640 + x] = plane == 2 && x % 2 == 1 ? sample + 2560 : sample
                }
            }
        }
        return picture
    }

    /// Pictures of files may have more chroma than frames do.
    @Test func chromaOfEachPixelIsKept() throws {
        let bytes = try frame(), plain = try striped(bytes)
        func isKept(_ drawn: FusedPicture, _ column: Int, _ row: Int) -> Bool {
            drawn.planes.indices.allSatisfy {
                drawn.planes[$0].samples[row * 640 + column] == plain.planes[$0].samples[row * 640 + column]
            }
        }
        let drawn = try striped(bytes)
        try draw(EffectSettings(background: .colour(red: 0, green: 255, blue: 0)), into: drawn)
        #expect((140..<180).allSatisfy { y in (255..<300).allSatisfy { isKept(drawn, $0, y) } })
        for (plane, code) in [(1, 43.5), (2, 21.2)] {
            let corner = (0..<60).flatMap { y in (0..<60).map { drawn.planes[plane].samples[y * 640 + $0] } }
            #expect(Set(corner).count == 1 && abs(Double(corner[0]) / 256 - code) < 0.3, "\(corner[0])")
        }
        // Light scales what there is: the stripes stay.
        let lit = try striped(bytes)
        try draw(EffectSettings(light: 1), into: lit)
        let stripes = (255..<299).map { x in
            Int(lit.planes[2].samples[160 * 640 + x + 1]) - Int(lit.planes[2].samples[160 * 640 + x])
        }
        #expect(stripes.allSatisfy { abs($0) > 1500 } && zip(stripes, stripes.dropFirst()).allSatisfy { $0 * $1 < 0 })
    }

    /// A pool that works backwards, in more parts than a picture of few rows has.
    private struct Backwards: FusionPool {
        let threads: Int
        func run(_ count: Int, _ body: @Sendable (Int) -> Void) { for part in (0..<count).reversed() { body(part) } }
    }

    @Test(arguments: [1, 2, 7, 64]) func threadsDrawTheSame(_ threads: Int) throws {
        let bytes = try frame(), settings = EffectSettings(portrait: 0.6, light: 0.6)
        let (one, many) = (try still(bytes), try still(bytes))
        try draw(settings, into: one)
        try draw(settings, into: many, on: Backwards(threads: threads))
        #expect(samples(one) == samples(many))
    }

    /// One after the other, with the same memory.
    @Test func aStillOwesNothingToTheOneBefore() throws {
        let bytes = try frame(), (first, second) = (try still(bytes), try still(bytes))
        let empty = try still([UInt8](repeating: 128, count: Self.planar.byteCount))
        let settings = EffectSettings(portrait: 0.6, light: 0.6)
        let effects = try StillEffects(Self.size, first.colorimetry, settings, by: Nets(), at: .best)
        let masks = [first, empty, second].map { effects.draw(into: $0) }
        #expect(samples(first) == samples(second))
        #expect(masks[0] == masks[2] && masks[1]?.samples.max() == 0)
    }
}

@Suite struct StillGridTests {
    @Test func mapsOfLargeStillsHaveLargerCells() {
        #expect(StillGrid(FrameSize(width: 1280, height: 720)).side == 4)
        #expect(StillGrid(FrameSize(width: 2048, height: 1536)).side == 4)
        #expect(StillGrid(FrameSize(width: 2049, height: 1536)).side == 8)
        let large = StillGrid(FrameSize(width: 8000, height: 6000))
        #expect(large.side == 16 && large.mapped == FrameSize(width: 2000, height: 1500))
        #expect(StillGrid(FrameSize(width: 3, height: 2)).mapped == FrameSize(width: 4, height: 4))
    }
}
