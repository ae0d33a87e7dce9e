// SPDX-License-Identifier: MIT
// Encodes one picture on several threads: strips are encoded separately and joined by restart markers.

import LivecapFrames

/// Encodes pictures in strips that threads can share. The file does not depend on the number of threads, and it decodes
/// to exactly the same pixels as a file encoded in one piece: strips end at restart markers, where the codec starts
/// anew anyway.
///
/// The encoder keeps its working memory, so that in steady use it allocates only the files. It encodes one picture at a
/// time.
package final class StripedJPEGEncoder {
    /// The position of one strip in the picture.
    package struct Strip: Hashable, Sendable {
        /// Its rows of pixels in the picture.
        package let rows: Range<Int>
        /// The layout of its planes. For a strip of R'G'B', it only gives the size and the chroma sampling.
        package let layout: PlanarLayout
    }

    /// Calls `body` for each of `count` strips, in any order and possibly in parallel, and returns when all are done.
    package typealias Threads = (_ count: Int, _ body: @Sendable (Int) -> Void) -> Void

    /// More strips would not distribute better, and each costs a few bytes of the file.
    private static let maxStrips = 8

    /// The working memory of a strip. `@unchecked`: only the thread that encodes the strip uses it, and the caller's
    /// thread after all are done.
    private final class Bench: @unchecked Sendable {
        var encoder: JPEGEncoder
        var samples = ScratchMemory()
        /// The strip, encoded as a picture of its own.
        var file: [UInt8] = []
        var failure: JPEGError?

        init() throws(JPEGError) { encoder = try JPEGEncoder() }

        func keep(_ picture: RawSpan) {
            file.removeAll(keepingCapacity: true)
            picture.withUnsafeBytes { file += $0 }
        }
    }
    private var benches: [Bench] = []

    /// Creates an encoder. Fails only if memory runs out.
    package init() throws(JPEGError) { benches = [try Bench()] }

    /// Encodes planes (full-range BT.601). `fill` writes each strip's planes according to its layout.
    package func encode(
        _ size: FrameSize, _ sampling: ChromaSampling, quality: Int, on threads: Threads,
        fill: @escaping @Sendable (Strip, UnsafeMutableRawBufferPointer) -> Void
    ) throws(JPEGError) -> [UInt8] {
        try joined(size, sampling, on: threads) { strip, bench throws(JPEGError) in
            let memory = bench.samples.bytes(strip.layout.byteCount)
            fill(strip, memory)
            try bench.encoder.encode(UnsafeRawBufferPointer(memory).bytes, layout: strip.layout, quality: quality) {
                bench.keep($0)
            }
        }
    }

    /// Encodes red, green and blue bytes, in rows without padding. `fill` writes each strip's rows.
    package func encodeRGB(
        _ size: FrameSize, _ sampling: ChromaSampling, quality: Int, on threads: Threads,
        fill: @escaping @Sendable (Strip, UnsafeMutableRawBufferPointer) -> Void
    ) throws(JPEGError) -> [UInt8] {
        try joined(size, sampling, on: threads) { strip, bench throws(JPEGError) in
            let memory = bench.samples.bytes(3 * strip.layout.size.area)
            fill(strip, memory)
            try bench.encoder.encodeRGB(
                UnsafeRawBufferPointer(memory).bytes, size: strip.layout.size, sampling: sampling, quality: quality
            ) { bench.keep($0) }
        }
    }

    private func joined(
        _ size: FrameSize, _ sampling: ChromaSampling, on threads: Threads,
        _ encode: @escaping @Sendable (Strip, Bench) throws(JPEGError) -> Void
    ) throws(JPEGError) -> [UInt8] {
        let (strips, units) = try Self.strips(of: size, sampling)
        let files = try encoded(strips, on: threads, encode)
        if let file = Self.join(files, height: size.height, restartInterval: units) { return file }
        // TurboJPEG reads environment variables that can make it code strips differently. In that case, encode a single
        // strip.
        let (whole, _) = try Self.strips(of: size, sampling, most: 1)
        guard whole.count == 1 else { throw .unencodable("the strips of a picture were not coded alike") }
        return try encoded(whole, on: threads, encode)[0]
    }

    /// Encodes each strip as a picture of its own.
    private func encoded(
        _ strips: [Strip], on threads: Threads,
        _ encode: @escaping @Sendable (Strip, Bench) throws(JPEGError) -> Void
    ) throws(JPEGError) -> [[UInt8]] {
        while benches.count < strips.count { benches.append(try Bench()) }
        let benches = benches
        threads(strips.count) { number in
            benches[number].failure = nil
            do throws(JPEGError) { try encode(strips[number], benches[number]) } catch {
                benches[number].failure = error
            }
        }
        for bench in benches[..<strips.count] { if let failure = bench.failure { throw failure } }
        return benches[..<strips.count].map(\.file)
    }

    /// Divides a picture into strips of equal height, except for the last, and returns the number of coding units in
    /// each.
    static func strips(
        of size: FrameSize, _ sampling: ChromaSampling, most: Int = maxStrips
    ) throws(JPEGError) -> (strips: [Strip], units: Int) {
        guard PlanarLayout(size: size, sampling: sampling) != nil else {
            throw .unencodable("\(size) is no size of a JPEG picture")
        }
        let unit = sampling.codingUnit
        let (across, down) = ((size.width - 1) / unit.width + 1, (size.height - 1) / unit.height + 1)
        // The restart interval has 16 bits.
        let unitRows = most == 1 ? down : max(min((down - 1) / most + 1, 65535 / across), 1)
        let height = unitRows * unit.height
        let strips = stride(from: 0, to: size.height, by: height).map { first in
            let rows = first..<min(first + height, size.height)
            let layout = PlanarLayout(size: FrameSize(width: size.width, height: rows.count), sampling: sampling)
            return Strip(rows: rows, layout: layout!)  // safe: not larger than the picture
        }
        return (strips, unitRows * across)
    }

    /// Joins strips: the first strip's header with the picture's height and the restart interval, then all strips'
    /// data. Nil if the strips differ in more than their height or are not sequential.
    static func join(_ files: [[UInt8]], height: Int, restartInterval: Int) -> [UInt8]? {
        guard files.count > 1 else { return files[0] }
        var common: [UInt8]?
        var file: [UInt8] = []
        file.reserveCapacity(files.reduce(16) { $0 + $1.count })
        for (number, strip) in files.enumerated() {
            guard let header = JPEGHeaderWalk.segments(of: strip.span.bytes) else { return nil }
            var start = Array(strip[..<header.scan.upperBound])
            (start[header.frame.lowerBound + 5], start[header.frame.lowerBound + 6]) = (0, 0)
            guard common == nil || common == start else { return nil }
            common = start
            if number == 0 {
                file += strip[..<header.scan.lowerBound]
                let place = header.frame.lowerBound + 5
                (file[place], file[place + 1]) = (UInt8(height >> 8), UInt8(height & 0xFF))
                file += [0xFF, 0xDD, 0, 4, UInt8(restartInterval >> 8), UInt8(restartInterval & 0xFF)]
                file += strip[header.scan]
            } else {
                file += [0xFF, 0xD0 + UInt8((number - 1) % 8)]
            }
            file += strip[header.scan.upperBound..<(strip.count - 2)]
        }
        return file + [0xFF, 0xD9]
    }
}

extension JPEGHeaderWalk {
    /// The extents of the frame header and the first scan's header, including markers; nil if there already is a
    /// restart interval.
    fileprivate static func segments(of jpeg: RawSpan) -> (frame: Range<Int>, scan: Range<Int>)? {
        var (place, frame): (Int, Range<Int>?) = (2, nil)
        while let (code, range) = segment(of: jpeg, from: place) {
            if code == 0xC0 { frame = range }
            if code == 0xDD { return nil }
            if code == 0xDA { return frame.map { ($0, range) } }
            place = range.upperBound
        }
        return nil
    }
}

extension ChromaSampling {
    /// The block of pixels that is coded as one unit.
    var codingUnit: FrameSize {
        switch self {
        case .s444, .grey: FrameSize(width: 8, height: 8)
        case .s422: FrameSize(width: 16, height: 8)
        case .s420: FrameSize(width: 16, height: 16)
        case .s440: FrameSize(width: 8, height: 16)
        case .s411: FrameSize(width: 32, height: 8)
        }
    }
}
