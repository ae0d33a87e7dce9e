// SPDX-License-Identifier: MIT
// Frames as a fuser takes them: JPEG frames decoded to planes, all others as they are.

import Frames
import JPEG

/// Why a frame cannot be used, in words for people.
struct UnusableFrame: Error {
    let reason: String
}

/// Reads a stream's frames. What JPEG frames decode to is known once the first was looked at, and then holds: cameras do
/// not change how they sample chroma.
struct FrameReader {
    private let source: FrameFormat
    private let jpeg: JPEGFrames?

    init(_ source: FrameFormat) throws(PhotoError) {
        self.source = source
        do throws(JPEGError) {
            jpeg = source.pixelFormat.layout == .jpeg ? try JPEGFrames(source) : nil
        } catch { throw .unprocessed("there is no memory to decode frames") }
    }

    /// Whether reading a frame takes decoding it.
    var decodes: Bool { jpeg != nil }

    /// What `read` lends, judged by one of the frames; nil when that cannot be told or cannot be fused.
    func format(judging bytes: RawSpan) -> FrameFormat? {
        guard let jpeg else { return source }
        return jpeg.format(judging: bytes)
    }

    /// Lends a frame in the format that was judged.
    func read<Result>(
        _ bytes: RawSpan, _ body: (RawSpan) throws(UnusableFrame) -> Result
    ) throws(UnusableFrame) -> Result {
        guard let jpeg else { return try body(bytes) }
        try jpeg.decode(bytes)
        return try body(jpeg.decoded.span.bytes)
    }
}

/// Decodes JPEG frames to planar ones.
private final class JPEGFrames {
    private let source: FrameFormat
    private var decoder: JPEGDecoder
    private var layout: PlanarLayout?
    private var format: FrameFormat?
    /// As the codec lays planes out, where that is not how `format` does.
    private var planes: [UInt8] = []
    /// The last frame, as `format` lays planes out.
    private(set) var decoded: [UInt8] = []

    init(_ source: FrameFormat) throws(JPEGError) {
        self.source = source
        decoder = try JPEGDecoder()
    }

    func format(judging bytes: RawSpan) -> FrameFormat? {
        if let format { return format }
        guard let header = try? decoder.header(bytes), header.size == source.size,
            let pixelFormat = Self.pixelFormat(of: header.sampling),
            let layout = PlanarLayout(size: header.size, sampling: header.sampling)
        else { return nil }
        var colorimetry = source.colorimetry
        (colorimetry.range, colorimetry.matrix) = (.full, header.sampling == .grey ? .identity : .bt601)
        let format = FrameFormat(pixelFormat: pixelFormat, size: header.size, colorimetry: colorimetry)
        (self.layout, self.format) = (layout, format)
        planes = layout.planes == format.planes ? [] : [UInt8](repeating: 0, count: layout.byteCount)
        decoded = [UInt8](repeating: 0, count: format.byteCount)
        return format
    }

    /// What pictures sampled so become. A chroma sample a pixel is more than cameras see: two become one.
    private static func pixelFormat(of sampling: ChromaSampling) -> PixelFormat? {
        switch sampling {
        case .s422, .s444: .yuv422p
        case .s420: .i420
        case .grey: .grey
        case .s440, .s411: nil
        }
    }

    func decode(_ bytes: RawSpan) throws(UnusableFrame) {
        guard let layout, let format else { throw UnusableFrame(reason: "its chroma is sampled in a way not fused") }
        let flaw: JPEGFlaw?
        let isPlain = layout.planes == format.planes
        do throws(JPEGError) {
            flaw =
                isPlain
                ? try Self.decode(&decoder, bytes, layout, &decoded) : try Self.decode(&decoder, bytes, layout, &planes)
        } catch {
            throw UnusableFrame(reason: error.reason)
        }
        if let flaw { throw UnusableFrame(reason: "damaged JPEG: \(flaw.description)") }
        guard !isPlain else { return }
        for (index, (place, target)) in zip(layout.planes, format.planes).enumerated() {
            let halves = layout.sampling == .s444 && index > 0
            for row in 0..<target.rows {
                let (from, to) = (place.offset + row * place.stride, target.offset + row * target.stride)
                for x in 0..<target.rowBytes {
                    decoded[to + x] = halves ? Self.mean(planes, from, 2 * x, place.rowBytes) : planes[from + x]
                }
            }
        }
    }

    private static func mean(_ planes: [UInt8], _ row: Int, _ x: Int, _ width: Int) -> UInt8 {
        UInt8((Int(planes[row + x]) + Int(planes[row + min(x + 1, width - 1)]) + 1) / 2)
    }

    /// Apart from `self`, whose parts are lent one by one.
    private static func decode(
        _ decoder: inout JPEGDecoder, _ bytes: RawSpan, _ layout: PlanarLayout, _ planes: inout [UInt8]
    ) throws(JPEGError) -> JPEGFlaw? {
        var span = planes.mutableSpan
        return try span.withUnsafeMutableBytes { memory throws(JPEGError) in
            try decoder.decode(bytes, to: layout, in: memory)
        }
    }
}

extension JPEGError {
    /// For people.
    var reason: String {
        switch self {
        case .undecodable(let words), .unencodable(let words): "undecodable: \(words)"
        case .wrongSize(_, let found): "a picture of \(found)"
        case .wrongSampling: "its chroma is sampled otherwise"
        case .tooFewBytes, .noMemory: "no memory to decode it"
        }
    }
}
