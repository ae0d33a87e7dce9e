// SPDX-License-Identifier: MIT
// HEIC files, decoded by another program, show the pictures of their stills.

import Fusion
import LivecapFrames
import LivecapStills
import Testing

@Suite struct HEICTests {
    private let grey = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 64, height: 48))

    /// The size given in a PNG file.
    private func size(ofPNG file: [UInt8]) -> FrameSize {
        func number(_ place: Int) -> Int { file[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) } }
        return FrameSize(width: number(16), height: number(20))
    }

    @Test func tenBitsKeepMoreLevelsThanEight() throws {
        // A ramp that rises by one code from left to right: two levels in 8 bits, five in 10 bits.
        let still = try picture(grey) { _, x, _ in UInt16(100 << 8 + 4 * x) }
        func levels(_ depth: HEICEncoder.Depth) throws -> Int {
            let file = try converted(heic: HEICEncoder(depth: depth, quality: 100).encode(still))
            return Set(words(try ffmpegSamples(of: file, as: "gray16le"))).count
        }
        #expect(try levels(.eight) <= 2)
        #expect(try levels(.ten) >= 4)
    }

    @Test(arguments: HEICEncoder.Depth.allCases) func samplesComeBack(depth: HEICEncoder.Depth) throws {
        let still = try picture(grey) { _, x, y in UInt16((20 + 2 * x + y) << 8) }
        let file = try converted(heic: HEICEncoder(depth: depth, quality: 100).encode(still))
        let found = try ffmpegSamples(of: file, as: "gray")
        #expect(found.count == grey.size.area)
        for (found, sample) in zip(found, still.planes[0].samples) { #expect(abs(Int(found) - Int(sample >> 8)) <= 2) }
    }

    @Test(arguments: [
        FrameSize(width: 16, height: 16), FrameSize(width: 17, height: 16), FrameSize(width: 16, height: 17),
        FrameSize(width: 33, height: 35),
    ])
    func oddSizesAreWhole(size: FrameSize) throws {
        for pixelFormat in [PixelFormat.yuyv, .nv12, .grey] {
            let still = try picture(FrameFormat(pixelFormat: pixelFormat, size: size, colorimetry: .jpeg)) {
                plane, _, _ in
                plane == 0 ? 200 << 8 : 128 << 8
            }
            let file = try converted(heic: HEICEncoder(quality: 90).encode(still))
            #expect(self.size(ofPNG: file) == size)
            #expect(try ffmpegSamples(of: file, as: "rgb24").allSatisfy { abs(Int($0) - 200) <= 1 })
        }
    }

    /// The colorimetries whose equations libheif's program implements.
    static let colorimetries = [Colorimetry.Matrix.bt601, .bt709, .bt2020].flatMap { matrix in
        Colorimetry.Range.allCases.map { Colorimetry(range: $0, matrix: matrix) }
    }

    @Test(arguments: colorimetries) func barsAreThoseOfTheEquations(colorimetry: Colorimetry) throws {
        for pixelFormat in [PixelFormat.yuyv, .i420] {
            let bars = try ColorBars(pixelFormat, colorimetry)
            let file = try converted(heic: HEICEncoder(quality: 100).encode(bars.still))
            let found = bars.middles(try ffmpegSamples(of: file, as: "rgb24"))
            for (found, expected) in zip(found, bars.expected) { #expect(abs(Int(found) - Int(expected)) <= 3) }
        }
    }

    @Test func coloursAreNamedByTheirCodes() throws {
        func codes(_ colorimetry: Colorimetry) throws -> [String?] {
            let tags = try exiftool(HEICEncoder(quality: 50).encode(ColorBars(.yuyv, colorimetry).still), .heic)
            return ["ColorPrimaries", "TransferCharacteristics", "MatrixCoefficients"].map { tags[$0] }
        }
        #expect(try codes(.webcam) == ["1", "13", "6"])
        #expect(
            try codes(Colorimetry(range: .limited, matrix: .bt2020, transfer: .smpte2084, primaries: .bt2020))
                == ["9", "16", "9"])
        #expect(
            try codes(Colorimetry(range: .full, matrix: .smpte240m, transfer: .opRGB, primaries: .opRGB))
                == ["2", "2", "7"])
    }

    /// Of a full range, black and white are the smallest and the largest code, of any number of bits.
    @Test(arguments: HEICEncoder.Depth.allCases) func whiteIsTheLargestCode(_ depth: HEICEncoder.Depth) throws {
        let format = FrameFormat(pixelFormat: .nv12, size: FrameSize(width: 64, height: 48), colorimetry: .jpeg)
        for (luma, expected) in [(255, UInt16.max), (0, 0)] as [(UInt16, UInt16)] {
            let still = try picture(format) { plane, _, _ in plane == 0 ? luma << 8 : 128 << 8 }
            let file = try converted(heic: HEICEncoder(depth: depth, quality: 100).encode(still))
            let found = try words(ffmpegSamples(of: file, as: "rgb48le"))
            // The other program may shift codes to 16 bits.
            #expect(found.allSatisfy { abs(Int($0) - Int(expected)) <= 1 << (16 - depth.rawValue) }, "\(found[0])")
        }
    }

    @Test func bytesOfRedGreenAndBlueComeBack() throws {
        let size = FrameSize(width: 64, height: 32)
        let pixels = (0..<size.area).flatMap { _ in [200, 100, 50] as [UInt8] }
        let file = try converted(heic: HEICEncoder(quality: 100).encode(rgb24: pixels, size: size, .sRGB))
        let found = try ffmpegSamples(of: file, as: "rgb24")
        #expect(found.count == pixels.count)
        for (found, expected) in zip(found, pixels) { #expect(abs(Int(found) - Int(expected)) <= 2) }
    }

    @Test func theSameStillGivesTheSameBytes() throws {
        let bars = try ColorBars(.yuyv, .webcam)
        #expect(try HEICEncoder(quality: 70).encode(bars.still) == HEICEncoder(quality: 70).encode(bars.still))
    }

    @Test func mirroredColoursKeepTheirPlace() throws {
        // Odd width: when mirrored, pixels share their chroma with other neighbours. Neutral except for the
        // left half.
        let format = FrameFormat(
            pixelFormat: .yuyv, size: FrameSize(width: 65, height: 32), colorimetry: .jpeg)
        let still = try picture(format) { plane, x, _ in plane == 2 && x < 16 ? 200 << 8 : 128 << 8 }
        var metadata = PhotoMetadata()
        metadata.orientation = .upMirrored
        let file = try converted(heic: HEICEncoder(quality: 100).encode(still, metadata: metadata))
        let found = try ffmpegSamples(of: file, as: "rgb24")
        func red(_ x: Int) -> Int { Int(found[3 * (65 * 16 + x)]) }
        #expect(red(30) < 135 && red(36) > 220)
    }

    @Test(arguments: PhotoOrientation.allCases) func turnedColoursAreThoseOfAPNGFile(_ orientation: PhotoOrientation)
        throws
    {
        // Odd sizes: when turned, pixels share their chroma with other neighbours.
        for (pixelFormat, size) in [
            (PixelFormat.yuyv, FrameSize(width: 65, height: 33)), (.nv12, FrameSize(width: 33, height: 48)),
        ] {
            let still = try picture(FrameFormat(pixelFormat: pixelFormat, size: size, colorimetry: .jpeg)) {
                plane, x, y in UInt16(plane == 0 ? 60 + x + 2 * y : plane == 1 ? 110 + x : 150 - y) << 8
            }
            var metadata = PhotoMetadata()
            metadata.orientation = orientation
            let heic = try converted(heic: HEICEncoder(quality: 100).encode(still, metadata: metadata))
            let png = try PNGEncoder(depth: .eight).encode(still, metadata: metadata)
            #expect(self.size(ofPNG: heic) == self.size(ofPNG: png))
            let (found, expected) = (try ffmpegSamples(of: heic, as: "rgb24"), try ffmpegSamples(of: png, as: "rgb24"))
            #expect(zip(found, expected).allSatisfy { abs(Int($0) - Int($1)) <= 5 })
        }
    }

    @Test(arguments: PhotoOrientation.allCases) func noReaderHasToTurnAnything(_ orientation: PhotoOrientation) throws {
        var metadata = PhotoMetadata()
        metadata.orientation = orientation
        let still = try picture(grey) { _, x, _ in UInt16(x) << 8 }
        let pixels = [UInt8](repeating: 90, count: 3 * grey.size.area)
        for file in [
            try HEICEncoder(quality: 50).encode(still, metadata: metadata),
            try HEICEncoder(quality: 50).encode(rgb24: pixels, size: grey.size, .sRGB, metadata: metadata),
        ] {
            let (shown, reported) = (orientation.shown(grey.size), try exiftool(file, .heic))
            #expect(reported["ImageWidth"] == "\(shown.width)" && reported["ExifImageWidth"] == "\(shown.width)")
            for box in ["irot", "imir"] { #expect(!file.contains(subsequence: Array(box.utf8)), "\(box)") }
        }
    }

    @Test(arguments: PhotoOrientation.allCases) func picturesAreTurnedOnce(_ orientation: PhotoOrientation) throws {
        // Bright only in the top left quarter, before turning.
        let still = try picture(grey) { _, x, y in x < 32 && y < 24 ? 220 << 8 : 40 << 8 }
        var metadata = PhotoMetadata()
        metadata.orientation = orientation
        let heic = try HEICEncoder(quality: 90).encode(still, metadata: metadata)
        let file = try converted(heic: heic)
        let size = size(ofPNG: file)
        let isLying = [.leftMirrored, .right, .rightMirrored, .left].contains(orientation)
        #expect(size == (isLying ? FrameSize(width: 48, height: 64) : grey.size))
        let samples = try ffmpegSamples(of: file, as: "gray")
        let corners = [
            samples[0], samples[size.width - 1], samples[samples.count - size.width], samples[samples.count - 1],
        ]
        // Top left, top right, bottom left, bottom right.
        let corner: Int =
            switch orientation {
            case .up, .leftMirrored: 0
            case .upMirrored, .right: 1
            case .downMirrored, .left: 2
            case .down, .rightMirrored: 3
            }
        #expect(corners.firstIndex { $0 > 128 } == corner && corners.count { $0 > 128 } == 1)
        // A reader that follows Exif must not turn it again.
        #expect(try exiftool(heic, .heic)["Orientation"] == "1")
    }
}

extension [UInt8] {
    fileprivate func contains(subsequence: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: subsequence) }
    }
}
