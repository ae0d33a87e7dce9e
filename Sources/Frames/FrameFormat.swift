// SPDX-License-Identifier: MIT
// The format of a stream's frames: pixel format, size, strides and colorimetry, as granted by the source.

/// Everything needed to read a frame's bytes. A format is constant within an epoch of a stream.
///
/// A format can come from anywhere, including the header of a damaged file. None of its properties trap, whatever the
/// numbers (sums and products saturate). Check that `problem` is nil before touching bytes.
public struct FrameFormat: Hashable, Codable, Sendable {
    /// How bytes map to pixels.
    public var pixelFormat: PixelFormat
    /// Width and height in pixels.
    public var size: FrameSize
    /// Bytes from one row of the first plane to the next (0 for compressed and unknown formats).
    public var bytesPerLine: Int
    /// The maximum size of a frame in bytes; for uncompressed formats, the exact size.
    public var byteCount: Int
    /// How samples map to colours.
    public var colorimetry: Colorimetry

    /// Creates a format with strides as granted by a driver.
    public init(pixelFormat: PixelFormat, size: FrameSize, bytesPerLine: Int, byteCount: Int, colorimetry: Colorimetry)
    {
        self.pixelFormat = pixelFormat
        self.size = size
        self.bytesPerLine = bytesPerLine
        self.byteCount = byteCount
        self.colorimetry = colorimetry
    }

    /// Creates a format without padding. Compressed and unknown frames are allowed two bytes per pixel plus 64 KiB for
    /// headers.
    public init(pixelFormat: PixelFormat, size: FrameSize, colorimetry: Colorimetry? = nil) {
        let stride = pixelFormat.packedBytesPerLine(width: size.width)
        let usual: Colorimetry =
            switch pixelFormat.samples?.model {
            case .rgb: .sRGB
            case .grey: .grey
            case .yCbCr: .webcam
            case nil: pixelFormat.isJPEG ? .jpeg : DepthLayout(pixelFormat) != nil ? .grey : .webcam
            }
        self.init(
            pixelFormat: pixelFormat, size: size, bytesPerLine: stride, byteCount: 0, colorimetry: colorimetry ?? usual)
        byteCount = planes.map(\.end).max() ?? saturatingSum(saturatingProduct(2, size.area), 65536)
    }

    /// The layout of the planes in the order Y', Cb, Cr (or Y' and interleaved chroma, or a single plane; or infrared
    /// and depth). Empty for compressed and unknown formats. Where the width or height is odd, the last chroma sample
    /// covers only the remaining pixels.
    public var planes: [Plane] {
        guard let samples = pixelFormat.samples else {
            return DepthLayout(pixelFormat)?.planes(of: size, bytesPerLine: bytesPerLine) ?? []
        }
        let luma = samples.component(0)
        var planes = [
            Plane(
                offset: 0, stride: bytesPerLine, rowBytes: samples.rowBytes(ofPlane: 0, width: size.width),
                rows: size.height)
        ]
        // Drivers state only the first plane's stride. Those of the others follow from it.
        for place in 1..<max(1, samples.planeCount) {
            let component = samples.component(place)
            planes.append(
                Plane(
                    offset: planes[place - 1].end,
                    stride: saturatingProduct(
                        component.step, ceilDivide(bytesPerLine, luma.step * component.across)),
                    rowBytes: samples.rowBytes(ofPlane: place, width: size.width),
                    rows: ceilDivide(size.height, component.down)))
        }
        if samples.isCrPlaneFirst { planes.swapAt(1, 2) }
        return planes
    }

    /// The minimum size that contains every pixel: padding after the last row may be absent. 0 for formats whose size
    /// only the frame itself reveals.
    public var neededBytes: Int { planes.map(\.usedEnd).max() ?? 0 }

    /// A description of what is inconsistent, for people; nil when every pixel lies within `byteCount` bytes.
    public var problem: String? {
        guard (1...65535).contains(size.width), (1...65535).contains(size.height) else {
            return "\(size) is no size of a picture"
        }
        guard (1...Self.maxBytes).contains(byteCount) else { return "a frame has no \(byteCount) bytes" }
        for plane in planes where plane.stride < plane.rowBytes {
            return "rows of \(plane.rowBytes) bytes do not lie \(plane.stride) bytes apart"
        }
        guard neededBytes <= byteCount else {
            return "\(size) \(pixelFormat) needs \(neededBytes) bytes, not \(byteCount)"
        }
        return nil
    }

    /// 1 GiB: enough for 16384x16384 pixels in RGB, but not for 65535x65535.
    private static let maxBytes = 1 << 30
}

/// The layout of one plane within a frame.
public struct Plane: Hashable, Codable, Sendable {
    /// Where the first row begins.
    public var offset: Int
    /// Bytes from one row to the next.
    public var stride: Int
    /// Bytes of a row that carry samples, without padding.
    public var rowBytes: Int
    /// How many rows there are.
    public var rows: Int

    /// Creates a plane whose rows begin at `offset`, `stride` bytes apart.
    public init(offset: Int, stride: Int, rowBytes: Int, rows: Int) {
        self.offset = offset
        self.stride = stride
        self.rowBytes = rowBytes
        self.rows = rows
    }

    /// The offset just past the plane's last row, including padding.
    public var end: Int { saturatingSum(offset, saturatingProduct(stride, rows)) }
    /// The offset just past the plane's last sample.
    public var usedEnd: Int {
        rows < 1 ? offset : saturatingSum(offset, saturatingSum(saturatingProduct(stride, rows - 1), rowBytes))
    }
}

extension PixelFormat {
    /// Bytes in an unpadded row of the first plane (of INZI, of both); 0 for compressed and unknown formats.
    public func packedBytesPerLine(width: Int) -> Int {
        samples?.rowBytes(ofPlane: 0, width: width) ?? DepthLayout(self)?.rowBytes(width: width) ?? 0
    }
}

/// `a / b` rounded up, for a `b` above zero.
func ceilDivide(_ a: Int, _ b: Int) -> Int { a / b + (a % b > 0 ? 1 : 0) }

func saturatingSum(_ a: Int, _ b: Int) -> Int {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? (b < 0 ? .min : .max) : sum
}

func saturatingProduct(_ a: Int, _ b: Int) -> Int {
    let (product, overflow) = a.multipliedReportingOverflow(by: b)
    return overflow ? ((a < 0) == (b < 0) ? .max : .min) : product
}
