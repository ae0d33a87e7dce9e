// SPDX-License-Identifier: MIT
// Encoding and decoding: planes and R'G'B', odd sizes, pictures without tables, and damaged or hostile data.

import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import LivecapJPEG

private let sizes = [
    FrameSize(width: 64, height: 48), FrameSize(width: 33, height: 17), FrameSize(width: 1, height: 1),
]

private func decodeRGB(_ jpeg: [UInt8], _ size: FrameSize) throws -> (pixels: [UInt8], flaw: JPEGFlaw?) {
    var decoder = try JPEGDecoder()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 3 * size.area, alignment: 1)
    defer { memory.deallocate() }
    let flaw = try decoder.decodeRGB(jpeg.span.bytes, size: size, into: memory)
    return ([UInt8](memory), flaw)
}

private func decode(_ jpeg: [UInt8], _ layout: PlanarLayout) throws -> [UInt8] {
    var decoder = try JPEGDecoder()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: layout.byteCount, alignment: 1)
    defer { memory.deallocate() }
    try decoder.decode(jpeg.span.bytes, to: layout, in: memory)
    return [UInt8](memory)
}

private func encode(_ planes: [UInt8], _ layout: PlanarLayout, quality: Int) throws -> [UInt8] {
    var encoder = try JPEGEncoder()
    return try encoder.encode(planes.span.bytes, layout: layout, quality: quality) { copy($0) }
}

