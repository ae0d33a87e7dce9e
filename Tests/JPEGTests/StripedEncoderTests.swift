// SPDX-License-Identifier: MIT
// Pictures encoded in strips: the same pixels as in one piece, and the same file whichever thread does which strip.

import Dispatch
import LivecapFrames
import Testing

@testable import LivecapJPEG

@Suite struct StripedEncoderTests {
    private static let sizes = [(1, 1), (16, 8), (33, 17), (64, 127), (70, 256), (1280, 130)].map(FrameSize.init)
    private static let samplings = [ChromaSampling.grey, .s420, .s422, .s444]

    private func decoded(_ file: [UInt8], _ size: FrameSize) throws -> [UInt8] {
        var decoder = try JPEGDecoder()
        var pixels = [UInt8](repeating: 0, count: 3 * size.area)
        try pixels.withUnsafeMutableBytes { memory in
            _ = try decoder.decodeRGB(file.span.bytes, size: size, into: memory)
        }
        return pixels
    }

    private func striped(
        _ size: FrameSize, _ sampling: ChromaSampling, with encoder: StripedJPEGEncoder,
        on threads: StripedJPEGEncoder.Threads = { count, body in for number in 0..<count { body(number) } }
    ) throws -> [UInt8] {
        let pixels = ramp(size), width = 3 * size.width
        return try encoder.encodeRGB(size, sampling, quality: 90, on: threads) { strip, memory in
            memory.copyBytes(from: pixels[(strip.rows.lowerBound * width)..<(strip.rows.upperBound * width)])
        }
    }

    @Test(arguments: sizes, samplings) func decodesToThePixelsOfOneInOneGo(
        size: FrameSize, sampling: ChromaSampling
    ) throws {
        let file = try striped(size, sampling, with: StripedJPEGEncoder())
        let (structure, damage) = JPEGStructure.check(file.span.bytes, size: size)
        #expect(structure != nil && damage == .none)
        #expect(try decoded(file, size) == decoded(picture(size, sampling), size))
    }

    /// Encodes planes, without the codec's colour conversion. The value of each sample depends on its position.
    @Test(arguments: sizes, samplings) func planesDecodeToTheSamePixels(size: FrameSize, sampling: ChromaSampling)
        throws
    {
        @Sendable func sample(_ plane: Int, _ x: Int, _ y: Int) -> UInt8 {
            UInt8(truncatingIfNeeded: 40 * plane + x + 2 * y)
        }
        @Sendable func put(_ layout: PlanarLayout, from first: [Int], into memory: UnsafeMutableRawBufferPointer) {
            for (index, plane) in layout.planes.enumerated() {
                for y in 0..<plane.rows {
                    for x in 0..<plane.rowBytes {
                        memory[plane.offset + y * plane.stride + x] = sample(index, x, first[index] + y)
                    }
                }
            }
        }
        let file = try StripedJPEGEncoder().encode(
            size, sampling, quality: 90, on: { count, body in for number in 0..<count { body(number) } }
        ) { strip, memory in
            let first = strip.rows.lowerBound, chroma = sampling == .s420 ? first / 2 : first
            put(strip.layout, from: [first, chroma, chroma], into: memory)
        }
        let layout = try #require(PlanarLayout(size: size, sampling: sampling))
        var whole = [UInt8](repeating: 0, count: layout.byteCount)
        whole.withUnsafeMutableBytes { put(layout, from: [0, 0, 0], into: $0) }
        var encoder = try JPEGEncoder()
        let one = try encoder.encode(whole.span.bytes, layout: layout, quality: 90) { copy($0) }
        #expect(try decoded(file, size) == decoded(one, size))
    }

    @Test func theFileDoesNotDependOnTheThreads() throws {
        let size = FrameSize(width: 321, height: 243), encoder = try StripedJPEGEncoder()
        let alone = try striped(size, .s422, with: encoder)
        for _ in 0..<5 {
            let together = try striped(size, .s422, with: encoder) { count, body in
                DispatchQueue.concurrentPerform(iterations: count, execute: body)
            }
            #expect(together == alone)
        }
    }

    @Test func anEncoderTakesPicturesOfAnySizeInTurn() throws {
        let encoder = try StripedJPEGEncoder()
        for size in Self.sizes + Self.sizes.reversed() {
            #expect(try striped(size, .s420, with: encoder) == striped(size, .s420, with: StripedJPEGEncoder()))
        }
    }

    /// The restart interval is a 16-bit number.
    @Test(arguments: samplings) func eachStripFitsTheInterval(sampling: ChromaSampling) throws {
        for size in [(65500, 65500), (65500, 8), (1, 65500), (1920, 1080)].map(FrameSize.init) {
            let (strips, units) = try StripedJPEGEncoder.strips(of: size, sampling)
            #expect((1...65535).contains(units))
            #expect(strips.map(\.rows.count).reduce(0, +) == size.height)
            #expect(zip(strips, strips.dropFirst()).allSatisfy { $0.rows.upperBound == $1.rows.lowerBound })
        }
    }

    @Test func whatIsNoPictureIsRefused() throws {
        let encoder = try StripedJPEGEncoder()
        #expect(throws: JPEGError.self) { try striped(FrameSize(width: 70000, height: 4), .grey, with: encoder) }
    }
}
