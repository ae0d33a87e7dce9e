// SPDX-License-Identifier: MIT
// Converts frames of every format to planes of 8-bit samples without padding, as in .y4m files.

import Developing
import FrameFiles
import Frames
import JPEG

/// The chroma sampling of planes of 8-bit samples.
enum PlanarSampling: Hashable {
    case s420
    case s422
    case s444
    case grey

    /// The number of pixels that share a chroma sample, across and down; nil without chroma.
    var shared: (across: Int, down: Int)? {
        switch self {
        case .s420: (2, 2)
        case .s422: (2, 1)
        case .s444: (1, 1)
        case .grey: nil
        }
    }

    /// The planes of a picture, one after the other.
    func planes(_ size: FrameSize) -> [Plane] {
        let luma = Plane(offset: 0, stride: size.width, rowBytes: size.width, rows: size.height)
        guard let (across, down) = shared else { return [luma] }
        let width = (size.width + across - 1) / across
        let first = Plane(offset: luma.end, stride: width, rowBytes: width, rows: (size.height + down - 1) / down)
        var second = first
        second.offset = first.end
        return [luma, first, second]
    }
}

/// Copies frames' samples into planes: unchanged if frames are Y'CbCr; R'G'B' is converted by BT.601 in full range.
final class PlanarConverter {
    let format: FrameFormat
    let sampling: PlanarSampling
    /// The colorimetry of the samples.
    let colorimetry: Colorimetry
    /// The planes of the last frame.
    private(set) var samples: [UInt8]
    private let planes: [Plane]
    private let jpeg: JPEGPlanes?

    /// Creates a converter for frames of `format`. For JPEG frames, `first` determines the chroma sampling. Nil if
    /// `first` cannot be decoded.
    init?(_ format: FrameFormat, first: RawSpan) throws(FrameFileError) {
        let sampling: PlanarSampling
        var colorimetry = format.colorimetry
        var jpeg: JPEGPlanes?
        switch format.pixelFormat.layout {
        case .packed422: sampling = .s422
        case .semiPlanar(_, let down, _), .planar(_, let down, _): sampling = down == 2 ? .s420 : .s422
        case .grey: sampling = .grey
        case .rgb:
            sampling = .s444
            colorimetry = Colorimetry(
                range: .full, matrix: .bt601, transfer: colorimetry.transfer, primaries: colorimetry.primaries)
        case .jpeg:
            guard let planes = JPEGPlanes(first, format.size) else { return nil }
            sampling = planes.sampling
            jpeg = planes
        case .opaque:
            throw .badSettings(
                "\(format.pixelFormat) frames cannot be converted",
                hint: "keep them as they are: record to a .lcap file")
        }
        (self.format, self.sampling, self.colorimetry, self.jpeg) = (format, sampling, colorimetry, jpeg)
        planes = sampling.planes(format.size)
        samples = [UInt8](repeating: 0, count: planes.last!.end)
    }

    /// Converts a frame into `samples`. Returns false if it cannot be decoded.
    func convert(_ frame: RawSpan) -> Bool {
        guard frame.byteCount >= format.neededBytes else { return false }
        switch format.pixelFormat.layout {
        case .packed422(let luma, let cb, let cr): split(frame, luma, cb, cr)
        case .semiPlanar(_, _, let crFirst): splitPairs(frame, crFirst)
        case .planar, .grey: copyPlanes(frame, format.planes)
        case .rgb(let red, let blue): fromRGB(frame, red, blue, stride: format.planes[0].stride)
        case .jpeg: return fromJPEG(frame)
        case .opaque: return false
        }
        return true
    }

    private func copyPlanes(_ frame: RawSpan, _ places: [Plane]) {
        let planes = planes
        samples.withUnsafeMutableBytes { samples in
            frame.withUnsafeBytes { frame in
                for (place, plane) in zip(places, planes) {
                    for y in 0..<plane.rows {
                        let row = UnsafeRawBufferPointer(rebasing: frame[(place.offset + y * place.stride)...])
                        UnsafeMutableRawBufferPointer(rebasing: samples[(plane.offset + y * plane.stride)...])
                            .copyMemory(from: UnsafeRawBufferPointer(rebasing: row[..<plane.rowBytes]))
                    }
                }
            }
        }
    }

