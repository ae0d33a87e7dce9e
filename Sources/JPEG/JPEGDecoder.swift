// SPDX-License-Identifier: MIT
// Decodes JPEG pictures to planes or R'G'B', using TurboJPEG. Created once and reused for many frames.

import LivecapCturbojpeg
import LivecapFrames

/// The parts of a picture's header that decoding needs.
package struct JPEGHeader: Hashable, Sendable {
    /// Width and height in pixels.
    package let size: FrameSize
    /// How chroma is sampled.
    package let sampling: ChromaSampling
}

/// Something the decoder had to guess: there is a picture, but part of it may be wrong.
package struct JPEGFlaw: Hashable, Sendable, CustomStringConvertible {
    /// The library's message.
    package let description: String
}

/// A decoder with its scratch memory. As a noncopyable value it cannot be used by two threads at once.
///
/// The caller decides the size. A picture of another size is rejected before memory is touched, so a hostile header
/// cannot request any. Missing Huffman tables are supplied. Bytes between markers, which even good cameras send, do not
/// count as a flaw.
package struct JPEGDecoder: ~Copyable, @unchecked Sendable {  // safe: only this value has the handle
    private var handle: tjhandle
    private var scratch = ScratchMemory()

    /// Creates a decoder. Fails only if memory runs out.
    package init() throws(JPEGError) {
        guard let handle = tjInitDecompress() else { throw .noMemory }
        self.handle = handle
    }

    deinit { tjDestroy(handle) }

    /// Reads the size and chroma sampling without decoding the picture.
    package mutating func header(_ jpeg: RawSpan) throws(JPEGError) -> JPEGHeader {
        var (width, height, sampling, space): (Int32, Int32, Int32, Int32) = (0, 0, -1, 0)
        let result = jpeg.withUnsafeBytes { bytes in
            tjDecompressHeader3(
                handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt(bytes.count), &width, &height,
                &sampling, &space)
        }
        if result != 0, try outcome(of: jpeg) != nil { try renew() }
        guard let sampling = ChromaSampling(rawValue: sampling), width > 0, height > 0 else {
            throw .undecodable("its chroma is sampled in a way nobody uses")
        }
        guard space == TJCS_YCbCr.rawValue || space == TJCS_GRAY.rawValue else {
            throw .undecodable("it is not made of Y'CbCr")
        }
        return JPEGHeader(size: FrameSize(width: Int(width), height: Int(height)), sampling: sampling)
    }

    /// The size of a picture that is decoded at one part in `shrink` of its width and height: 1, 2, 4 or 8.
    package static func size(_ size: FrameSize, shrunkBy shrink: Int) -> FrameSize {
        FrameSize(width: (size.width + shrink - 1) / shrink, height: (size.height + shrink - 1) / shrink)
    }

    /// Decodes to planes exactly as they are in the picture: nothing is scaled or converted.
    @discardableResult
    package mutating func decode(
        _ jpeg: RawSpan, to layout: PlanarLayout, in memory: UnsafeMutableRawBufferPointer
    ) throws(JPEGError) -> JPEGFlaw? {
        try decode(jpeg, of: layout.size, shrunkBy: 1, to: layout, in: memory)
    }

    /// Decodes a picture of `size` to planes of `layout`, whose size is `size` shrunk by 2, 4 or 8 in both directions.
    /// That is quicker than decoding all of it: less of each block is transformed.
    @discardableResult
    package mutating func decode(
        _ jpeg: RawSpan, of size: FrameSize, shrunkBy shrink: Int, to layout: PlanarLayout,
        in memory: UnsafeMutableRawBufferPointer
    ) throws(JPEGError) -> JPEGFlaw? {
        precondition(layout.size == Self.size(size, shrunkBy: shrink), "planes of the shrunk size")
        let header = try header(jpeg, of: size)
        guard header.sampling == layout.sampling else {
            throw .wrongSampling(asked: layout.sampling, found: header.sampling)
        }
        guard memory.count >= layout.byteCount else {
            throw .tooFewBytes(needed: layout.byteCount, given: memory.count)
        }
        let result = withTables(jpeg) { handle, bytes, count in
            layout.withPointers(in: memory) { planes, strides in
                tjDecompressToYUVPlanes(
                    handle, bytes, count, planes, Int32(layout.size.width), strides, Int32(layout.size.height), flags)
            }
        }
        return result == 0 ? nil : try outcome(of: jpeg)
    }

    /// Decodes to red, green and blue bytes, in rows without padding.
    @discardableResult
    package mutating func decodeRGB(
        _ jpeg: RawSpan, size: FrameSize, into memory: UnsafeMutableRawBufferPointer
    ) throws(JPEGError) -> JPEGFlaw? {
        _ = try header(jpeg, of: size)
        guard memory.count >= 3 * size.area else { throw .tooFewBytes(needed: 3 * size.area, given: memory.count) }
        let result = withTables(jpeg) { handle, bytes, count in
            tjDecompress2(
                handle, bytes, count, memory.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(size.width),
                Int32(3 * size.width), Int32(size.height), TJPF_RGB.rawValue, flags)
        }
        return result == 0 ? nil : try outcome(of: jpeg)
    }

    /// The size of the result of `decodeGreyEighth`.
    package static func eighth(of size: FrameSize) -> FrameSize {
        FrameSize(width: (size.width + 7) / 8, height: (size.height + 7) / 8)
    }

    /// Decodes brightness at an eighth of the width and height, in rows without padding: one byte for the mean of each
    /// block of 8x8 pixels. Cheaper than full decoding because no block is transformed, but all of the picture's data
    /// must still be read.
    @discardableResult
    package mutating func decodeGreyEighth(
        _ jpeg: RawSpan, size: FrameSize, into memory: UnsafeMutableRawBufferPointer
    ) throws(JPEGError) -> JPEGFlaw? {
        _ = try header(jpeg, of: size)
        let small = Self.eighth(of: size)
        guard memory.count >= small.area else { throw .tooFewBytes(needed: small.area, given: memory.count) }
        let result = withTables(jpeg) { handle, bytes, count in
            // TurboJPEG uses its largest scale that does not exceed the requested size.
            tjDecompress2(
                handle, bytes, count, memory.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(small.width),
                Int32(small.width), Int32(small.height), TJPF_GRAY.rawValue, flags)
        }
        return result == 0 ? nil : try outcome(of: jpeg)
    }

    private mutating func header(_ jpeg: RawSpan, of size: FrameSize) throws(JPEGError) -> JPEGHeader {
        let header = try header(jpeg)
        guard header.size == size else { throw .wrongSize(asked: size, found: header.size) }
        return header
    }

    /// Passes the picture to `body` with Huffman tables and without loose bytes between its header's segments.
    /// TurboJPEG reports only the first problem it finds, so loose bytes would hide any real one after them.
    private mutating func withTables(
        _ jpeg: RawSpan, _ body: (tjhandle, UnsafePointer<UInt8>?, UInt) -> Int32
    ) -> Int32 {
        var walk = JPEGHeaderWalk()
        guard let dataStart = walk.walk(jpeg), !walk.hasHuffmanTables || walk.hasLooseBytes else {
            return jpeg.withUnsafeBytes {
                body(handle, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt($0.count))
            }
        }
        let memory = scratch.bytes(jpeg.byteCount + StandardHuffmanTables.segment.count)
        let count =
            walk.hasLooseBytes
            ? JPEGHeaderWalk.tidy(jpeg, dataStart, addingTables: !walk.hasHuffmanTables, writing: memory)
            : StandardHuffmanTables.insert(into: jpeg, writing: memory)
        return body(handle, memory.baseAddress!.assumingMemoryBound(to: UInt8.self), UInt(count))
    }

    /// Classifies the library's failure: a flaw, a harmless warning, or an error.
    private mutating func outcome(of jpeg: RawSpan) throws(JPEGError) -> JPEGFlaw? {
        let text = String(cString: tjGetErrorStr2(handle))
        guard tjGetErrorCode(handle) == TJERR_WARNING.rawValue else {
            try renew()
            throw .undecodable(text)
        }
        return Self.isPadding(text, of: jpeg) ? nil : JPEGFlaw(description: text)
    }

    /// Whether the only problem is unneeded bytes before the end-of-image marker, as good cameras send them: up to a
    /// kilobyte of any values, or any number of one value. If the data are broken, more bytes are left over.
    private static func isPadding(_ text: String, of jpeg: RawSpan) -> Bool {
        guard let words = text.firstRange(of: " extraneous bytes before marker 0xd9"),
            let count = text[..<words.lowerBound].split(separator: " ").last.flatMap({ Int($0) })
        else { return false }
        guard count > 1024 else { return true }
        guard let end = JPEGStructure.check(jpeg).structure?.end, count <= end - 2 else { return false }
        let first = jpeg.byte(end - 2 - count)
        return (end - 2 - count..<end - 2).allSatisfy { jpeg.byte($0) == first }
    }

    /// After a header it could not read, TurboJPEG 2.1 would treat the next picture as the rest of it.
    private mutating func renew() throws(JPEGError) {
        guard let fresh = tjInitDecompress() else { throw .noMemory }
        tjDestroy(handle)
        handle = fresh
    }
}

/// Use the exact inverse transform, and reject pictures with excessive scans.
private let flags = TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS

/// Memory that grows as needed and is kept for reuse.
struct ScratchMemory: ~Copyable {
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit { memory.deallocate() }

    mutating func bytes(_ count: Int) -> UnsafeMutableRawBufferPointer {
        if memory.count < count {
            memory.deallocate()
            memory = .allocate(byteCount: count, alignment: 64)
        }
        return memory
    }
}
