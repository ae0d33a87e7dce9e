// SPDX-License-Identifier: MIT
// Picture files in their own precision: every sample is read exactly, and comes back where nothing was drawn.

import Fusion
import LivecapFrames
import Testing

@testable import LivecapStills

@Suite struct FinePNGTests {
    private func fine(_ png: PNGBytes) throws -> FinePicture { try #require(try FinePicture(png.file)) }

    /// The file that a picture becomes into which nothing is drawn.
    private func again(_ fine: FinePicture, depth: PNGEncoder.Depth = .sixteen) throws -> [UInt8] {
        try PNGEncoder(depth: depth).encode(fine.picture(), of: fine)
    }

    @Test func everySampleIsRead() throws {
        let png = PNGBytes(width: 37, height: 19, samples: wildSamples(3 * 37 * 19))
        let picture = try fine(png)
        #expect(picture.bits == 16 && picture.size == FrameSize(width: 37, height: 19) && picture.format == .png)
        #expect(picture.pixels == png.samples)
        #expect(try words(ffmpegSamples(of: png.file, as: "rgb48le")) == png.samples)
    }

    @Test func passesAreJoined() throws {
        for (width, height) in [(37, 19), (1, 1), (3, 5)] {
            var png = PNGBytes(width: width, height: height, samples: wildSamples(3 * width * height))
            png.isInterlaced = true
            #expect(try fine(png).pixels == png.samples)
        }
        var clear = PNGBytes(width: 9, height: 9, colourType: 6, samples: wildSamples(4 * 81))
        for place in 0..<81 { clear.samples[4 * place + 3] = .max }
        clear.isInterlaced = true
        let found = try fine(clear).pixels
        #expect((0..<81).allSatisfy { found[3 * $0] == clear.samples[4 * $0] })
    }

    @Test func whatIsNotDrawnOnComesBack() throws {
        let png = PNGBytes(width: 37, height: 19, samples: wildSamples(3 * 37 * 19))
        let file = try again(fine(png))
        #expect(try words(ffmpegSamples(of: file, as: "rgb48le")) == png.samples)
        let eight = try ffmpegSamples(of: again(fine(png), depth: .eight), as: "rgb24")
        #expect(eight == png.samples.map { UInt8((Double($0) / 257).rounded()) })
    }

    @Test func whatIsDrawnOnIsThatPixelAlone() throws {
        let png = PNGBytes(width: 5, height: 3, samples: wildSamples(45))
        let source = try fine(png), picture = try source.picture()
        // Black, which was not there.
        picture.planes[0].samples[7] = 0
        for plane in 1...2 { picture.planes[plane].samples[7] = 128 << 8 }
        let found = try words(ffmpegSamples(of: PNGEncoder().encode(picture, of: source), as: "rgb48le"))
        #expect(Array(found[21..<24]) == [0, 0, 0])
        #expect(found[..<21] == png.samples[..<21] && found[24...] == png.samples[24...])
    }

    /// A pixel that is drawn on without changing its colour much is as near as 16 bits allow.
    @Test func theWayThereAndBackIsNarrow() throws {
        let png = PNGBytes(width: 64, height: 64, samples: wildSamples(3 * 4096))
        let picture = try fine(png).picture()
        #expect(picture.chroma == .singles)
        let found = try words(ffmpegSamples(of: PNGEncoder().encode(picture), as: "rgb48le"))
        let most = zip(found, png.samples).map { abs(Int($0) - Int($1)) }.max()!
        #expect((1...8).contains(most), "\(most)")
    }

    @Test func greyBecomesColours() throws {
        let grey = wildSamples(12)
        #expect(try fine(PNGBytes(colourType: 0, samples: grey)).pixels == grey.flatMap { [$0, $0, $0] })
    }

    @Test func whatIsTransparentIsDrawnOnBlack() throws {
        var samples: [UInt16] = []
        for share in [UInt16.max, 0, 32768] { samples += [40000, 1, 65535, share] }
        let picture = try fine(PNGBytes(width: 3, height: 1, colourType: 6, samples: samples))
        let found = picture.pixels
        #expect(found[0..<6] == [40000, 1, 65535, 0, 0, 0])
        // Half of the light of white is 0.7354 of its sample.
        #expect(abs(Int(found[8]) - 48192) < 10, "\(found[8])")
        let grey = PNGBytes(width: 2, height: 1, colourType: 4, samples: [700, .max, 700, 0])
        #expect(try fine(grey).pixels == [700, 700, 700, 0, 0, 0])
        // One colour of the file counts as transparent.
        let key = PNGBytes(
            width: 2, height: 1, samples: [1, 2, 3, 1, 2, 4], chunks: [("tRNS", [0, 1, 0, 2, 0, 3])])
        #expect(try fine(key).pixels == [0, 0, 0, 1, 2, 4])
    }

    @Test func aProfileIsKept() throws {
        let profile: [UInt8] = Array("any\0\0".utf8) + [1, 2, 3, 4]
        let png = PNGBytes(samples: wildSamples(36), chunks: [("iCCP", profile)])
        let found = chunks(try again(fine(png)))
        #expect(found.first { $0.name == "iCCP" }?.data == profile)
        #expect(!found.contains { ["sRGB", "gAMA", "cHRM", "cICP"].contains($0.name) })
        // That of a grey file is none for colours.
        let grey = PNGBytes(colourType: 0, samples: wildSamples(12), chunks: [("iCCP", profile)])
        #expect(try !chunks(again(fine(grey))).contains { $0.name == "iCCP" })
        // Nor is one kept whose checksum is wrong.
        var file = png.file
        let place = try #require(file.indices.first { file[$0...].starts(with: profile) })
        file[place] ^= 1
        #expect(try #require(try FinePicture(file)).colours.profile == nil)
    }

    /// P3 and HLG have no names here, BT.2020 and PQ do.
    @Test(arguments: [[12, 18, 0, 1], [9, 16, 0, 1], [12, 13, 0, 1], [1, 1, 0, 1]] as [[UInt8]])
    func codePointsAreKept(_ codes: [UInt8]) throws {
        let png = PNGBytes(samples: wildSamples(36), chunks: [("cICP", codes)])
        #expect(chunks(try again(fine(png))).first { $0.name == "cICP" }?.data == codes)
    }

    @Test func anExponentAloneBecomesSRGB() throws {
        func gamma(_ exponent: Int, _ sample: UInt16) throws -> UInt16? {
            let data = (0..<4).map { UInt8(truncatingIfNeeded: exponent >> (24 - 8 * $0)) }
            let samples = [UInt16](repeating: sample, count: 36)
            return try fine(PNGBytes(samples: samples, chunks: [("gAMA", data)])).pixels.first
        }
        #expect(try gamma(45455, 30000) == 30000)
        // A fifth of the light, as it is: 0.4845 in sRGB.
        #expect(abs(Int(try #require(try gamma(100_000, 13107))) - 31753) < 10)
        #expect(try gamma(100_000, .max) == .max && gamma(100_000, 0) == 0)
    }

    @Test func bytesAreReadAsWords() throws {
        let bytes = wildSamples(36).map { $0 >> 8 }
        let picture = try fine(PNGBytes(depth: 8, samples: bytes))
        #expect(picture.bits == 8)
        #expect(picture.pixels == bytes.map { 257 * $0 })
        #expect(try ffmpegSamples(of: again(picture, depth: .eight), as: "rgb24") == bytes.map { UInt8($0) })
        // Places in a palette, one of whose colours is transparent.
        let palette = PNGBytes(
            width: 3, height: 1, depth: 8, colourType: 3, samples: [1, 0, 2],
            chunks: [("PLTE", [1, 2, 3, 4, 5, 6, 7, 8, 9]), ("tRNS", [255, 255, 0])])
        #expect(try fine(palette).pixels == [4, 5, 6, 1, 2, 3, 0, 0, 0].map { 257 * $0 })
        for bytes in [[], Array("GIF89a".utf8), [0xFF, 0xD8, 0xFF]] { #expect(try FinePicture(bytes) == nil) }
    }

    @Test func damagedFilesAreRefused() throws {
        let file = PNGBytes(samples: wildSamples(36)).file
        var vast = file
        vast[16] = 1
        var larger = file
        larger[19] = 5
        var otherSamples = file
        otherSamples[60] ^= 1
        var otherColours = file
        otherColours[25] = 6
        for bytes in [Array(file.dropLast(12)), vast, larger, otherSamples, otherColours] {
            #expect { try FinePicture(bytes) } throws: { error in
                if case .undecodable(let words)? = error as? StillError { !words.isEmpty } else { false }
            }
        }
        // No byte of a file can do harm.
        for place in 8..<file.count {
            var damaged = file
            damaged[place] ^= 0xFF
            _ = try? FinePicture(damaged)
        }
    }
}

@Suite struct FineHEICTests {
    /// A ramp of grey in codes of `bits` bits, as a PNG file of 16 bits.
    private func ramp(_ bits: Int) -> (codes: [UInt16], file: [UInt8]) {
        let codes = (0..<(64 * 48)).map { UInt16((7 * $0) % (1 << bits)) }
        let samples = codes.flatMap { code in [UInt16](repeating: code << UInt16(16 - bits), count: 3) }
        return (codes, PNGBytes(width: 64, height: 48, samples: samples).file)
    }

