// SPDX-License-Identifier: MIT
// What a stream's frames are: pixel format, size, strides and colorimetry, as granted by the source.

/// Everything needed to read a frame's bytes. One format holds for a whole epoch of a stream.
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
            default: .webcam
            }
        self.init(
            pixelFormat: pixelFormat, size: size, bytesPerLine: stride, byteCount: 0, colorimetry: colorimetry ?? usual)
        byteCount = planes.map(\.end).max() ?? (2 * size.area + 65536)
    }

    /// Where each plane lies, in the order Y', Cb, Cr (or Y' and pairs, or one); empty for compressed and opaque ones.
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
            let chromaStride = bytesPerLine * 2 / across
            let chroma = Plane(
                offset: bytesPerLine * height, stride: chromaStride, rowBytes: 2 * ceilDivide(width, across),
                rows: ceilDivide(height, down))
            return [luma, chroma]
        case .planar(let across, let down, let crFirst):
            let luma = Plane(offset: 0, stride: bytesPerLine, rowBytes: width, rows: height)
            let (stride, rows) = (ceilDivide(bytesPerLine, across), ceilDivide(height, down))
            let first = Plane(
                offset: bytesPerLine * height, stride: stride, rowBytes: ceilDivide(width, across), rows: rows)
            var second = first
            second.offset += stride * rows
            return crFirst ? [luma, second, first] : [luma, first, second]
        case .jpeg, .opaque:
            return []
        }
    }
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

    /// Just past the plane's last row, padding included.
    public var end: Int { offset + stride * rows }
}

extension PixelFormat {
    /// Bytes of a row of the first plane without padding; 0 for compressed and opaque formats.
    public func packedBytesPerLine(width: Int) -> Int {
        switch layout {
        case .packed422: 4 * ceilDivide(width, 2)
        case .semiPlanar(let across, _, _): across * ceilDivide(width, across)
        case .planar(let across, _, _): across * ceilDivide(width, across)
        case .grey: width
        case .rgb: 3 * width
        case .jpeg, .opaque: 0
        }
    }
}

func ceilDivide(_ a: Int, _ b: Int) -> Int { (a + b - 1) / b }
