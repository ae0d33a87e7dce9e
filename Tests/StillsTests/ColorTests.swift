// SPDX-License-Identifier: MIT
// Colours: the conversion of known samples by every matrix and range, checked against the equations of the standards.

import Fusion
import LivecapFrames
import LivecapJPEG
import LivecapStills
import Testing

private let colorimetries: [Colorimetry] = Colorimetry.Matrix.allCases.flatMap { matrix in
    Colorimetry.Range.allCases.map { Colorimetry(range: $0, matrix: matrix) }
}

@Suite struct ColorTests {
    /// The red, green and blue bytes of a still after encoding to JPEG and decoding.
    private func throughJPEG(_ still: FusedPicture, quality: Int) throws -> [UInt8] {
        let encoder = try StripedJPEGEncoder()
        var decoder = try JPEGDecoder()
        let file = try encoder.encode(still, quality: quality)
        var pixels = [UInt8](repeating: 0, count: 3 * still.size.area)
        try pixels.withUnsafeMutableBytes { memory in
            _ = try decoder.decodeRGB(file.span.bytes, size: still.size, into: memory)
        }
        return pixels
    }

    @Test(arguments: colorimetries) func barsInPNGAreThoseOfTheEquations(colorimetry: Colorimetry) throws {
        for pixelFormat in [PixelFormat.yuyv, .i420] {
            let bars = try ColorBars(pixelFormat, colorimetry)
            let found = bars.middles(try ffmpegSamples(of: PNGEncoder(depth: .eight).encode(bars.still), as: "rgb24"))
            for (found, expected) in zip(found, bars.expected) { #expect(abs(Int(found) - Int(expected)) <= 1) }
        }
    }

    @Test(arguments: colorimetries) func barsInJPEGAreThoseOfTheEquations(colorimetry: Colorimetry) throws {
        for pixelFormat in [PixelFormat.yuyv, .i420] {
            let bars = try ColorBars(pixelFormat, colorimetry)
            let found = bars.middles(try throughJPEG(bars.still, quality: 100))
            for (found, expected) in zip(found, bars.expected) { #expect(abs(Int(found) - Int(expected)) <= 3) }
        }
    }

    @Test func chromaLiesAmidstItsPixels() throws {
        // A ramp of chroma remains a ramp: pixels between two samples lie a quarter and three quarters of the
        // way.
        let format = FrameFormat(pixelFormat: .i420, size: FrameSize(width: 32, height: 32), colorimetry: .jpeg)
        let still = try picture(format) { plane, x, y in
            plane == 0 ? 128 << 8 : plane == 1 ? 128 << 8 : UInt16((64 + 4 * x + 4 * y) << 8)
        }
        let found = words(try ffmpegSamples(of: PNGEncoder().encode(still), as: "rgb48le"))
        for y in 2..<30 {
            for x in 2..<30 {
                let chroma = 64 + 4 * (Double(x) - 0.5) / 2 + 4 * (Double(y) - 0.5) / 2 - 128
                let red = (128 + 1.402 * chroma) * 257
                #expect(abs(Double(found[3 * (32 * y + x)]) - min(max(red, 0), 65535)) <= 8)
            }
        }
    }

    @Test func oddSizesBecomeWholeJPEGs() throws {
        let size = FrameSize(width: 33, height: 17)
        for pixelFormat in [PixelFormat.yuyv, .nv12, .grey] {
            let still = try picture(FrameFormat(pixelFormat: pixelFormat, size: size, colorimetry: .jpeg)) {
                plane, _, _ in
                plane == 0 ? 200 << 8 : 128 << 8
            }
            let pixels = try throughJPEG(still, quality: 95)
            #expect(pixels.allSatisfy { $0 == 200 })
        }
    }
}