    /// Codes of `bits` bits as samples from 0 to 65535.
    private func spread(_ codes: [Int], _ bits: Int) -> [UInt16] {
        let largest = Double(1 << bits - 1)
        return codes.map { code in UInt16((Double(code) * 65535 / largest).rounded()) }
    }

    private func fine(_ file: [UInt8]) throws -> FinePicture { try #require(try FinePicture(file)) }

    @Test(arguments: [10, 12]) func everyCodeIsRead(_ bits: Int) throws {
        let (codes, png) = ramp(bits)
        let picture = try fine(heic(ofPNG: png, ["-L", "-b", "\(bits)"]))
        #expect(picture.bits == bits && picture.format == .heic && picture.size == FrameSize(width: 64, height: 48))
        #expect(picture.pixels == spread(codes.flatMap { code in [Int](repeating: Int(code), count: 3) }, bits))
    }

    /// In the file they are Y'CbCr of as many bits, with a colour for each pixel: within a code and a half of these.
    @Test(arguments: [10, 12]) func everyColourIsRead(_ bits: Int) throws {
        // Steps of one code in each channel.
        let largest = 1 << bits - 1
        let codes: [Int] = (0..<(64 * 48)).flatMap { place -> [Int] in
            [place & largest, (place / 3 + 100) & largest, (3900 - place) & largest]
        }
        let samples = codes.map { code -> UInt16 in UInt16(code) << UInt16(16 - bits) }
        let png = PNGBytes(width: 64, height: 48, samples: samples)
        let picture = try fine(heic(ofPNG: png.file, ["-L", "-b", "\(bits)", "-p", "chroma=444"]))
        let most = zip(picture.pixels, spread(codes, bits)).map { abs(Int($0) - Int($1)) }.max()!
        #expect(picture.bits == bits && most <= 3 * 32768 / largest, "\(most)")
    }

    @Test(arguments: [10, 12]) func itsDepthComesBack(_ bits: Int) throws {
        let (_, png) = ramp(bits)
        let source = try fine(heic(ofPNG: png, ["-L", "-b", "\(bits)"]))
        let depth = try #require(HEICEncoder.Depth(rawValue: bits))
        let found = try fine(HEICEncoder(depth: depth, quality: 100).encode(source.picture(), of: source))
        #expect(found.bits == bits && found.colours.colorimetry == source.colours.colorimetry)
        // HEVC is lossy: by less than two codes of 8 bits.
        let most = zip(found.pixels, source.pixels).map { abs(Int($0) - Int($1)) }.max()!
        #expect(most < 2 * 257, "\(most)")
    }

    @Test(arguments: [UInt16(0), 517 << 6, .max], [HEICEncoder.Depth.ten, .twelve])
    func evenPicturesStayAsTheyAre(_ sample: UInt16, _ depth: HEICEncoder.Depth) throws {
        let samples = [UInt16](repeating: sample, count: 3 * 64 * 48)
        let png = PNGBytes(width: 64, height: 48, samples: samples).file
        let source = try fine(heic(ofPNG: png, ["-L", "-b", "\(depth.rawValue)"]))
        let found = try fine(HEICEncoder(depth: depth, quality: 90).encode(source.picture(), of: source))
        #expect(found.pixels == source.pixels && Set(found.pixels).count == 1)
        if sample == .max { #expect(found.pixels[0] == .max) }
    }

    @Test func codePointsAreKept() throws {
        let png = PNGBytes(
            width: 64, height: 48, samples: wildSamples(3 * 64 * 48), chunks: [("cICP", [12, 18, 0, 1])])
        let first = try fine(png.file)
        let second = try fine(HEICEncoder(quality: 90).encode(first.picture(), of: first))
        let third = try fine(HEICEncoder(quality: 90).encode(second.picture(), of: second))
        #expect(third.colours.primaries == 12 && third.colours.transfer == 18)
        #expect(third.colours == second.colours && third.colours.colorimetry == first.colours.colorimetry)
    }

    @Test func theMatrixIsKept() throws {
        let colorimetry = Colorimetry(range: .limited, matrix: .bt2020, transfer: .smpte2084, primaries: .bt2020)
        let source = try fine(HEICEncoder(quality: 100).encode(ColorBars(.yuyv, colorimetry).still))
        let found = try fine(HEICEncoder(quality: 100).encode(source.picture(), of: source))
        var full = colorimetry
        full.range = .full
        #expect(source.colours.colorimetry == full && found.colours == source.colours)
        // Colours, away from the edges of the bars.
        for bar in 0..<8 {
            let place = 3 * (8 * 128 + 16 * bar + 8)
            for channel in place..<(place + 3) {
                #expect(abs(Int(found.pixels[channel]) - Int(source.pixels[channel])) < 514)
            }
        }
    }

    @Test func eightBitsAreReadAsTheyAre() throws {
        let bars = try ColorBars(.yuyv, .webcam)
        let picture = try fine(HEICEncoder(depth: .eight, quality: 100).encode(bars.still))
        #expect(picture.bits == 8)
        let found = bars.middles(try ffmpegSamples(of: PNGEncoder().encode(picture.picture()), as: "rgb24"))
        #expect(zip(found, bars.expected).allSatisfy { abs(Int($0) - Int($1)) <= 3 }, "\(found)")
        let grey = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 64, height: 48))
        let still = try StillsTests.picture(grey) { _, _, _ in 77 << 8 }
        for depth in HEICEncoder.Depth.allCases {
            let pixels = try fine(HEICEncoder(depth: depth, quality: 100).encode(still)).pixels
            #expect(pixels.count == 3 * 64 * 48 && pixels.allSatisfy { abs(Int($0) - 77 * 257) < 257 })
        }
    }

    @Test func damagedFilesAreRefused() throws {
        let file = try HEICEncoder(quality: 90).encode(ColorBars(.yuyv, .webcam).still)
        for count in stride(from: 0, to: file.count, by: 97) {
            let part = Array(file.prefix(count))
            // What is cut off is refused by one or the other, in words.
            #expect(throws: StillError.self) {
                if try FinePicture(part) == nil { _ = try DecodedPicture(part) }
            }
        }
    }
}
