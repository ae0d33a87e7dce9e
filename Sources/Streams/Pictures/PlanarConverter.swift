// SPDX-License-Identifier: MIT
// Converts frames of every format to planes of 8-bit samples without padding, as in .y4m files.

import LivecapFrames
import LivecapJPEG

/// Copies frames' samples into planes: unchanged if frames are Y'CbCr of 8 bits, rounded if of more; R'G'B' is
/// converted by BT.601 in full range.
package final class PlanarConverter {
    private let format: FrameFormat
    /// The size of the planes' picture.
    package let size: FrameSize
    /// How many times smaller the planes are than the frames.
    package let shrink: Int
    /// The chroma sampling of the planes.
    package let sampling: PlanarSampling
    /// The colorimetry of the samples.
    package let colorimetry: Colorimetry
    /// The planes of the last frame.
    package private(set) var samples: [UInt8]
    /// Where the planes are in `samples`.
    package let planes: [Plane]
    private let grids: [SampleGrid]
    /// The offset of each component's first sample.
    private let firsts: [Int]
    /// The factor and the summand that convert each component's samples to codes.
    private let codes: [(scale: Double, offset: Double)]
    private let isRGB: Bool
    private let neededBytes: Int
    private let jpeg: JPEGPlanes?

    /// The colorimetry of the planes of frames of `format`.
    package static func colorimetry(of format: FrameFormat) -> Colorimetry {
        guard format.pixelFormat.samples?.model == .rgb else { return format.colorimetry }
        var result = format.colorimetry
        (result.range, result.matrix) = (.full, .bt601)
        return result
    }

    /// Creates a converter for frames of `format`. For JPEG frames, `first` determines the chroma sampling, and planes
    /// may have a half, a fourth or an eighth of the width and height, which is decoded faster. Nil if `first` cannot
    /// be decoded.
    package init?(_ format: FrameFormat, first: RawSpan, shrunkBy shrink: Int = 1) throws(PictureError) {
        let sampling: PlanarSampling
        var jpeg: JPEGPlanes?
        if let samples = format.pixelFormat.samples {
            switch samples.model {
            case .yCbCr:
                switch samples.subsampling {
                case (2, 2): sampling = .s420
                case (2, 1): sampling = .s422
                case (1, 1): sampling = .s444
                default: throw .unreadable(format.pixelFormat)
                }
            case .grey: sampling = .grey
            case .rgb: sampling = .s444
            }
        } else if format.pixelFormat.isJPEG {
            guard let planes = JPEGPlanes(first, format.size, shrunkBy: shrink) else { return nil }
            sampling = planes.sampling
            jpeg = planes
        } else {
            throw .unreadable(format.pixelFormat)
        }
        self.format = format
        self.sampling = sampling
        self.jpeg = jpeg
        size = jpeg?.size ?? format.size
        self.shrink = jpeg?.shrink ?? 1
        colorimetry = Self.colorimetry(of: format)
        let planes = sampling.planes(size)
        self.planes = planes
        grids = SampleGrid.all(of: format)
        firsts = grids.map { $0.offset(0, 0) }
        let range = colorimetry.range
        codes = grids.indices.map { format.pixelFormat.samples!.codes(ofComponent: $0, range) }
        neededBytes = format.neededBytes
        isRGB = format.pixelFormat.samples?.model == .rgb
        samples = [UInt8](repeating: 0, count: planes.last!.end)
    }

    /// Converts a frame into `samples`. Returns false if it cannot be decoded.
    package func convert(_ frame: RawSpan) -> Bool {
        guard frame.byteCount >= neededBytes else { return false }
        if jpeg != nil { return fromJPEG(frame) }
        if isRGB {
            fromRGB(frame, firsts, stride: grids[0].stride)
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
        let (planes, size) = (planes, size), (red, green, blue) = (offsets[0], offsets[1], offsets[2])
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
        guard let jpeg else { return false }
        // Planes of an even size are decoded in place.
        if jpeg.layout?.planes == planes { return jpeg.decode(frame, into: &samples) }
        guard jpeg.decode(frame) else { return false }
        if let layout = jpeg.layout {
            copyPlanes(jpeg.memory.span.bytes, layout.planes)
        } else {
            fromRGB(jpeg.memory.span.bytes, [0, 1, 2], stride: 3 * size.width)
        }
        return true
    }
}

/// Rounds 16.16 fixed-point chroma to a sample centred on 128.
private func level(_ value: Int) -> UInt8 { UInt8(min(max((value + (128 << 16) + 32768) >> 16, 0), 255)) }

/// Decodes JPEG frames to planes; frames with a chroma sampling unknown here are decoded to R'G'B'.
private final class JPEGPlanes {
    let sampling: PlanarSampling
    /// The size of the planes' picture.
    let size: FrameSize
    /// Nil for R'G'B'.
    let layout: PlanarLayout?
    /// What `decode` decoded.
    private(set) var memory: [UInt8] = []
    private var decoder: JPEGDecoder
    private let frames: FrameSize
    let shrink: Int

    init?(_ first: RawSpan, _ frames: FrameSize, shrunkBy shrink: Int) {
        do throws(JPEGError) {
            var decoder = try JPEGDecoder()
            let header = try decoder.header(first)
            // Otherwise no frame of a stream that claims another size would be decoded; nothing is allocated for it.
            guard header.size == frames else { return nil }
            let found = header.sampling
            let known: [ChromaSampling: PlanarSampling] = [.s420: .s420, .s422: .s422, .s444: .s444, .grey: .grey]
            sampling = known[found] ?? .s444
            // R'G'B' is always decoded in full.
            self.shrink = known[found] == nil ? 1 : shrink
            size = JPEGDecoder.size(frames, shrunkBy: self.shrink)
            layout = known[found] == nil ? nil : PlanarLayout(size: size, sampling: found)
            self.decoder = decoder
            self.frames = frames
        } catch { return nil }
    }

    /// Decodes a frame into `memory`. Returns false if that fails.
    func decode(_ frame: RawSpan) -> Bool {
        if memory.isEmpty { memory = [UInt8](repeating: 0, count: layout?.byteCount ?? 3 * size.area) }
        return decode(frame, into: &memory)
    }

    /// Decodes a frame into memory of the layout. Returns false if that fails.
    func decode(_ frame: RawSpan, into memory: inout [UInt8]) -> Bool {
        do throws(JPEGError) {
            let flaw = try memory.withUnsafeMutableBufferPointer { memory throws(JPEGError) in
                let memory = UnsafeMutableRawBufferPointer(memory)
                guard let layout else { return try decoder.decodeRGB(frame, size: frames, into: memory) }
                return try decoder.decode(frame, of: frames, shrunkBy: shrink, to: layout, in: memory)
            }
            return flaw == nil
        } catch { return false }
    }
}