private func meanError(_ a: [UInt8], _ b: [UInt8]) -> Double {
    Double(zip(a, b).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(a.count)
}

@Suite struct JPEGCodecTests {
    @Test("A smooth picture survives a round trip", arguments: sizes, [ChromaSampling.s444, .s422, .s420])
    func roundTripRGB(_ size: FrameSize, _ sampling: ChromaSampling) throws {
        let (pixels, flaw) = try decodeRGB(try picture(size, sampling, quality: 98), size)
        #expect(flaw == nil)
        #expect(meanError(pixels, ramp(size)) < 4)
    }

    @Test("Planes survive a round trip", arguments: sizes, [ChromaSampling.s444, .s422, .s420, .grey])
    func roundTripPlanes(_ size: FrameSize, _ sampling: ChromaSampling) throws {
        let layout = try #require(PlanarLayout(size: size, sampling: sampling))
        var planes = [UInt8](repeating: 0, count: layout.byteCount)
        for (index, plane) in layout.planes.enumerated() {
            for y in 0..<plane.rows {
                for x in 0..<plane.rowBytes {
                    planes[plane.offset + y * plane.stride + x] = UInt8(60 + 40 * index + (2 * x + y) % 60 / 2)
                }
            }
        }
        let decoded = try decode(try encode(planes, layout, quality: 100), layout)
        #expect(meanError(decoded, planes) < 2)
    }

    @Test("Padded planes, and Cr before Cb, are where the frame's format says")
    func frameLayouts() throws {
        for pixelFormat in [PixelFormat.i420, .yv12, .yuv422p, .grey] {
            var format = FrameFormat(
                pixelFormat: pixelFormat, size: FrameSize(width: 32, height: 16), colorimetry: .jpeg)
            format.bytesPerLine += 16
            format.byteCount = format.planes.map(\.end).max()!
            let layout = try #require(PlanarLayout(format))
            var planes = [UInt8](repeating: 0, count: format.byteCount)
            for (plane, value) in zip(format.planes, [100, 90, 200] as [UInt8]) {
                for offset in plane.offset..<plane.usedEnd { planes[offset] = value }
            }
            let jpeg = try encode(planes, layout, quality: 95)
            let (pixels, _) = try decodeRGB(jpeg, format.size)
            let expected = planes.withUnsafeBytes { PlainConverter(format)!.rgb24($0.bytes)! }
            #expect(meanError(pixels, expected) < 2, "\(pixelFormat)")
        }
        #expect(PlanarLayout(FrameFormat(pixelFormat: .i420, size: FrameSize(width: 5, height: 4))) == nil)
        #expect(PlanarLayout(FrameFormat(pixelFormat: .nv12, size: FrameSize(width: 4, height: 4))) == nil)
        #expect(PlanarLayout(size: FrameSize(width: 0, height: 4), sampling: .s420) == nil)
    }

    @Test("The standard tables are the ones that encoders write")
    func standardTables() throws {
        let jpeg = try picture(FrameSize(width: 64, height: 48), .s420)
        let written = segments(jpeg).filter { $0.code == 0xC4 }.flatMap {
            jpeg[($0.range.lowerBound + 4)..<$0.range.upperBound]
        }
        func tables(_ bytes: [UInt8]) -> [UInt8: [UInt8]] {
            var (found, place): ([UInt8: [UInt8]], Int) = ([:], 0)
            while place < bytes.count {
                let count = 16 + bytes[(place + 1)...(place + 16)].reduce(0) { $0 + Int($1) }
                found[bytes[place]] = Array(bytes[(place + 1)...(place + count)])
                place += 1 + count
            }
            return found
        }
        #expect(tables(written).count == 4)
        #expect(tables(written) == tables(Array(StandardHuffmanTables.segment[4...])))
    }

    @Test("A picture without tables decodes to the same bytes")
    func withoutHuffmanTables() throws {
        let size = FrameSize(width: 64, height: 48)
        let jpeg = try picture(size, .s422)
        let bare = withoutTables(jpeg)
        #expect(try decodeRGB(bare, size).pixels == decodeRGB(jpeg, size).pixels)
        let mended = StandardHuffmanTables.inserted(into: bare.span.bytes)
        #expect(JPEGStructure.check(mended.span.bytes).structure?.hasHuffmanTables == true)
        #expect(try decodeRGB(mended, size).pixels == decodeRGB(jpeg, size).pixels)
    }

    @Test("Bytes before a marker are not a flaw; missing data is")
    func flaws() throws {
        let size = FrameSize(width: 64, height: 48)
        let jpeg = try picture(size, .s422)
        let end = jpeg.count - 2
        let extraneous = try decodeRGB(jpeg[..<end] + [1, 2, 3, 4] + jpeg[end...], size)
        #expect(extraneous.flaw == nil)
        #expect(extraneous.pixels == (try decodeRGB(jpeg, size).pixels))
        let cut = try decodeRGB(jpeg[..<(jpeg.count * 2 / 3)] + [0xFF, 0xD9], size)
        #expect(cut.flaw != nil)
    }

    /// TurboJPEG reports only the first problem it finds.
    @Test("Bytes between segments are not a flaw, and hide none")
    func bytesBetweenSegments() throws {
        let size = FrameSize(width: 64, height: 48)
        let jpeg = try picture(size, .s422)
        let place = try #require(segments(jpeg).first).range.upperBound
        for junk in [[1, 2, 3], [0xFF, 0, 7]] as [[UInt8]] {
            for bytes in [jpeg, withoutTables(jpeg)] {
                let loose = bytes[..<place] + junk + bytes[place...]
                let whole = try decodeRGB(Array(loose), size)
                #expect(whole.flaw == nil)
                #expect(whole.pixels == (try decodeRGB(jpeg, size).pixels))
                #expect(try decodeRGB(loose[..<(loose.count - 40)] + [0xFF, 0xD9], size).flaw != nil)
            }
        }
    }

    @Test("Bytes after the data are padding, or the rest of broken data")
    func leftover() throws {
        let size = FrameSize(width: 64, height: 48)
        let jpeg = try picture(size, .s422)
        let end = jpeg.count - 2
        func flaw(_ left: [UInt8]) throws -> JPEGFlaw? { try decodeRGB(jpeg[..<end] + left + jpeg[end...], size).flaw }
        #expect(try flaw([UInt8](repeating: 0, count: 5000)) == nil)
        #expect(try flaw((0..<1000).map { UInt8($0 % 251) }) == nil)
        #expect(try flaw((0..<5000).map { UInt8($0 % 251) }) != nil)
    }

    @Test(
        "An eighth in grey has the mean brightness of each block",
        arguments: [(64, 48), (33, 17), (1, 1), (8, 8), (159, 89)])
    func greyEighth(width: Int, height: Int) throws {
        let size = FrameSize(width: width, height: height)
        let small = JPEGDecoder.eighth(of: size)
        for sampling in [ChromaSampling.s444, .s422, .s420] {
            let jpeg = try picture(size, sampling, quality: 98)
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: small.area + 1, alignment: 1)
            defer { memory.deallocate() }
            memory[small.area] = 77
            var decoder = try JPEGDecoder()
            let place = UnsafeMutableRawBufferPointer(rebasing: memory[..<small.area])
            for bytes in [jpeg, withoutTables(jpeg)] {
                #expect(try decoder.decodeGreyEighth(bytes.span.bytes, size: size, into: place) == nil)
                #expect(meanError(Array(place), blockMeans(ramp(size), size)) < 2)
            }
            #expect(memory[small.area] == 77)
            #expect(throws: JPEGError.tooFewBytes(needed: small.area, given: small.area - 1)) {
                let short = UnsafeMutableRawBufferPointer(rebasing: memory[..<(small.area - 1)])
                try decoder.decodeGreyEighth(jpeg.span.bytes, size: size, into: short)
            }
        }
    }

    /// The mean brightness of each block of 8x8 pixels; at the edges, of the pixels that exist.
    private func blockMeans(_ rgb: [UInt8], _ size: FrameSize) -> [UInt8] {
        let small = JPEGDecoder.eighth(of: size)
        return (0..<small.area).map { block in
            let (left, top) = (block % small.width * 8, block / small.width * 8)
            var (sum, count) = (0.0, 0.0)
            for y in top..<min(top + 8, size.height) {
                for x in left..<min(left + 8, size.width) {
                    let pixel = 3 * (y * size.width + x)
                    sum += 0.299 * Double(rgb[pixel]) + 0.587 * Double(rgb[pixel + 1]) + 0.114 * Double(rgb[pixel + 2])
                    count += 1
                }
            }
            return UInt8((sum / count).rounded())
        }
    }

    @Test("Size, sampling and space are checked before anything is written")
    func refusals() throws {
        let size = FrameSize(width: 64, height: 48)
        let jpeg = try picture(size, .s420)
        let other = FrameSize(width: 48, height: 64)
        #expect(throws: JPEGError.wrongSize(asked: other, found: size)) { try decodeRGB(jpeg, other) }
        let layout = try #require(PlanarLayout(size: size, sampling: .s422))
        #expect(throws: JPEGError.wrongSampling(asked: .s422, found: .s420)) { try decode(jpeg, layout) }
        #expect(throws: JPEGError.tooFewBytes(needed: 6144, given: 6143)) {
            try encode([UInt8](repeating: 0, count: 6143), layout, quality: 90)
        }
        #expect(throws: JPEGError.self) { try decodeRGB([1, 2, 3], size) }
        #expect(throws: JPEGError.self) { try decodeRGB([], size) }
    }

    @Test("A picture that ends within its header does not swallow the next")
    func cutHeaders() throws {
        let size = FrameSize(width: 64, height: 48)
        let jpeg = try picture(size, .s422)
        let start = try #require(JPEGStructure.check(jpeg.span.bytes).structure?.dataStart)
        var decoder = try JPEGDecoder()
        for end in 0..<start {
            _ = try? decoder.header(Array(jpeg[..<end]).span.bytes)
            #expect(try decoder.header(jpeg.span.bytes).sampling == .s422, "after one of \(end) bytes")
        }
    }

    @Test("Hostile bytes give a picture or an error")
    func hostile() throws {
        let size = FrameSize(width: 64, height: 48)
        let jpeg = try picture(size, .s420)
        var (random, failures) = (SeededRandom(seed: 23), 0)
        var decoder = try JPEGDecoder()
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 3 * size.area, alignment: 1)
        defer { memory.deallocate() }
        for _ in 0..<3000 {
            var bytes = jpeg
            for _ in 0..<(1 + Int(random.next() % 6)) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            do throws(JPEGError) {
                try decoder.decodeRGB(bytes.span.bytes, size: size, into: memory)
            } catch {
                failures += 1
            }
        }
        #expect((1..<3000).contains(failures))
        #expect(try decoder.decodeRGB(jpeg.span.bytes, size: size, into: memory) == nil, "bad pictures leave no trace")
    }
}
