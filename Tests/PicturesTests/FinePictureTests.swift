// SPDX-License-Identifier: MIT
// Pictures of 10 bits.

import LivecapFrames
import Testing

@testable import LivecapPictures

@Suite struct FinePictureTests {
    private let size = FrameSize(width: 6, height: 4)

    private func samples(_ settings: PictureSettings, _ format: FrameFormat, _ bytes: [UInt8]) throws -> [Int] {
        let bytes = try picture(settings, of: format, bytes)
        return stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
    }

    private func words(_ samples: [Int], shift: Int) -> [UInt8] {
        samples.flatMap { [UInt8(($0 << shift) & 0xFF), UInt8(($0 << shift) >> 8)] }
    }

    @Test func framesOfTenBitsAreUnchanged() throws {
        let format = FrameFormat(pixelFormat: .p010, size: size)
        let bytes = words((0..<36).map { 64 + 23 * $0 }, shift: 6)
        #expect(try picture(PictureSettings(format: .p010), of: format, bytes) == bytes)
    }

    @Test(arguments: [(PixelFormat.y10, 10), (.y12, 12), (.y16, 16)]) func greyKeepsTenBitsAndHasNoColour(
        pixelFormat: PixelFormat, bits: Int
    ) throws {
        let format = FrameFormat(pixelFormat: pixelFormat, size: size)
        let grey = (0..<24).map { $0 * ((1 << bits) - 1) / 23 }
        let drawn = try samples(PictureSettings(format: .p010, range: .full), format, words(grey, shift: 0))
        let expected = grey.map { Int((Double($0) * 1023 / Double((1 << bits) - 1)).rounded()) << 6 }
        #expect(Array(drawn[..<24]) == expected)
        #expect(drawn[24...].allSatisfy { $0 == 512 << 6 })
    }

    @Test func theRangeIsChangedWithoutLossOfBits() throws {
        var format = FrameFormat(pixelFormat: .p010, size: size)
        format.colorimetry.range = .full
        let bytes = words((0..<24).map { $0 * 44 } + [Int](repeating: 1023, count: 12), shift: 6)
        let drawn = try samples(PictureSettings(format: .p010, range: .limited), format, bytes)
        for (place, sample) in drawn[..<24].enumerated() {
            #expect(abs(Double(sample >> 6) - (64 + Double(place * 44) * 876 / 1023)) <= 0.5)
        }
        #expect(drawn[24...].allSatisfy { abs(Double($0 >> 6) - (512 + 511.5 * 896 / 1023)) <= 1 })
    }

    /// What has 8 bits, or is scaled or turned, has the codes of NV12 pictures at the top.
    @Test(
        arguments: [PixelFormat.yuyv, .nv12, .p010, .grey, .rgb24],
        [FrameSize(width: 6, height: 4), FrameSize(width: 4, height: 2)])
    func otherPicturesHaveTheCodesOfEightBits(pixelFormat: PixelFormat, pictures: FrameSize) throws {
        guard pixelFormat != .p010 || pictures != size else { return }
        let (format, bytes) = randomFrame(pixelFormat, size, seed: 7)
        let fine = try samples(PictureSettings(format: .p010, size: pictures, range: .limited), format, bytes)
        let coarse = try picture(PictureSettings(format: .nv12, size: pictures, range: .limited), of: format, bytes)
        #expect(fine == coarse.map { Int($0) << 8 })
    }
}
