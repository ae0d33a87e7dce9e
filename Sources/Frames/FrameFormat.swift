// SPDX-License-Identifier: MIT
// What a stream's frames are: pixel format, size, strides and colorimetry, as granted by the source.

/// Everything needed to read a frame's bytes. One format holds for a whole epoch of a stream.
///
/// A format can come from anywhere, a damaged file's header included: no property of it traps, whatever the numbers
/// (sums and products saturate), and `problem` says whether they make sense. Check that before touching bytes.
public struct FrameFormat: Hashable, Sendable {
    /// How the bytes stand for pixels.
    public var pixelFormat: PixelFormat
    /// Pixels across and down.
    public var size: FrameSize
    /// Bytes from one row of the first plane to the next (0 for compressed and opaque formats).
    public var bytesPerLine: Int
    /// The most bytes a frame can have; exactly what an uncompressed one has.
    public var byteCount: Int
    /// How the samples stand for colours.
    public var colorimetry: Colorimetry

    /// A format with strides as a driver granted them.
    public init(pixelFormat: PixelFormat, size: FrameSize, bytesPerLine: Int, byteCount: Int, colorimetry: Colorimetry)
    {
        self.pixelFormat = pixelFormat
        self.size = size
        self.bytesPerLine = bytesPerLine
        self.byteCount = byteCount
        self.colorimetry = colorimetry
    }

    /// A format without padding. A compressed or opaque frame is allowed two bytes a pixel and 64 KiB for headers.
    public init(pixelFormat: PixelFormat, size: FrameSize, colorimetry: Colorimetry? = nil) {
        let stride = pixelFormat.packedBytesPerLine(width: size.width)
        let usual: Colorimetry =
            switch pixelFormat.layout {
            case .jpeg: .jpeg
            case .rgb: .sRGB
            case .grey: .grey
            default: .webcam
            }
        self.init(
            pixelFormat: pixelFormat, size: size, bytesPerLine: stride, byteCount: 0, colorimetry: colorimetry ?? usual)
        byteCount = planes.map(\.end).max() ?? saturatingSum(saturatingProduct(2, size.area), 65536)
    }

    /// Where each plane lies, in the order Y', Cb, Cr (or Y' and pairs, or one); empty for compressed and opaque ones.
    /// A chroma sample at an odd edge serves the pixels that are there.
    public var planes: [Plane] {
        let (width, height) = (size.width, size.height)
        switch pixelFormat.layout {
        case .packed422, .grey, .rgb:
            return [
                Plane(
                    offset: 0, stride: bytesPerLine, rowBytes: pixelFormat.packedBytesPerLine(width: width),
                    rows: height)
            ]
        case .semiPlanar(let across, let down, _):
            let luma = Plane(offset: 0, stride: bytesPerLine, rowBytes: width, rows: height)
            let chroma = Plane(
                offset: luma.end, stride: saturatingProduct(2, ceilDivide(bytesPerLine, across)),
                rowBytes: saturatingProduct(2, ceilDivide(width, across)), rows: ceilDivide(height, down))
            return [luma, chroma]
        case .planar(let across, let down, let crFirst):
            let luma = Plane(offset: 0, stride: bytesPerLine, rowBytes: width, rows: height)
            let first = Plane(
                offset: luma.end, stride: ceilDivide(bytesPerLine, across), rowBytes: ceilDivide(width, across),
                rows: ceilDivide(height, down))
            var second = first
            second.offset = first.end
            return crFirst ? [luma, second, first] : [luma, first, second]
        case .jpeg, .opaque:
            return []
        }
    }

    /// The fewest bytes in which every pixel lies: the padding behind the last row need not be there. 0 where only the
    /// frame itself tells.
    public var neededBytes: Int { planes.map(\.usedEnd).max() ?? 0 }

    /// What is wrong with the numbers, for people; nil when every pixel lies within `byteCount` bytes.
    public var problem: String? {
        guard (1...65535).contains(size.width), (1...65535).contains(size.height) else {
            return "\(size) is no size of a picture"
        }
        guard (1...Self.mostBytes).contains(byteCount) else { return "a frame has no \(byteCount) bytes" }
        for plane in planes where plane.stride < plane.rowBytes {
            return "rows of \(plane.rowBytes) bytes do not lie \(plane.stride) bytes apart"
        }
        guard neededBytes <= byteCount else {
            return "\(size) \(pixelFormat) needs \(neededBytes) bytes, not \(byteCount)"
        }
        return nil
    }

    /// A picture of 65535x65535 cannot be handled; one of 16384x16384 in RGB can.
    private static let mostBytes = 1 << 30
}

/// A plane within a frame's bytes.
public struct Plane: Hashable, Sendable {
    /// Where the first row begins.
    public var offset: Int
    /// Bytes from one row to the next.
    public var stride: Int
    /// Bytes of a row that mean something.
    public var rowBytes: Int
    /// How many rows there are.
    public var rows: Int

    /// A plane whose rows begin at `offset`, `stride` bytes apart.
    public init(offset: Int, stride: Int, rowBytes: Int, rows: Int) {
        self.offset = offset
        self.stride = stride
        self.rowBytes = rowBytes
        self.rows = rows
    }

    /// Just past the plane's last row, padding included.
    public var end: Int { saturatingSum(offset, saturatingProduct(stride, rows)) }
    /// Just past the last byte that means something.
    public var usedEnd: Int {
        rows < 1 ? offset : saturatingSum(offset, saturatingSum(saturatingProduct(stride, rows - 1), rowBytes))
    }
}

extension PixelFormat {
    /// Bytes of a row of the first plane without padding; 0 for compressed and opaque formats.
    public func packedBytesPerLine(width: Int) -> Int {
        switch layout {
        case .packed422: saturatingProduct(4, ceilDivide(width, 2))
        case .semiPlanar, .planar, .grey: width
        case .rgb: saturatingProduct(3, width)
        case .jpeg, .opaque: 0
        }
    }
}

/// `a / b` rounded up, for a `b` above zero.
func ceilDivide(_ a: Int, _ b: Int) -> Int { a / b + (a % b > 0 ? 1 : 0) }

func saturatingSum(_ a: Int, _ b: Int) -> Int { Int(saturatingSum(Int64(a), Int64(b))) }

func saturatingProduct(_ a: Int, _ b: Int) -> Int {
    let (product, overflow) = a.multipliedReportingOverflow(by: b)
    return overflow ? ((a < 0) == (b < 0) ? .max : .min) : product
}
