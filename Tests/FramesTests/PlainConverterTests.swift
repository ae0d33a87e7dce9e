// SPDX-License-Identifier: MIT
// The plain converter, checked against the encoding equations of the standards in every layout, range and matrix.

import Glibc
import Testing

@testable import LivecapFrames

/// Encodes R'G'B' as 8-bit samples, rounded, by the equations the standards give for cameras.
private func encode(_ rgb: [Double], _ colorimetry: Colorimetry) -> [UInt8] {
    let extended = colorimetry.matrix == .xv601 || colorimetry.matrix == .xv709
    let full = colorimetry.range == .full && !extended
    let (r, g, b) = (rgb[0], rgb[1], rgb[2])
    var (y, cb, cr) = (0.0, 0.0, 0.0)
    switch colorimetry.matrix {
    case .identity, .bt601, .xv601:
        y = 0.299 * r + 0.587 * g + 0.114 * b
        (cb, cr) = ((b - y) / 1.772, (r - y) / 1.402)
    case .bt709, .xv709:
        y = 0.2126 * r + 0.7152 * g + 0.0722 * b
        (cb, cr) = ((b - y) / 1.8556, (r - y) / 1.5748)
    case .bt2020:
        y = 0.2627 * r + 0.6780 * g + 0.0593 * b
        (cb, cr) = ((b - y) / 1.8814, (r - y) / 1.4746)
    case .smpte240m:
        y = 0.212 * r + 0.701 * g + 0.087 * b
        (cb, cr) = ((b - y) / 1.826, (r - y) / 1.576)
    case .bt2020ConstantLuminance:
        func linear(_ v: Double) -> Double { v < 0.081 ? v / 4.5 : pow((v + 0.099) / 1.099, 1 / 0.45) }
        let light = 0.2627 * linear(r) + 0.6780 * linear(g) + 0.0593 * linear(b)
        y = light < 0.018 ? 4.5 * light : 1.099 * pow(light, 0.45) - 0.099
        cb = (b - y) / (b <= y ? 1.9404 : 1.5816)
        cr = (r - y) / (r <= y ? 1.7184 : 0.9936)
    }
    func byte(_ v: Double) -> UInt8 { UInt8(min(max(v.rounded(), 0), 255)) }
    return full
        ? [byte(255 * y), byte(128 + 255 * cb), byte(128 + 255 * cr)]
        : [byte(16 + 219 * y), byte(128 + 224 * cb), byte(128 + 224 * cr)]
}

private let bars: [[Double]] = [
    [1, 1, 1], [1, 1, 0], [0, 1, 1], [0, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 0, 0],
    [0.75, 0.25, 0.5], [0.1, 0.6, 0.3], [0.5, 0.5, 0.5], [0.02, 0.03, 0.9],
]

private func frame(_ format: FrameFormat, filledWith samples: [UInt8]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xA5, count: format.byteCount)
    for y in 0..<format.size.height {
        for x in 0..<format.size.width {
            let (luma, cb, cr) = (samples[0], samples[1], samples[2])
            let planes = format.planes
            switch format.pixelFormat.description {
            case "YUYV": bytes[y * planes[0].stride + 2 * x] = luma
            case "YVYU": bytes[y * planes[0].stride + 2 * x] = luma
            case "UYVY", "VYUY": bytes[y * planes[0].stride + 2 * x + 1] = luma
            default: bytes[y * planes[0].stride + x] = luma
            }
            func put(_ plane: Int, _ byte: Int, _ row: Int, _ value: UInt8) {
                bytes[planes[plane].offset + row * planes[plane].stride + byte] = value
            }
            switch format.pixelFormat.description {
            case "YUYV": put(0, x / 2 * 4 + 1, y, cb); put(0, x / 2 * 4 + 3, y, cr)
            case "YVYU": put(0, x / 2 * 4 + 1, y, cr); put(0, x / 2 * 4 + 3, y, cb)
            case "UYVY": put(0, x / 2 * 4, y, cb); put(0, x / 2 * 4 + 2, y, cr)
            case "VYUY": put(0, x / 2 * 4, y, cr); put(0, x / 2 * 4 + 2, y, cb)
            case "NV12": put(1, x / 2 * 2, y / 2, cb); put(1, x / 2 * 2 + 1, y / 2, cr)
            case "NV21": put(1, x / 2 * 2, y / 2, cr); put(1, x / 2 * 2 + 1, y / 2, cb)
            case "NV16": put(1, x / 2 * 2, y, cb); put(1, x / 2 * 2 + 1, y, cr)
            case "I420", "YV12": put(1, x / 2, y / 2, cb); put(2, x / 2, y / 2, cr)
            case "YUV422P": put(1, x / 2, y, cb); put(2, x / 2, y, cr)
            default: Issue.record("no layout for \(format.pixelFormat)")
            }
        }
    }
    return bytes
}

