// SPDX-License-Identifier: MIT
// Colour bars are decoded to the right colours, for every range and matrix the driver can declare.

import FrameRing
import LivecapFrames
import Testing

@testable import Camera

extension DeviceLab {
    @Suite("colours")
    struct ColourTests {
        /// What the driver is set to declare, as values of its controls. 0 means the default of the colour space.
        struct Declared: CustomTestStringConvertible {
            /// 0 to 8: 170M, 709, sRGB, opRGB, 2020, DCI-P3, 240M, 470M, 470BG.
            var colorspace = 2
            /// 1, 2, 3, 4, 6, 7, 8: 601, 709, xv601, xv709, 2020, 2020 constant luminance, 240M.
            var encoding = 0
            /// 1 is full, 2 is limited.
            var quantization = 0
            var testDescription: String { "colorspace \(colorspace), encoding \(encoding), range \(quantization)" }
        }

        static let ranges = [0, 1, 2]
        static let matrices = [1, 2, 3, 4, 6, 7, 8].flatMap { encoding in
            ranges.map { Declared(encoding: encoding, quantization: $0) }
        }
        static let colorspaces = (0...8).flatMap { colorspace in
            ranges.map { Declared(colorspace: colorspace, quantization: $0) }
        }

        @Test("every matrix in every range", arguments: matrices)
        func everyMatrix(declared: Declared) throws { try check(.yuyv, declared) }

        @Test("every colour space's own matrix in every range", arguments: colorspaces)
        func everyColorspace(declared: Declared) throws { try check(.yuyv, declared) }

        @Test(
            "every layout in every range",
            arguments: [
                PixelFormat.uyvy, .yvyu, .vyuy, .nv12, .nv21, .nv16, .i420, .yv12, .yuv422p, .grey, .y10, .y12, .rgb24,
                .bgr24,
            ])
        func everyLayout(format: PixelFormat) throws {
            for range in Self.ranges { try check(format, Declared(quantization: range)) }
        }

        /// The colours of the bars from left to right, as fractions of full red, green and blue.
        private static let bars: [(red: Int, green: Int, blue: Int)] = [
            (1, 1, 1), (1, 1, 0), (0, 1, 1), (0, 1, 0), (1, 0, 1), (1, 0, 0), (0, 0, 1), (0, 0, 0),
        ]
        /// "75% Colorbar" and "100% Colorbar". The driver truncates samples where the standards round them, and
        /// limits full-range chroma to 254. At full saturation this alone changes a component of one bar by up to
        /// four levels.
        private static let patterns = [(control: 0, level: 191, tolerance: 3), (control: 1, level: 255, tolerance: 4)]

        private func check(_ format: PixelFormat, _ declared: Declared) throws {
            let vivid = try Vivid()
            defer { try? vivid.reset() }
            // Text off (2), because it is drawn over the bars.
            try vivid.set(.text, 2)
            try vivid.set(.colorspace, Int64(declared.colorspace))
            try vivid.set(.encoding, Int64(declared.encoding))
            try vivid.set(.quantization, Int64(declared.quantization))
            let stream = try LabStream(format: format, fps: 60)
            defer { stream.loop.stop() }
            let converter = try #require(PlainConverter(stream.ring.format))
            for pattern in Self.patterns {
                try vivid.set(.testPattern, Int64(pattern.control))
                // The frames already queued still show the previous pattern.
                try stream.follow(stream.ring.reserve + 2) { _ in }
                try stream.follow(1) { lease in
                    lease.withBytes { bytes in
                        for (index, bar) in Self.bars.enumerated() {
                            let x = (2 * index + 1) * LabStream.size.width / 16
                            let color = converter.color(x, LabStream.size.height / 2, in: bytes)
                            let found = [color.red, color.green, color.blue].map { Int((255 * $0).rounded()) }
                            let wanted = expected(bar, pattern.level, format)
                            let error = zip(found, wanted).map { abs($0 - $1) }.max()!
                            #expect(
                                error <= pattern.tolerance,
                                "\(format) \(declared.testDescription): bar \(index) is \(found), not \(wanted)")
                        }
                    }
                }
            }
        }

        /// The levels of a bar. The driver computes grey as BT.709 luma, whatever is declared.
        private func expected(_ bar: (red: Int, green: Int, blue: Int), _ level: Int, _ format: PixelFormat) -> [Int] {
            let levels = [bar.red * level, bar.green * level, bar.blue * level]
            guard format.samples?.model == .grey else { return levels }
            let luma = 0.2126 * Double(levels[0]) + 0.7152 * Double(levels[1]) + 0.0722 * Double(levels[2])
            return Array(repeating: Int(luma.rounded()), count: 3)
        }
    }
}
