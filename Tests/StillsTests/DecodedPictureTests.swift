// SPDX-License-Identifier: MIT
// Picture files as frames: what was written comes back, upright, and bytes that are no picture are refused.

import Fusion
import LivecapFrames
import LivecapJPEG
import LivecapStills
import Testing

@Suite struct DecodedPictureTests {
    private func bars() throws -> ColorBars { try ColorBars(.yuyv, .webcam) }

    @Test(arguments: PNGEncoder.Depth.allCases) func aPNGComesBack(depth: PNGEncoder.Depth) throws {
        let bars = try bars()
        let picture = try DecodedPicture(PNGEncoder(depth: depth).encode(bars.still))
        #expect(picture.format.pixelFormat == .rgb24 && picture.format.size == FrameSize(width: 128, height: 16))
        #expect(picture.orientation == .up)
        let found = bars.middles(picture.bytes)
        #expect(zip(found, bars.expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(found)")
    }

    @Test func aGreyPNGBecomesGreyPixels() throws {
        let still = try picture(FrameFormat(pixelFormat: .grey, size: FrameSize(width: 37, height: 19))) { _, x, y in
            UInt16((37 * y + x) % 256) << 8
        }
        let pixels = try DecodedPicture(PNGEncoder(depth: .eight).encode(still)).bytes
        #expect(pixels == (0..<703).flatMap { [UInt8](repeating: UInt8($0 % 256), count: 3) })
    }

    @Test(arguments: HEICEncoder.Depth.allCases) func aHEICFileComesBack(depth: HEICEncoder.Depth) throws {
        let bars = try bars()
        let picture = try DecodedPicture(HEICEncoder(depth: depth, quality: 95).encode(bars.still))
        let found = bars.middles(picture.bytes)
        #expect(zip(found, bars.expected).allSatisfy { abs(Int($0) - Int($1)) <= 4 }, "\(found)")
    }

    @Test(arguments: PhotoOrientation.allCases) func aJPEGFileSaysHowToTurnIt(orientation: PhotoOrientation) throws {
        let size = FrameSize(width: 16, height: 8)
        let pixels = [UInt8](repeating: 90, count: 3 * size.area)
        var encoder = try JPEGEncoder()
        let jpeg = try encoder.encodeRGB(pixels.span.bytes, size: size, quality: 90) {
            $0.withUnsafeBytes { Array($0) }
        }
        #expect(try DecodedPicture(jpeg).orientation == .up)
        var metadata = PhotoMetadata()
        metadata.orientation = orientation
        metadata.description = "before the orientation"
        let picture = try DecodedPicture(metadata.inserted(intoJPEG: jpeg.span.bytes))
        #expect(picture.orientation == orientation && picture.format.size == size)
    }

    @Test func exifOfEitherByteOrderIsRead() {
        let little = Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]
        let big = Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
        #expect(PhotoOrientation(exif: little) == .right && PhotoOrientation(exif: big) == .right)
        for count in 0..<little.count {
            #expect(PhotoOrientation(exif: Array(little.prefix(count))) == nil || count > 19)
        }
        var wild = big
        wild[4] = 0xFF
        #expect(PhotoOrientation(exif: wild) == nil)
    }

    @Test func whatIsNoPictureIsRefused() throws {
        let png = try PNGEncoder(depth: .eight).encode(bars().still)
        var vast = png
        // A width of 2^24.
        vast[16] = 1
        for bytes in [[], [0xFF, 0xD8, 0xFF], Array("GIF89a".utf8), Array(png.prefix(60)), vast] {
            #expect { try DecodedPicture(bytes) } throws: { error in
                if case .undecodable? = error as? StillError { true } else { false }
            }
        }
    }

    @Test func aHEICFileNeedsLibheif() throws {
        let file = try HEICEncoder(depth: .eight, quality: 50).encode(bars().still)
        #expect { try DecodedPicture(file, heif: "libnone.so") } throws: { error in
            if case .unavailable? = error as? StillError { true } else { false }
        }
    }
}
