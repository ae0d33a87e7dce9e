// SPDX-License-Identifier: MIT
// JPEG frames that several readers look into are decoded once.

import LivecapFrames
import LivecapJPEG
import LivecapThreads
import Synchronization
import Testing

@testable import LivecapPictures

@Suite struct SharedPlanesTests {
    private static let size = FrameSize(width: 64, height: 48)
    private let format = FrameFormat(pixelFormat: .mjpeg, size: size)
    private let planes = SharedPlanes()

    /// A picture that no other number gives.
    private func jpeg(_ number: Int) throws -> [UInt8] {
        let pixels = (0..<3 * Self.size.area).map { UInt8(($0 / 24 + 7 * number) % 200 + $0 * (number + 3) % 13) }
        var encoder = try JPEGEncoder()
        return try encoder.encodeRGB(pixels.span.bytes, size: Self.size, quality: 80) { bytes in
            bytes.withUnsafeBytes { Array($0) }
        }
    }

    private func shape(_ shrink: Int = 1) throws -> PlaneShape {
        let bytes = try jpeg(0), shape = PlaneShape(like: bytes.span.bytes, Self.size, shrunkBy: shrink)
        return try #require(shape)
    }

    private func id(_ number: Int) -> FrameID { FrameID(epoch: 0, counter: UInt64(number)) }

    private func read(_ reader: PlaneReader, _ number: Int, as shape: PlaneShape) throws -> [UInt8]? {
        let bytes = try jpeg(number)
        return reader.read(bytes.span.bytes, id(number), as: shape).map { Array($0[..<shape.byteCount]) }
    }

    /// What a reader all for itself makes of a frame.
    private func alone(_ number: Int, as shape: PlaneShape) throws -> [UInt8]? {
        try read(PlaneReader(), number, as: shape)
    }

    @Test func twoReadersGetTheSameOfOneDecoding() throws {
        let (shape, readers) = (try shape(), (0..<2).map { _ in PlaneReader(of: planes) })
        for number in 0..<5 {
            for reader in readers { #expect(try read(reader, number, as: shape) == alone(number, as: shape)) }
        }
        #expect(planes.decodeCount == 5)
    }

    @Test func aFrameIsKeptForOneWhoIsBehind() throws {
        let (shape, quick, slow) = (try shape(), PlaneReader(of: planes), PlaneReader(of: planes))
        for reader in [quick, slow] { _ = try read(reader, 0, as: shape) }
        for number in 1..<4 { _ = try read(quick, number, as: shape) }
        for number in 1..<4 { #expect(try read(slow, number, as: shape) == alone(number, as: shape)) }
        #expect(planes.decodeCount == 4)
    }

    @Test func memoryIsBoundedHoweverFarOneIsBehind() throws {
        let (shape, quick, slow) = (try shape(), PlaneReader(of: planes), PlaneReader(of: planes))
        _ = try read(slow, 0, as: shape)
        for number in 1..<100 {
            _ = try read(quick, number, as: shape)
            #expect(planes.keptCount <= 5)
        }
        #expect(try read(slow, 1, as: shape) == alone(1, as: shape))
    }

    @Test func oneReaderNeedsMemoryForOneFrame() throws {
        let (shape, reader) = (try shape(), PlaneReader(of: planes))
        for number in 0..<40 { _ = try read(reader, number, as: shape) }
        #expect(planes.keptCount == 1)
    }

    @Test func aFrameThatCannotBeDecodedIsTriedOnce() throws {
        let (shape, bytes) = (try shape(), Array(try jpeg(1).prefix(200)))
        for reader in (0..<2).map({ _ in PlaneReader(of: planes) }) {
            let isRead = reader.read(bytes.span.bytes, id(1), as: shape) != nil
            #expect(!isRead)
        }
        #expect(planes.decodeCount == 1)
    }

    @Test func framesOfTwoStreamsAreNotMistakenForEachOther() throws {
        let (shape, reader, other) = (try shape(), PlaneReader(of: planes), SharedPlanes())
        _ = try read(reader, 7, as: shape)
        reader.follow(other)
        let bytes = try jpeg(8)
        let found = reader.read(bytes.span.bytes, id(7), as: shape).map { Array($0[..<shape.byteCount]) }
        #expect(try found == alone(8, as: shape))
        #expect(planes.decodeCount == 1 && other.decodeCount == 1)
    }

    // MARK: Sizes

    private func small(of planes: SharedPlanes?) throws -> PictureConverter {
        let settings = PictureSettings(
            format: .grey, size: FrameSize(width: Self.size.width / 4, height: Self.size.height / 4))
        return try PictureConverter(format, [settings], of: planes)
    }

    private func draw(_ converter: PictureConverter, _ number: Int) throws -> [UInt8] {
        let bytes = try jpeg(number), isTaken = converter.take(bytes.span.bytes, id(number))
        try #require(isTaken)
        var picture = [UInt8](repeating: 0, count: converter.formats[0].byteCount)
        let count = picture.withUnsafeMutableBytes { converter.draw(0, into: $0) }
        #expect(count == picture.count)
        return picture
    }

    @Test func smallPicturesAloneAreMadeOfAQuarter() throws {
        let converter = try small(of: planes)
        #expect(try draw(converter, 3) == draw(small(of: nil), 3))
        #expect(try draw(converter, 4) == alone(4, as: shape(4))?.prefix(16 * 12).map { $0 })
    }

    @Test func smallPicturesBesideLargeOnesAreMadeOfTheSameDecoding() throws {
        let (shape, converter, large) = (try shape(), try small(of: planes), PlaneReader(of: planes))
        _ = try read(large, 0, as: shape)
        for number in 1..<6 {
            let picture = try draw(converter, number)
            #expect(try largestDifference(picture, draw(small(of: nil), number)) <= 8)
            #expect(try read(large, number, as: shape) == alone(number, as: shape))
        }
        #expect(planes.decodeCount == 6)
    }

    @Test func onceLargeOnesAreGoneSmallPicturesAreMadeOfAQuarterAgain() throws {
        let (shape, converter) = (try shape(), try small(of: planes))
        let large = PlaneReader(of: planes)
        _ = try read(large, 0, as: shape)
        for number in 1..<40 { _ = try draw(converter, number) }
        #expect(try draw(converter, 40) == draw(small(of: nil), 40))
        large.follow(nil)
        #expect(try draw(converter, 41) == draw(small(of: nil), 41))
    }

    // MARK: Threads

    @Test func manyThreadsReadTheSameFrames() throws {
        let (shape, planes, count) = (try shape(), planes, 60)
        let pictures = try (0..<count).map { try jpeg($0) }
        let expected = try (0..<count).map { try alone($0, as: shape) }
        let wrong = Atomic<Int>(0)
        let threads = try (0..<4).map { thread in
            try SystemThread(name: "reader") {
                let reader = PlaneReader(of: planes)
                // The last one takes every other frame.
                for number in stride(from: 0, to: count, by: thread == 3 ? 2 : 1) {
                    let id = FrameID(epoch: 0, counter: UInt64(number)), bytes = pictures[number]
                    let found = reader.read(bytes.span.bytes, id, as: shape)
                    let isRight = found.map { Array($0[..<shape.byteCount]) } == expected[number]
                    if !isRight { wrong.add(1, ordering: .relaxed) }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(wrong.load(ordering: .relaxed) == 0)
    }
}
