// SPDX-License-Identifier: MIT
// Converts frames to R'G'B' straight from the standards' equations: the reference for faster converters.

/// Converts uncompressed frames to 8-bit R'G'B', pixel by pixel in double precision. Too slow for live pictures: it
/// takes tens of nanoseconds per pixel, or a few hundred with constant luminance.
///
/// Chroma is not interpolated: each sample covers its block of pixels. Primaries and transfer stay those of the frame.
package struct PlainConverter: Sendable {
    /// The format of the frames to convert.
    package let format: FrameFormat
    private let samples: SampleLayout
    private let grids: [SampleGrid]
    private let codes: [(scale: Double, offset: Double)]
    private let decoder: ColorDecoder

    /// Creates a converter for frames of `format`; nil for compressed and unknown formats and for formats with a
    /// `problem`.
    package init?(_ format: FrameFormat) {
        guard format.problem == nil, let samples = format.pixelFormat.samples else { return nil }
        self.format = format
        self.samples = samples
        grids = SampleGrid.all(of: format)
        let decoder = ColorDecoder(format.colorimetry)
        codes = grids.indices.map { samples.codes(ofComponent: $0, decoder.range) }
        self.decoder = decoder
    }

    /// The red, green and blue of every pixel, row by row without padding; nil if `frame` is too short.
    package func rgb24(_ frame: RawSpan) -> [UInt8]? {
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
    package func color(_ x: Int, _ y: Int, in frame: RawSpan) -> PlainColor {
        precondition(
            (0..<format.size.width).contains(x) && (0..<format.size.height).contains(y)
                && frame.byteCount >= format.neededBytes, "a pixel of the frame")
        func sample(_ component: Int) -> Double {
            let grid = grids[component], (scale, offset) = codes[component]
            return Double(grid.sample(x / grid.across, y / grid.down, in: frame)) * scale + offset
        }
        switch samples.model {
        case .grey: return decoder.grey(sample(0))
        case .yCbCr: return decoder.color(luma: sample(0), cb: sample(1), cr: sample(2))
        case .rgb: return decoder.rgb(red: sample(0), green: sample(1), blue: sample(2))
        }
    }

    private func level(_ component: Double) -> UInt8 { UInt8((255 * min(max(component, 0), 1)).rounded()) }
}

/// A colour's gamma-encoded components, 0 to 1.
package struct PlainColor: Hashable, Sendable {
    /// R'.
    package var red: Double
    /// G'.
    package var green: Double
    /// B'.
    package var blue: Double

    /// Creates a colour from three components.
    package init(red: Double, green: Double, blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }
}
