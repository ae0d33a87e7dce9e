// SPDX-License-Identifier: MIT
// Converts frames to R'G'B' straight from the standards' equations: the reference for faster converters.

/// Converts uncompressed frames to 8-bit R'G'B', pixel by pixel in double precision. Too slow for live pictures: it
/// takes tens of nanoseconds per pixel, or a few hundred with constant luminance.
///
/// Chroma is not interpolated: each sample covers its block of pixels. Primaries and transfer stay those of the frame.
public struct PlainConverter: Sendable {
    /// The format of the frames to convert.
    public let format: FrameFormat
    private let planes: [Plane]
    private let decoder: ColorDecoder

    /// Creates a converter for frames of `format`; nil for compressed and opaque formats and for formats with a
    /// `problem`.
    public init?(_ format: FrameFormat) {
        guard format.problem == nil, !format.planes.isEmpty else { return nil }
        self.format = format
        planes = format.planes
        decoder = ColorDecoder(format.colorimetry)
    }

    /// The red, green and blue of every pixel, row by row without padding; nil if `frame` is too short.
    public func rgb24(_ frame: RawSpan) -> [UInt8]? {
        guard frame.byteCount >= format.neededBytes else { return nil }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(3 * format.size.area)
        for y in 0..<format.size.height {
            for x in 0..<format.size.width {
                let color = color(x, y, in: frame)
                pixels.append(level(color.red))
                pixels.append(level(color.green))
                pixels.append(level(color.blue))
            }
        }
        return pixels
    }

    /// The colour of the pixel at (`x`, `y`) from the top left. Components are in 0...1, or slightly outside where the
    /// samples are. Traps if the pixel is outside the picture or `frame` is too short.
    public func color(_ x: Int, _ y: Int, in frame: RawSpan) -> PlainColor {
        func sample(_ plane: Int, _ byte: Int, _ row: Int) -> Double {
            let offset = planes[plane].offset + row * planes[plane].stride + byte
            return Double(frame.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
        }
        precondition(
            (0..<format.size.width).contains(x) && (0..<format.size.height).contains(y)
                && frame.byteCount >= format.neededBytes, "a pixel of the frame")
        switch format.pixelFormat.layout {
        case .packed422(let luma, let cb, let cr):
            let pair = 4 * (x / 2)
            return decoder.color(
                luma: sample(0, pair + luma + 2 * (x % 2), y), cb: sample(0, pair + cb, y), cr: sample(0, pair + cr, y))
        case .semiPlanar(let across, let down, let crFirst):
            let (pair, row) = (2 * (x / across), y / down)
            let (first, second) = (sample(1, pair, row), sample(1, pair + 1, row))
            return decoder.color(
                luma: sample(0, x, y), cb: crFirst ? second : first, cr: crFirst ? first : second)
        case .planar(let across, let down, _):
            return decoder.color(
                luma: sample(0, x, y), cb: sample(1, x / across, y / down), cr: sample(2, x / across, y / down))
        case .grey:
            return decoder.grey(sample(0, x, y))
        case .rgb(let red, let blue):
            return decoder.rgb(
                red: sample(0, 3 * x + red, y), green: sample(0, 3 * x + 1, y), blue: sample(0, 3 * x + blue, y))
        case .jpeg, .opaque:
            preconditionFailure("such formats are refused when the converter is made")
        }
    }

    private func level(_ component: Double) -> UInt8 { UInt8((255 * min(max(component, 0), 1)).rounded()) }
}

/// A colour's gamma-encoded components, 0 to 1.
public struct PlainColor: Hashable, Sendable {
    /// R'.
    public var red: Double
    /// G'.
    public var green: Double
    /// B'.
    public var blue: Double

    /// Creates a colour from three components.
    public init(red: Double, green: Double, blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }
}