private func convert(_ bytes: [UInt8], _ format: FrameFormat) -> [UInt8]? {
    PlainConverter(format)?.rgb24(bytes.span.bytes)
}

private let chromatic: [PixelFormat] = [.yuyv, .uyvy, .yvyu, .vyuy, .nv12, .nv21, .nv16, .i420, .yv12, .yuv422p]

@Suite struct PlainConverterTests {
    @Test("Words of 10 and 12 bits are black, white and colours where their codes are")
    func deepSamples() throws {
        func words(_ words: [UInt16]) -> [UInt8] { words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] } }
        let pair = FrameSize(width: 2, height: 2)
        let grey = FrameFormat(pixelFormat: .y12, size: FrameSize(width: 3, height: 1))
        #expect(convert(words([0, 2048, 4095]), grey) == [0, 0, 0, 128, 128, 128, 255, 255, 255])
        // Bits beyond the format's own mean nothing.
        let ten = FrameFormat(pixelFormat: .y10, size: FrameSize(width: 2, height: 1))
        #expect(convert(words([0xFC00, 0xFFFF]), ten) == [0, 0, 0, 255, 255, 255])
        // Red in limited BT.601 is Y' 81.48, Cb 90.2, Cr 240.
        let red = [UInt16(326), 326, 326, 326, 361, 960].map { $0 << 6 }
        let pixels = try #require(convert(words(red), FrameFormat(pixelFormat: .p010, size: pair)))
        #expect(zip(pixels, [255, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0]).allSatisfy { abs(Int($0) - $1) <= 1 })
        // In full range, too, neutral chroma is half of the samples.
        var full = FrameFormat(pixelFormat: .p010, size: pair)
        full.colorimetry.range = .full
        let white = [UInt16(1023), 1023, 1023, 1023, 512, 512].map { $0 << 6 }
        #expect(convert(words(white), full) == Array(repeating: 255, count: 12))
    }

    @Test("Encoded colours survive a round trip", arguments: Colorimetry.Range.allCases, Colorimetry.Matrix.allCases)
    func roundTrip(_ range: Colorimetry.Range, _ matrix: Colorimetry.Matrix) throws {
        let colorimetry = Colorimetry(range: range, matrix: matrix)
        let format = FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 2, height: 1), colorimetry: colorimetry)
        for bar in bars {
            let samples = encode(bar, colorimetry)
            let rgb = try #require(convert(frame(format, filledWith: samples), format))
            for component in 0..<6 {
                // Rounding errs by half a level in luma and in chroma, the latter amplified up to twice. With constant
                // luminance, a green near black depends on the steep end of the transfer function.
                let error = abs(Double(rgb[component]) - 255 * bar[component % 3])
                let isSteep = matrix == .bt2020ConstantLuminance && component % 3 == 1 && bar[1] < 0.1
                #expect(error <= (isSteep ? 9 : 2), "\(bar) as \(samples) came back as \(rgb)")
            }
        }
    }

    @Test("Known triples of limited BT.601 and BT.709")
    func knownValues() throws {
        // Widely published values for 100 % red.
        for (matrix, samples) in [(Colorimetry.Matrix.bt601, [81, 90, 240]), (.bt709, [63, 102, 240])] {
            let format = FrameFormat(
                pixelFormat: .yuv422p, size: FrameSize(width: 2, height: 1),
                colorimetry: Colorimetry(range: .limited, matrix: matrix))
            let bytes = [samples[0], samples[0], samples[1], samples[2]].map { UInt8($0) }
            let rgb = try #require(convert(bytes, format))
            #expect(rgb[0] >= 253 && rgb[1] <= 2 && rgb[2] <= 2, "\(matrix): \(rgb)")
        }
    }

    @Test("Every layout at odd sizes and with padded rows", arguments: chromatic)
    func layouts(_ pixelFormat: PixelFormat) throws {
        for size in [FrameSize(width: 5, height: 3), FrameSize(width: 1, height: 1), FrameSize(width: 8, height: 4)] {
            for padding in [0, 6] {
                var format = FrameFormat(pixelFormat: pixelFormat, size: size, colorimetry: .jpeg)
                format.bytesPerLine += padding
                format.byteCount = format.planes.map(\.end).max()!
                let bytes = frame(format, filledWith: encode([0.8, 0.4, 0.2], .jpeg))
                let rgb = try #require(convert(bytes, format))
                #expect(rgb.count == 3 * size.area)
                for (index, value) in rgb.enumerated() {
                    #expect(abs(Int(value) - [204, 102, 51][index % 3]) <= 2)
                }
            }
        }
    }

    @Test("Neighbouring pixels keep their own luma and share chroma")
    func positions() throws {
        let format = FrameFormat(pixelFormat: .uyvy, size: FrameSize(width: 3, height: 1), colorimetry: .jpeg)
        let bytes: [UInt8] = [128, 10, 128, 20, 128, 30, 128, 40]
        #expect(convert(bytes, format) == [10, 10, 10, 20, 20, 20, 30, 30, 30])
    }

    @Test("RGB and BGR, full and limited")
    func components() throws {
        let size = FrameSize(width: 1, height: 1)
        let bytes: [UInt8] = [16, 126, 235]
        func converted(_ pixelFormat: PixelFormat, _ range: Colorimetry.Range) -> [UInt8]? {
            let colorimetry = Colorimetry(range: range, matrix: .identity)
            let format = FrameFormat(pixelFormat: pixelFormat, size: size, colorimetry: colorimetry)
            return convert(bytes, format)
        }
        #expect(converted(.rgb24, .full) == [16, 126, 235])
        #expect(converted(.bgr24, .full) == [235, 126, 16])
        #expect(converted(.rgb24, .limited) == [0, 128, 255])
        #expect(converted(.bgr24, .limited) == [255, 128, 0])
    }

    @Test("Grey follows its range")
    func grey() {
        let size = FrameSize(width: 2, height: 1)
        let bytes: [UInt8] = [16, 235]
        let full = FrameFormat(pixelFormat: .grey, size: size)
        let limited = FrameFormat(pixelFormat: .grey, size: size, colorimetry: .webcam)
        #expect(convert(bytes, full) == [16, 16, 16, 235, 235, 235])
        #expect(convert(bytes, limited) == [0, 0, 0, 255, 255, 255])
    }

    @Test("xvYCC is limited, whatever range the driver states")
    func extendedGamut() {
        let size = FrameSize(width: 2, height: 1)
        let bytes: [UInt8] = [16, 128, 235, 128]
        for matrix in [Colorimetry.Matrix.xv601, .xv709] {
            let format = FrameFormat(
                pixelFormat: .yuyv, size: size, colorimetry: Colorimetry(range: .full, matrix: matrix))
            #expect(convert(bytes, format) == [0, 0, 0, 255, 255, 255])
        }
    }

    @Test("Short frames, compressed and senseless formats are refused")
    func refusals() {
        let format = FrameFormat(pixelFormat: .nv12, size: FrameSize(width: 4, height: 4))
        #expect(convert([UInt8](repeating: 0, count: 23), format) == nil)
        #expect(convert([UInt8](repeating: 0, count: 24), format) != nil)
        #expect(PlainConverter(FrameFormat(pixelFormat: .mjpeg, size: FrameSize(width: 4, height: 4))) == nil)
        var narrow = format
        narrow.bytesPerLine = 3
        #expect(PlainConverter(narrow) == nil)
    }
}
