// SPDX-License-Identifier: MIT
// Colours: what each matrix and range makes of known samples, against the standards' equations.

import Frames
import FusionKernels
import JPEG
import Stills
import Testing

/// Bars of eight colours at three quarters, as the samples of a colorimetry: found by asking the equations backwards.
private let levels: [(y: UInt8, cb: UInt8, cr: UInt8)] = [
    (180, 128, 128), (162, 44, 142), (131, 156, 44), (112, 72, 58), (84, 184, 198), (65, 100, 212), (35, 212, 114),
    (16, 128, 128),
]

private let colorimetries: [Colorimetry] = Colorimetry.Matrix.allCases.flatMap { matrix in
    Colorimetry.Range.allCases.map { Colorimetry(range: $0, matrix: matrix) }
}

@Suite struct ColorTests {
    private func bars(_ pixelFormat: PixelFormat, _ colorimetry: Colorimetry) throws -> (FusedPicture, [UInt8]) {
        let size = FrameSize(width: 128, height: 16)
        let format = FrameFormat(pixelFormat: pixelFormat, size: size, colorimetry: colorimetry)
        let still = try picture(format) { plane, x, _ in
            let level = levels[x / (plane == 0 ? 16 : 8)]
            return UInt16([level.y, level.cb, level.cr][plane]) << 8
        }
        let decoder = ColorDecoder(colorimetry)
        let expected = levels.flatMap { level in
            let color = decoder.color(luma: Double(level.y), cb: Double(level.cb), cr: Double(level.cr))
            return [color.red, color.green, color.blue].map { UInt8((255 * min(max($0, 0), 1)).rounded()) }
        }
        return (still, expected)
    }

    /// The middle of each bar, where no neighbour has a say.
    private func middles(_ pixels: [UInt8]) -> [UInt8] {
        (0..<8).flatMap { bar -> ArraySlice<UInt8> in
            let first = 3 * (8 * 128 + 16 * bar + 8)
            return pixels[first..<(first + 3)]
        }
    }

    /// The red, green and blue bytes of a still that was a JPEG picture in between.
    private func throughJPEG(_ still: FusedPicture, quality: Int) throws -> [UInt8] {
        var encoder = try JPEGEncoder()
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
            let (still, expected) = try bars(pixelFormat, colorimetry)
            let found = middles(try ffmpegSamples(of: PNGEncoder(depth: .eight).encode(still), as: "rgb24"))
            for (found, expected) in zip(found, expected) { #expect(abs(Int(found) - Int(expected)) <= 1) }
        }
    }

    @Test(arguments: colorimetries) func barsInJPEGAreThoseOfTheEquations(colorimetry: Colorimetry) throws {
        for pixelFormat in [PixelFormat.yuyv, .i420] {
            let (still, expected) = try bars(pixelFormat, colorimetry)
            let found = middles(try throughJPEG(still, quality: 100))
            for (found, expected) in zip(found, expected) { #expect(abs(Int(found) - Int(expected)) <= 3) }
        }
    }

    @Test func chromaLiesAmidstItsPixels() throws {
        // A ramp of chroma stays one: pixels between two samples lie a quarter and three quarters of the way.
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
