// SPDX-License-Identifier: MIT
// Numbers drawn into pixels can be read back from every layout, and are never misread as another number.

import LivecapSeededRandom
import Testing

@testable import LivecapFrames

@Suite struct FrameMarkTests {
    private static let formats: [PixelFormat] = [
        .yuyv, .uyvy, .yvyu, .vyuy, .nv12, .nv21, .nv16, .i420, .yv12, .yuv422p, .grey, .y10, .y12,
        .y16, .p010, .rgb24, .bgr24, .z16, .inzi,
    ]

    private func marked(_ number: UInt32, _ format: FrameFormat) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 77, count: format.byteCount)
        let mark = try #require(FrameMark(fitting: format.size))
        bytes.withUnsafeMutableBytes { mark.draw(number, into: $0, format: format) }
        return bytes
    }

    private func read(_ bytes: [UInt8], _ format: FrameFormat) -> UInt32? {
        FrameMark(fitting: format.size)?.read(bytes.span.bytes, format: format)
    }

    @Test("Every format", arguments: formats)
    func layouts(_ pixelFormat: PixelFormat) throws {
        for size in [FrameSize(width: 1280, height: 720), FrameSize(width: 161, height: 121)] {
            let format = FrameFormat(pixelFormat: pixelFormat, size: size)
            for number in [0, 1, 0x1234_5678, UInt32.max] {
                let bytes = try marked(number, format)
                #expect(read(bytes, format) == number)
            }
        }
    }

    @Test(
        "People read the number, too, where there is room",
        arguments: [
            (FrameSize(width: 1280, height: 720), "FRAME 4711"), (FrameSize(width: 640, height: 480), "FRAME 4711"),
        ]
    )
    func digits(_ size: FrameSize, _ text: String) throws {
        let format = FrameFormat(pixelFormat: .grey, size: size)
        let bytes = try marked(4711, format)
        let mark = try #require(FrameMark(fitting: size))
        // The text starts one box width after the last box, at twice the size of the font.
        let used = 56 - (mark.height / 16 - 1) * min(56, size.width / 16)
        let (left, top) = (16 * (used + 1), mark.height - 15)
        for (place, character) in text.utf8.enumerated() {
            for y in 0..<14 {
                for x in 0..<10 {
                    let found = bytes[(top + y) * size.width + left + 12 * place + x] > 128
                    #expect(found == DotFont.hasInk(DotFont.rows(character), x / 2, y / 2))
                }
            }
        }
    }

    @Test("The strip is grey and the rest of the picture untouched")
    func extent() throws {
        let format = FrameFormat(pixelFormat: .nv12, size: FrameSize(width: 640, height: 480))
        let mark = try #require(FrameMark(fitting: format.size))
        let bytes = try marked(99, format)
        let (luma, chroma) = (format.planes[0], format.planes[1])
        #expect(bytes[(mark.height * luma.stride)..<chroma.offset].allSatisfy { $0 == 77 })
        #expect(bytes[chroma.offset..<(chroma.offset + mark.height / 2 * chroma.stride)].allSatisfy { $0 == 128 })
        #expect(bytes[(chroma.offset + mark.height / 2 * chroma.stride)...].allSatisfy { $0 == 77 })
    }

    @Test("A flipped box, a blank picture and a short frame read as nothing")
    func spoilt() throws {
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 896, height: 64))
        let good = try marked(4711, format)
        for box in 0..<56 {
            var bad = good
            for y in 0..<16 {
                for x in (16 * box)..<(16 * box + 16) { bad[y * 896 + x] = 255 - bad[y * 896 + x] }
            }
            #expect(read(bad, format) == nil, "box \(box)")
        }
        #expect(read([UInt8](repeating: 50, count: format.byteCount), format) == nil)
        #expect(read(Array(good[..<1000]), format) == nil)
    }

    @Test("Survives noise stronger than any camera's")
    func noise() throws {
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 320, height: 240))
        var random = SeededRandom(seed: 5)
        for number in [UInt32(7), 0xDEAD_BEEF] {
            let noisy = try marked(number, format).map { value -> UInt8 in
                UInt8(min(max(Int(value) + Int(random.next() % 201) - 100, 0), 255))
            }
            #expect(read(noisy, format) == number)
        }
    }

    @Test("Pictures that are too small carry none")
    func tooSmall() {
        #expect(FrameMark(fitting: FrameSize(width: 16, height: 16)) == nil)
        #expect(FrameMark(fitting: FrameSize(width: 1, height: 1)) == nil)
        #expect(FrameMark(fitting: FrameSize(width: 64, height: 48))?.boxSide == 4)
    }
}
