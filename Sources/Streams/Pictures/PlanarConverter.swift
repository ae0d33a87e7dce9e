// SPDX-License-Identifier: MIT
// Converts frames of every format to planes of 8-bit samples without padding, as in .y4m files.

import LivecapFrames

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
    /// Where the planes are in the samples.
    package let planes: [Plane]
    private let grids: [SampleGrid]
    /// The offset of each component's first sample.
    private let firsts: [Int]
    /// The factor and the summand that convert each component's samples to codes.
    private let codes: [(scale: Double, offset: Double)]
    private let isRGB: Bool
    private let neededBytes: Int
    /// How JPEG frames are decoded, and who does it.
    private let jpeg: PlaneShape?
    private let reader: PlaneReader
    /// The last frame's samples, where they are not those of `decoded`.
    private var converted: [UInt8]
    /// The last frame as it was decoded, if that needs no conversion.
    private var decoded: UnsafeRawBufferPointer?

    /// The colorimetry of the planes of frames of `format`.
    package static func colorimetry(of format: FrameFormat) -> Colorimetry {
        guard format.pixelFormat.samples?.model == .rgb else { return format.colorimetry }
        var result = format.colorimetry
        (result.range, result.matrix) = (.full, .bt601)
        return result
    }

    /// Creates a converter for frames of `format`. For JPEG frames, `first` determines the chroma sampling, and planes
    /// may have a half, a fourth or an eighth of the width and height, which is decoded faster. Nil if `first` cannot
    /// be decoded. `reader` decodes JPEG frames, by default one of its own.
    package init?(
        _ format: FrameFormat, first: RawSpan, shrunkBy shrink: Int = 1, by reader: PlaneReader? = nil
    ) throws(PictureError) {
        let sampling: PlanarSampling
        var jpeg: PlaneShape?
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
            guard let shape = PlaneShape(like: first, format.size, shrunkBy: shrink) else { return nil }
            sampling = shape.sampling
            jpeg = shape
        } else {
            throw .unreadable(format.pixelFormat)
        }
        self.format = format
        self.sampling = sampling
        self.jpeg = jpeg
        self.reader = reader ?? PlaneReader(shrunkBy: shrink)
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
        // Planes of an even size are used as they were decoded.
        let isConverted = jpeg == nil || jpeg?.layout?.planes != planes
        converted = [UInt8](repeating: 0, count: isConverted ? planes.last!.end : 0)
    }

    /// The JPEG frames that follow are of the stream of `planes`.
    package func follow(_ planes: SharedPlanes?) {
        decoded = nil
        reader.follow(planes)
    }

    /// Calls `body` with the planes of the last frame, one after the other.
    package func withSamples<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if let decoded { return try body(decoded) }
        precondition(!converted.isEmpty, "a frame was converted")
        let samples = converted
        return try samples.span.bytes.withUnsafeBytes { (samples) throws(Failure) in try body(samples) }
    }

    /// Takes the next frame. Returns false if it cannot be decoded. One without an `id` is not shared with other
    /// readers of its stream.
    package func convert(_ frame: RawSpan, _ id: FrameID? = nil) -> Bool {
        decoded = nil
        guard frame.byteCount >= neededBytes else { return false }
        if let jpeg { return fromJPEG(frame, id, as: jpeg) }
        if isRGB {
            fromRGB(frame, firsts, stride: grids[0].stride)
        } else {
            split(frame)
        }
        return true
    }

    private func copyPlanes(_ frame: RawSpan, _ places: [Plane]) {
        let planes = planes
        converted.withUnsafeMutableBytes { samples in
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
        converted.withUnsafeMutableBytes { samples in
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
        converted.withUnsafeMutableBytes { samples in
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

    private func fromJPEG(_ frame: RawSpan, _ id: FrameID?, as shape: PlaneShape) -> Bool {
        guard let samples = reader.read(frame, id, as: shape) else { return false }
        guard let layout = shape.layout else {
            fromRGB(samples.bytes, [0, 1, 2], stride: 3 * size.width)
            return true
        }
        if layout.planes == planes { decoded = samples } else { copyPlanes(samples.bytes, layout.planes) }
        return true
    }
}

/// Rounds 16.16 fixed-point chroma to a sample centred on 128.
private func level(_ value: Int) -> UInt8 { UInt8(min(max((value + (128 << 16) + 32768) >> 16, 0), 255)) }
