// SPDX-License-Identifier: MIT
// Converts frames to what a fuser takes: JPEG frames are decoded to planes, all others stay as they are.

import Fusion
import LivecapFrames
import LivecapJPEG
import LivecapPictures

/// Why a frame cannot be used, in words for people.
package struct UnusableFrame: Error {
    package let reason: String

    init(reason: String) { self.reason = reason }
    init(_ flaw: JPEGFlaw) { reason = "damaged JPEG: \(flaw.description)" }
}

/// The format a stream's frames are fused as: their own, or what its JPEG frames decode to. It is judged once, by the
/// first frame that allows it, and then holds for all: cameras do not change how they sample chroma.
package struct FrameShape: Sendable {
    package let format: FrameFormat
    /// How the codec lays out the planes; nil for frames that need no decoding.
    let layout: PlanarLayout?

    /// The shape of raw frames; nil if they cannot be fused, or are JPEG frames.
    package init?(raw source: FrameFormat) {
        guard !source.pixelFormat.isJPEG, Fuser.takes(source) else { return nil }
        format = source
        layout = nil
    }

    /// The shape a JPEG frame decodes to; nil if it cannot be determined or fused.
    package init?(judging bytes: RawSpan, of source: FrameFormat, with decoder: inout JPEGDecoder) {
        guard let header = try? decoder.header(bytes), header.size == source.size,
            let pixelFormat = Self.pixelFormat(of: header.sampling),
            let layout = PlanarLayout(size: header.size, sampling: header.sampling)
        else { return nil }
        var colorimetry = source.colorimetry
        colorimetry.range = .full
        colorimetry.matrix = header.sampling == .grey ? .identity : .bt601
        format = FrameFormat(pixelFormat: pixelFormat, size: header.size, colorimetry: colorimetry)
        self.layout = layout
        guard Fuser.takes(format) else { return nil }
    }

    /// The pixel format for a chroma sampling. One chroma sample per pixel is more than cameras resolve, so pairs are
    /// averaged.
    private static func pixelFormat(of sampling: ChromaSampling) -> PixelFormat? {
        switch sampling {
        case .s422, .s444: .yuv422p
        case .s420: .i420
        case .grey: .grey
        case .s440, .s411: nil
        }
    }
}

/// Determines the shape of JPEG frames from their headers.
package final class FrameJudge {
    private var decoder: JPEGDecoder

    package init() throws(PhotoError) {
        do throws(JPEGError) { decoder = try JPEGDecoder() } catch {
            throw .unprocessed("there is no memory to decode frames")
        }
    }

    package func shape(of bytes: RawSpan, in source: FrameFormat) -> FrameShape? {
        FrameShape(judging: bytes, of: source, with: &decoder)
    }
}

