// SPDX-License-Identifier: MIT
// Samples of more than 8 bits, and R'G'B': fused with a gain, alike at every level, and with their fractions.

import Fusion
import Glibc
import LivecapFrames
import LivecapPictureMetrics
import Testing

@Suite struct FractionTests {
    private static let formats: [PixelFormat] = [.y10, .y12, .y16, .p010, .rgb24, .bgr24]
    private static let methods: [FusionMethod] = [.speed, .merge, .balanced]

    /// The gain in brightness over the reference alone, in dB.
    private func gain(_ burst: SmallBurst, _ method: FusionMethod) throws -> Double {
        let picture = try burst.still(Fuser(burst.format, FusionSettings(method))).picture
        let size = burst.format.size
        let single =
            burst.format.pixelFormat.samples?.model == .rgb
            ? burst.brightness : burst.single(width: size.width, height: size.height)
        return 10 * log10(single.squaredError(against: burst.truth) / picture.luma.squaredError(against: burst.truth))
    }

    @Test("The gain is that of a format of bytes", arguments: formats)
    func gains(_ format: PixelFormat) throws {
        let isGrey = format.samples?.model == .grey
        func burst(_ format: PixelFormat) -> SmallBurst {
            SmallBurst(format, width: 96, height: 96, count: 6, noise: 5) { frame, x, y in
                let (x, y) = (x + 1.3 * Double(frame), y - 0.6 * Double(frame))
                return 120 + 25 * sin(x / 9) * cos(y / 7)
            }
        }
        let (fine, bytes) = (burst(format), burst(isGrey ? .grey : .nv12))
        for method in Self.methods {
            let (found, usual) = (try gain(fine, method), try gain(bytes, method))
            // The estimate from one frame alone, and with it the gain of 11 dB, varies more.
            let less = method == .speed ? 1 : 0.3
            #expect(found > usual - less && found > 2, "\(method): \(found), \(usual)")
        }
    }

    @Test("Merging frames of a still scene gains", arguments: formats)
    func stillScene(_ format: PixelFormat) throws {
        let burst = SmallBurst(format, width: 96, height: 96, count: 6, noise: 5) { _, x, y in 120 + 0.2 * (x + y) }
        for method in [FusionMethod.merge, .balanced] {
            let found = try gain(burst, method)
            #expect(found > 3, "\(method): \(found)")
        }
    }

    @Test("The noise has the units of 8-bit codes", arguments: formats)
    func noise(_ format: PixelFormat) throws {
        let burst = SmallBurst(format, width: 96, height: 96, count: 6, noise: 5) { _, x, y in 120 + 0.2 * (x + y) }
        let found = try burst.still(Fuser(burst.format, FusionSettings(.balanced))).report.noise
        // Three independent channels make a quieter brightness.
        let expected = format.samples?.model == .rgb ? 5 * 0.6685 : 5
        #expect(abs(found / expected - 1) < 0.2, "\(found)")
    }

    @Test("Every level gives the same bits", arguments: formats)
    func levels(_ format: PixelFormat) throws {
        let burst = SmallBurst(format, width: 37, height: 34, count: 4)
        for method in FusionMethod.allCases {
            func bits(_ level: KernelLevel) throws -> [[UInt16]] {
                try burst.still(Fuser(burst.format, FusionSettings(method, level: level))).picture.bits
            }
            let portable = try bits(.portable)
            for level in KernelLevel.allCases where level.isSupported { #expect(try bits(level) == portable) }
        }
    }

    @Test("Samples between 8-bit codes stay there", arguments: [PixelFormat.y12, .p010], FusionMethod.allCases)
    func fractions(_ format: PixelFormat, _ method: FusionMethod) throws {
        var burst = SmallBurst(format, width: 48, height: 40, count: 3, noise: 0) { frame, x, y in
            // A few samples differ between the frames, which would otherwise count as one.
            100.25 + (x == 20 && y == 20 ? Double(frame) : 0)
        }
        if format == .y12 { burst.format.colorimetry.range = .limited }
        let (picture, _) = try burst.still(Fuser(burst.format, FusionSettings(method)))
        let expected = burst.format.code(0, 3, 3, burst.frames[0])
        let middle = Float(picture.planes[0].samples[5 * 48 + 5]) / 256
        #expect(abs(middle - expected) < 1 / 32, "\(middle), not \(expected)")
    }

    @Test("Flat R'G'B' keeps its mean to a code", arguments: [PixelFormat.rgb24, .bgr24])
    func flatColors(_ format: PixelFormat) throws {
        for color in [[10, 200, 90], [255, 255, 255], [0, 0, 0], [250, 20, 30], [77, 78, 200]] as [[UInt8]] {
            for range in [Colorimetry.Range.full, .limited] {
                var frame = FrameFormat(pixelFormat: format, size: FrameSize(width: 33, height: 32))
                frame.colorimetry.range = range
                let bytes = frame.filled { plane, _, _ in Double(color[plane]) }
                for method in FusionMethod.allCases {
                    let fuser = try Fuser(frame, FusionSettings(method))
                    let (prepared, picture) = (fuser.makeFrame(), fuser.makePicture())
                    try fuser.prepare(bytes.span.bytes, into: prepared)
                    _ = try fuser.fuse([prepared], reference: 0, into: picture)
                    let codes = picture.planes.map { plane in
                        Double(plane.samples.reduce(0) { $0 + Int($1) }) / Double(256 * plane.samples.count)
                    }
                    let found = ColorDecoder(picture.colorimetry).color(luma: codes[0], cb: codes[1], cr: codes[2])
                    let expected = PlainConverter(frame)!.color(3, 3, in: bytes.span.bytes)
                    for (a, b) in [
                        (found.red, expected.red), (found.green, expected.green), (found.blue, expected.blue),
                    ] where (0...1).contains(b) {
                        #expect(abs(a - b) * 255 < 1, "\(color) \(range) \(method)")
                    }
                }
            }
        }
    }
}

extension SmallBurst {
    /// The brightness of the reference of R'G'B' frames.
    fileprivate var brightness: CodePlane {
        let size = format.size
        return CodePlane(
            width: size.width, height: size.height,
            samples: (0..<size.area).map { place in
                let parts = (0..<3).map { format.code($0, place % size.width, place / size.width, frames[reference]) }
                return 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2]
            })
    }
}
