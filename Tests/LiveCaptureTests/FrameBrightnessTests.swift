// SPDX-License-Identifier: MIT
// The brightness of frames in every layout and range, unaffected by chroma and padding.

import Glibc
import LivecapCFramePathProbe
import LivecapFrames
import LivecapJPEG
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite struct FrameBrightnessTests {
    private static let formats: [PixelFormat] = [
        .yuyv, .uyvy, .yvyu, .vyuy, .nv12, .nv21, .nv16, .i420, .yv12, .yuv422p, .grey, .rgb24, .bgr24,
    ]
    private let size = FrameSize(width: 96, height: 54)

    /// A frame whose brightness samples have the codes that `code` gives for their position. All other bytes
    /// are 255.
    private func frame(_ format: FrameFormat, _ code: (_ x: Int, _ y: Int) -> UInt8) -> [UInt8] {
        // Extreme chroma, which would show in a wrong result.
        var bytes = [UInt8](repeating: 255, count: format.byteCount)
        for y in 0..<format.size.height {
            for x in 0..<format.size.width {
                let grids = SampleGrid.all(of: format)
                for grid in format.pixelFormat.samples?.model == .rgb ? grids : [grids[0]] {
                    bytes[grid.offset(x, y)] = code(x, y)
                }
            }
        }
        return bytes
    }

    private func mean(_ bytes: [UInt8], _ format: FrameFormat) -> Double? {
        FrameBrightness(format)?.mean(of: bytes.span.bytes)
    }

    @Test("The brightness is the same in every layout and range, with or without padding", arguments: formats)
    func levels(_ pixelFormat: PixelFormat) throws {
        for range in [Colorimetry.Range.limited, .full] {
            var format = FrameFormat(pixelFormat: pixelFormat, size: size)
            format.colorimetry.range = range
            format.bytesPerLine += 32
            format.byteCount = format.planes.map(\.end).max()!
            let (black, white) = range == .full ? (0.0, 255.0) : (16.0, 235.0)
            for code in [0, 16, 100, 235, 255] as [UInt8] {
                let expected = min(max((Double(code) - black) / (white - black), 0), 1)
                let found = try #require(mean(frame(format) { _, _ in code }, format))
                #expect(abs(found - expected) < 1e-9, "\(code) \(range)")
            }
        }
    }

    @Test("A ramp has its exact mean, at large, odd and tiny sizes", arguments: formats)
    func ramps(_ pixelFormat: PixelFormat) throws {
        for size in [FrameSize(width: 256, height: 144), FrameSize(width: 101, height: 67)] {
            var format = FrameFormat(pixelFormat: pixelFormat, size: size)
            format.colorimetry.range = .full
            let rising = frame(format) { x, y in UInt8((x * 127 / (size.width - 1)) + (y * 128 / (size.height - 1))) }
            #expect(abs(try #require(mean(rising, format)) - 0.5) < 0.01)
        }
        var tiny = FrameFormat(pixelFormat: pixelFormat, size: FrameSize(width: 1, height: 1))
        tiny.colorimetry.range = .full
        #expect(mean(frame(tiny) { _, _ in 51 }, tiny) == 0.2)
    }

    @Test("Parts of a frame have the brightness of their pixels, each counting by its area", arguments: formats)
    func parts(_ pixelFormat: PixelFormat) throws {
        var format = FrameFormat(pixelFormat: pixelFormat, size: size)
        format.colorimetry.range = .full
        let bytes = frame(format) { x, y in x < 48 ? 51 : y < 27 ? 102 : 204 }
        let brightness = try #require(FrameBrightness(format))
        func mean(_ boxes: (x: Float, y: Float, width: Float, height: Float)...) -> Double? {
            brightness.mean(
                of: bytes.span.bytes,
                in: boxes.map {
                    PictureBox(origin: PicturePoint(x: $0.x, y: $0.y), width: $0.width, height: $0.height)
                })
        }
        #expect(mean((0, 0, 0.5, 1)) == 0.2)
        #expect(mean((0.75, 0.75, 0.5, 0.5)) == 0.8)
        let both = try #require(mean((0.5, 0, 0.5, 0.5), (0, 0, 0.25, 0.5)))
        #expect(abs(both - (2 * 0.4 + 0.2) / 3) < 1e-9)
        // One pixel.
        #expect(abs(try #require(mean((0.1, 0.1, 0.001, 0.001))) - 0.2) < 1e-9)
        #expect(mean((1.5, 0, 1, 1)) == nil && mean() == nil && mean((0, 0, 0, 1)) == nil)
        #expect(mean((1.5, 0, 1, 1), (0, 0, 0.5, 1)) == 0.2)
    }

    @Test("Black and white are so whatever the number of bits")
    func deepLevels() throws {
        let levels: [(PixelFormat, Colorimetry.Range, black: UInt16, white: UInt16)] = [
            (.y10, .full, 0, 1023), (.y12, .full, 0, 4095), (.p010, .full, 0, 1023 << 6),
            (.y16, .full, 0, 65535), (.y16, .limited, 4096, 60160),
            (.y10, .limited, 64, 940), (.y12, .limited, 256, 3760), (.p010, .limited, 64 << 6, 940 << 6),
        ]
        for (pixelFormat, range, black, white) in levels {
            var format = FrameFormat(pixelFormat: pixelFormat, size: size)
            format.colorimetry.range = range
            for (word, expected) in [(black, 0.0), (white, 1)] {
                let bytes = (0..<format.byteCount).map { UInt8(truncatingIfNeeded: $0 % 2 == 0 ? word : word >> 8) }
                #expect(abs(try #require(mean(bytes, format)) - expected) < 1e-9, "\(pixelFormat) \(range)")
            }
        }
    }

    @Test("Green is brighter than red, and red than blue, in either component order")
    func weights() throws {
        let expected = [54.0 / 256, 183.0 / 256, 19.0 / 256]
        for (pixelFormat, order) in [(PixelFormat.rgb24, [0, 1, 2]), (.bgr24, [2, 1, 0])] {
            let format = FrameFormat(pixelFormat: pixelFormat, size: size)
            for component in 0..<3 {
                var bytes = [UInt8](repeating: 0, count: format.byteCount)
                for place in stride(from: order[component], to: bytes.count, by: 3) { bytes[place] = 255 }
                #expect(abs(try #require(mean(bytes, format)) - expected[component]) < 1e-9)
            }
        }
    }

    @Test("A JPEG picture has the mean of its pixels, with any chroma sampling")
    func jpeg() throws {
        for size in [size, FrameSize(width: 319, height: 181)] {
            let pixels = (0..<size.area).flatMap { index -> [UInt8] in
                let level = UInt8(255 * (index % size.width) / max(size.width - 1, 1))
                return [level, level, level]
            }
            for sampling in [ChromaSampling.s422, .s420, .s444] {
                var encoder = try JPEGEncoder()
                let jpeg = try encoder.encodeRGB(
                    pixels.span.bytes, size: size, sampling: sampling, quality: 90
                ) { bytes in bytes.withUnsafeBytes { [UInt8]($0) } }
                let format = FrameFormat(pixelFormat: .mjpeg, size: size)
                #expect(abs(try #require(mean(jpeg, format)) - 0.5) < 0.01)
                #expect(mean(Array(jpeg[..<(jpeg.count / 2)]), format) == nil)
                #expect(mean([], format) == nil)
            }
        }
    }

    @Test("Opaque, impossible and truncated frames have no brightness")
    func unknown() {
        #expect(FrameBrightness(FrameFormat(pixelFormat: PixelFormat("H264"), size: size)) == nil)
        var format = FrameFormat(pixelFormat: .nv12, size: size)
        #expect(mean([UInt8](repeating: 9, count: format.neededBytes - 1), format) == nil)
        format.bytesPerLine = 3
        #expect(FrameBrightness(format) == nil)
    }

    @Test("Uncompressed frames are measured without an allocation", arguments: formats)
    func allocations(_ pixelFormat: PixelFormat) throws {
        let format = FrameFormat(pixelFormat: pixelFormat, size: size)
        let bytes = frame(format) { _, _ in 90 }
        let brightness = try #require(FrameBrightness(format))
        var sum = 0.0
        var counts = lc_probe_counts()
        let measured = lc_probe_start()
        for _ in 0..<10 { sum += brightness.mean(of: bytes.span.bytes) ?? 0 }
        lc_probe_stop(&counts)
        #expect(sum > 0)
        guard measured & Int32(LC_PROBE_HEAP) != 0 else {
            #expect(getenv("LIVECAP_SANITIZER") != nil, "the probe counts nothing, so nothing has been checked")
            return
        }
        #expect(counts.allocations == 0 && counts.frees == 0)
    }
}
