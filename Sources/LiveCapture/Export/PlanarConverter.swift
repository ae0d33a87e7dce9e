// SPDX-License-Identifier: MIT
// Converts frames of every format to planes of 8-bit samples without padding, as in .y4m files.

import LivecapDeveloping
import LivecapFrameFiles
import LivecapFrames
import LivecapJPEG

/// The chroma sampling of planes of 8-bit samples.
package enum PlanarSampling: Hashable {
    case s420
    case s422
    case s444
    case grey

    /// The number of pixels that share a chroma sample, across and down; nil without chroma.
    package var shared: (across: Int, down: Int)? {
        switch self {
        case .s420: (2, 2)
        case .s422: (2, 1)
        case .s444: (1, 1)
        case .grey: nil
        }
    }

    /// The planes of a picture, one after the other.
    package func planes(_ size: FrameSize) -> [Plane] {
        let luma = Plane(offset: 0, stride: size.width, rowBytes: size.width, rows: size.height)
        guard let (across, down) = shared else { return [luma] }
        let width = (size.width + across - 1) / across
        let first = Plane(offset: luma.end, stride: width, rowBytes: width, rows: (size.height + down - 1) / down)
        var second = first
        second.offset = first.end
        return [luma, first, second]
    }
}

/// Copies frames' samples into planes: unchanged if frames are Y'CbCr of 8 bits, rounded if of more; R'G'B' is
/// converted by BT.601 in full range.
package final class PlanarConverter {
    let format: FrameFormat
    /// The chroma sampling of the planes.
    package let sampling: PlanarSampling
    /// The colorimetry of the samples.
    package let colorimetry: Colorimetry
    /// The planes of the last frame.
    package private(set) var samples: [UInt8]
    private let planes: [Plane]
    private let grids: [SampleGrid]
    /// The factor and the summand that convert each component's samples to codes.
    private let codes: [(scale: Double, offset: Double)]
    private let isRGB: Bool
    private let jpeg: JPEGPlanes?

    /// Creates a converter for frames of `format`. For JPEG frames, `first` determines the chroma sampling. Nil if
    /// `first` cannot be decoded.
    package init?(_ format: FrameFormat, first: RawSpan) throws(FrameFileError) {
        let sampling: PlanarSampling
        var colorimetry = format.colorimetry
        var jpeg: JPEGPlanes?
        if let samples = format.pixelFormat.samples {
            switch samples.model {
            case .yCbCr:
                switch samples.subsampling {
                case (2, 2): sampling = .s420
                case (2, 1): sampling = .s422
                case (1, 1): sampling = .s444
                default:
                    throw .badSettings(
                        "\(format.pixelFormat) frames cannot be written for other programs",
                        hint: "keep them unchanged: record to a .lcap file")
                }
            case .grey: sampling = .grey
            case .rgb:
                sampling = .s444
                colorimetry = Colorimetry(
                    range: .full, matrix: .bt601, transfer: colorimetry.transfer, primaries: colorimetry.primaries)
            }
        } else if format.pixelFormat.isJPEG {
            guard let planes = JPEGPlanes(first, format.size) else { return nil }
            sampling = planes.sampling
            jpeg = planes
        } else {
            throw .badSettings(
                "\(format.pixelFormat) frames cannot be converted",
                hint: "keep them unchanged: record to a .lcap file")
        }
        (self.format, self.sampling, self.colorimetry, self.jpeg) = (format, sampling, colorimetry, jpeg)
        planes = sampling.planes(format.size)
        grids = SampleGrid.all(of: format)
        codes = grids.indices.map { format.pixelFormat.samples!.codes(ofComponent: $0, colorimetry.range) }
        isRGB = format.pixelFormat.samples?.model == .rgb
        samples = [UInt8](repeating: 0, count: planes.last!.end)
    }

    /// Converts a frame into `samples`. Returns false if it cannot be decoded.
    package func convert(_ frame: RawSpan) -> Bool {
        guard frame.byteCount >= format.neededBytes else { return false }
        if jpeg != nil { return fromJPEG(frame) }
        if isRGB {
            fromRGB(frame, grids.map { $0.offset(0, 0) }, stride: grids[0].stride)
        } else {
            split(frame)
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

    /// Separates the components. Samples of more than 8 bits are rounded.
    private func split(_ frame: RawSpan) {
        samples.withUnsafeMutableBytes { samples in
            frame.withUnsafeBytes { frame in
                for (place, (grid, plane)) in zip(grids, planes).enumerated() {
                    for y in 0..<plane.rows {
                        let (from, to) = (grid.offset(0, y), plane.offset + y * plane.stride)
                        if grid.sampleBytes == 2 {
                            let (scale, offset) = codes[place]
                            for x in 0..<plane.rowBytes {
                                let code = Double(grid.sample(x, y, in: frame.baseAddress!)) * scale + offset
                                samples[to + x] = UInt8(min(max(code.rounded(), 0), 255))
                            }
                        } else if grid.step == 1 {
                            let row = UnsafeRawBufferPointer(rebasing: frame[from..<(from + plane.rowBytes)])
                            UnsafeMutableRawBufferPointer(rebasing: samples[to...]).copyMemory(from: row)
                        } else {
                            for x in 0..<plane.rowBytes { samples[to + x] = frame[from + grid.step * x] }
                        }
                    }
                }
            }
        }
    }

    /// Converts R'G'B' by BT.601 in full range, as JFIF defines it, in 16.16 fixed point.
    private func fromRGB(_ frame: RawSpan, _ offsets: [Int], stride: Int) {
        let (planes, size) = (planes, format.size), (red, green, blue) = (offsets[0], offsets[1], offsets[2])
        samples.withUnsafeMutableBytes { samples in
            frame.withUnsafeBytes { frame in
                for y in 0..<size.height {
                    for x in 0..<size.width {
                        let from = y * stride + 3 * x
                        let (r, g, b) = (Int(frame[from + red]), Int(frame[from + green]), Int(frame[from + blue]))
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
            fromRGB(decoded.span.bytes, [0, 1, 2], stride: 3 * format.size.width)
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