    private func split(_ frame: RawSpan, _ luma: Int, _ cb: Int, _ cr: Int) {
        let (planes, place) = (planes, format.planes[0])
        samples.withUnsafeMutableBytes { samples in
            frame.withUnsafeBytes { frame in
                for y in 0..<planes[0].rows {
                    let from = place.offset + y * place.stride
                    for x in 0..<planes[0].rowBytes { samples[y * planes[0].stride + x] = frame[from + luma + 2 * x] }
                    for x in 0..<planes[1].rowBytes {
                        samples[planes[1].offset + y * planes[1].stride + x] = frame[from + 4 * x + cb]
                        samples[planes[2].offset + y * planes[2].stride + x] = frame[from + 4 * x + cr]
                    }
                }
            }
        }
    }

    private func splitPairs(_ frame: RawSpan, _ crFirst: Bool) {
        let (planes, places) = (planes, format.planes)
        copyPlanes(frame, [places[0]])
        samples.withUnsafeMutableBytes { samples in
            frame.withUnsafeBytes { frame in
                for y in 0..<planes[1].rows {
                    let from = places[1].offset + y * places[1].stride
                    for x in 0..<planes[1].rowBytes {
                        samples[planes[1].offset + y * planes[1].stride + x] = frame[from + 2 * x + (crFirst ? 1 : 0)]
                        samples[planes[2].offset + y * planes[2].stride + x] = frame[from + 2 * x + (crFirst ? 0 : 1)]
                    }
                }
            }
        }
    }

    /// Converts R'G'B' by BT.601 in full range, as JFIF defines it, in 16.16 fixed point.
    private func fromRGB(_ frame: RawSpan, _ red: Int, _ blue: Int, stride: Int) {
        let (planes, size) = (planes, format.size)
        samples.withUnsafeMutableBytes { samples in
            frame.withUnsafeBytes { frame in
                for y in 0..<size.height {
                    for x in 0..<size.width {
                        let from = y * stride + 3 * x
                        let (r, g, b) = (Int(frame[from + red]), Int(frame[from + 1]), Int(frame[from + blue]))
                        let to = y * size.width + x
                        samples[to] = UInt8((19595 * r + 38470 * g + 7471 * b + 32768) >> 16)
                        samples[planes[1].offset + to] = level(-11059 * r - 21709 * g + 32768 * b)
                        samples[planes[2].offset + to] = level(32768 * r - 27439 * g - 5329 * b)
                    }
                }
            }
        }
    }

    private func fromJPEG(_ frame: RawSpan) -> Bool {
        guard let jpeg, let layout = jpeg.decode(frame) else { return false }
        let decoded = jpeg.memory
        if let layout {
            copyPlanes(decoded.span.bytes, layout.planes)
        } else {
            fromRGB(decoded.span.bytes, 0, 2, stride: 3 * format.size.width)
        }
        return true
    }
}

/// Rounds 16.16 fixed-point chroma to a sample centred on 128.
private func level(_ value: Int) -> UInt8 { UInt8(min(max((value + (128 << 16) + 32768) >> 16, 0), 255)) }

/// Decodes JPEG frames to planes; frames with a chroma sampling unknown here are decoded to R'G'B'.
private final class JPEGPlanes {
    let sampling: PlanarSampling
    private(set) var memory: [UInt8]
    private var decoder: JPEGDecoder
    private let size: FrameSize
    /// Nil for R'G'B'.
    private let layout: PlanarLayout?

    init?(_ first: RawSpan, _ size: FrameSize) {
        do throws(JPEGError) {
            var decoder = try JPEGDecoder()
            let header = try decoder.header(first)
            // Otherwise no frame of a stream that claims another size would be decoded; nothing is allocated for it.
            guard header.size == size else { return nil }
            let found = header.sampling
            let known: [ChromaSampling: PlanarSampling] = [.s420: .s420, .s422: .s422, .s444: .s444, .grey: .grey]
            sampling = known[found] ?? .s444
            layout = known[found] == nil ? nil : PlanarLayout(size: size, sampling: found)
            memory = [UInt8](repeating: 0, count: layout?.byteCount ?? 3 * size.area)
            self.decoder = decoder
            self.size = size
        } catch { return nil }
    }

    /// Decodes a frame into `memory`. The outer optional is nil if that fails, the inner one if the result is R'G'B'.
    func decode(_ frame: RawSpan) -> PlanarLayout?? {
        let (layout, size) = (layout, size)
        do throws(JPEGError) {
            let flaw = try memory.withUnsafeMutableBufferPointer { memory throws(JPEGError) in
                let memory = UnsafeMutableRawBufferPointer(memory)
                if let layout { return try decoder.decode(frame, to: layout, in: memory) }
                return try decoder.decodeRGB(frame, size: size, into: memory)
            }
            return flaw == nil ? .some(layout) : nil
        } catch { return nil }
    }
}