/// Reads a stream's frames. Each worker has its own.
package final class FrameReader {
    private var decoder: JPEGDecoder
    /// Planes as the codec lays them out, if that differs from how frames are fused.
    private var planes: [UInt8] = []
    /// The last frame, in the format it is fused in.
    private var decoded: [UInt8] = []
    /// The last frame that was only checked, decoded at an eighth of its size.
    private var small: [UInt8] = []

    package init() throws(PhotoError) {
        do throws(JPEGError) { decoder = try JPEGDecoder() } catch {
            throw .unprocessed("there is no memory to decode frames")
        }
    }

    /// Calls `body` with the frame's bytes in the given shape.
    package func read<Result>(
        _ bytes: RawSpan, as shape: FrameShape, _ body: (RawSpan) throws(UnusableFrame) -> Result
    ) throws(UnusableFrame) -> Result {
        guard let layout = shape.layout else { return try body(bytes) }
        try decode(bytes, layout, as: shape.format)
        let frame = decoded
        return try body(frame.span.bytes)
    }

    /// Calls `body` with the bytes of a frame of a stream, in the given shape, which is decoded together with the
    /// stream's other readers.
    package func read<Result>(
        _ bytes: RawSpan, _ id: FrameID, by reader: PlaneReader, as shape: FrameShape,
        _ body: (RawSpan) throws(UnusableFrame) -> Result
    ) throws(UnusableFrame) -> Result {
        guard let layout = shape.layout else { return try body(bytes) }
        guard let planes = reader.read(bytes, id, as: PlaneShape(layout)) else {
            throw UnusableFrame(reason: "a JPEG that cannot be decoded")
        }
        guard layout.planes != shape.format.planes else { return try body(planes.bytes) }
        prepare(layout, as: shape.format)
        arrange(planes, layout, as: shape.format)
        let frame = decoded
        return try body(frame.span.bytes)
    }

    /// Why a JPEG frame of that size does not decode; nil if it does. All its data are read, but no picture is made.
    func flaw(in bytes: RawSpan, _ size: FrameSize) -> String? {
        if small.isEmpty { small = [UInt8](repeating: 0, count: JPEGDecoder.eighth(of: size).area) }
        do throws(JPEGError) {
            return try Self.look(&decoder, bytes: bytes, size: size, small: &small).map { UnusableFrame($0).reason }
        } catch { return error.reason }
    }

    /// Decodes a JPEG frame to planes.
    private func decode(_ bytes: RawSpan, _ layout: PlanarLayout, as format: FrameFormat) throws(UnusableFrame) {
        prepare(layout, as: format)
        let flaw: JPEGFlaw?
        let isPlain = layout.planes == format.planes
        do throws(JPEGError) {
            flaw =
                isPlain
                ? try Self.decode(&decoder, bytes: bytes, layout: layout, planes: &decoded)
                : try Self.decode(&decoder, bytes: bytes, layout: layout, planes: &planes)
        } catch {
            throw UnusableFrame(reason: error.reason)
        }
        if let flaw { throw UnusableFrame(flaw) }
        if !isPlain { planes.withUnsafeBytes { arrange($0, layout, as: format) } }
    }

    private func prepare(_ layout: PlanarLayout, as format: FrameFormat) {
        guard decoded.isEmpty else { return }
        planes = layout.planes == format.planes ? [] : [UInt8](repeating: 0, count: layout.byteCount)
        decoded = [UInt8](repeating: 0, count: format.byteCount)
    }

    /// Puts planes as the codec lays them out where frames to be fused have them.
    private func arrange(_ planes: UnsafeRawBufferPointer, _ layout: PlanarLayout, as format: FrameFormat) {
        for (index, (place, target)) in zip(layout.planes, format.planes).enumerated() {
            let halves = layout.sampling == .s444 && index > 0
            for row in 0..<target.rows {
                let (from, to) = (place.offset + row * place.stride, target.offset + row * target.stride)
                for x in 0..<target.rowBytes {
                    decoded[to + x] =
                        halves ? Self.mean(planes, row: from, x: 2 * x, width: place.rowBytes) : planes[from + x]
                }
            }
        }
    }

    private static func mean(_ planes: UnsafeRawBufferPointer, row: Int, x: Int, width: Int) -> UInt8 {
        let left = Int(planes[row + x])
        let right = Int(planes[row + min(x + 1, width - 1)])
        return UInt8((left + right + 1) / 2)
    }

    private static func look(
        _ decoder: inout JPEGDecoder, bytes: RawSpan, size: FrameSize, small: inout [UInt8]
    ) throws(JPEGError) -> JPEGFlaw? {
        var span = small.mutableSpan
        return try span.withUnsafeMutableBytes { memory throws(JPEGError) in
            try decoder.decodeGreyEighth(bytes, size: size, into: memory)
        }
    }

    /// Static, because parts of `self` are passed separately.
    private static func decode(
        _ decoder: inout JPEGDecoder, bytes: RawSpan, layout: PlanarLayout, planes: inout [UInt8]
    ) throws(JPEGError) -> JPEGFlaw? {
        var span = planes.mutableSpan
        return try span.withUnsafeMutableBytes { memory throws(JPEGError) in
            try decoder.decode(bytes, to: layout, in: memory)
        }
    }
}

extension JPEGError {
    /// The error in words for people.
    package var reason: String {
        switch self {
        case .undecodable(let words), .unencodable(let words): "undecodable: \(words)"
        case .wrongSize(_, let found): "a picture of \(found)"
        case .wrongSampling: "its chroma is sampled otherwise"
        case .tooFewBytes, .noMemory: "no memory to decode it"
        }
    }
}
