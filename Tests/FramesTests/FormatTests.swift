// SPDX-License-Identifier: MIT
// Names, sizes, rates and plane layouts, including the numbers a hostile file would contain.

import Testing

@testable import LivecapFrames

@Suite struct PixelFormatTests {
    @Test("Codes are V4L2's")
    func codes() {
        #expect(PixelFormat.yuyv.fourCC == 0x5659_5559)
        #expect(PixelFormat.mjpeg.fourCC == 0x4750_4A4D)
        #expect(PixelFormat("YU12") == .i420)
    }

    @Test(
        "People's names",
        arguments: [
            ("mjpeg", PixelFormat.mjpeg), ("MJPG", .mjpeg), ("yuyv422", .yuyv), ("YUY2", .yuyv), ("yuyv", .yuyv),
            ("I420", .i420), ("yu12", .i420), ("YUV422P", .yuv422p), ("gray", .grey), ("rgb24", .rgb24),
            ("RGB3", .rgb24),
            ("bgr24", .bgr24), ("Nv12", .nv12), ("Z16", .z16), ("z16", .z16), ("Y14", PixelFormat("Y14 ")),
            ("y14", PixelFormat("y14 ")),
            ("pRAA", PixelFormat("pRAA")),
            ("y10", .y10), ("gray12le", .y12), ("p010le", .p010), ("y16", .y16), ("inzi", .inzi), ("CNF4", .cnf4),
        ])
    func names(_ name: String, _ format: PixelFormat) {
        #expect(PixelFormat(named: name) == format)
    }

    @Test("An invalid code is not a format", arguments: ["", "yu", "toolong", "a\u{7}bc", "ü12"])
    func noNames(_ name: String) {
        #expect(PixelFormat(named: name) == nil)
    }

    @Test(
        "A description names the format again",
        arguments: [
            PixelFormat.yuyv, .i420, .yuv422p, .rgb24, .bgr24, .mjpeg, .grey, .nv21, .z16, .y10, .p010, .y16, .inzi,
            .cnf4,
        ])
    func descriptions(_ format: PixelFormat) {
        #expect(PixelFormat(named: format.description) == format)
    }

    @Test("A code that is not text is shown as a number")
    func binaryCode() {
        #expect(PixelFormat(fourCC: 0x0102_0304).description == "0x1020304")
    }
}

@Suite struct GeometryTests {
    @Test("Sizes as people write them")
    func sizes() {
        #expect(FrameSize("1280x720") == FrameSize(width: 1280, height: 720))
        #expect(FrameSize("640X480") == FrameSize(width: 640, height: 480))
        for text in ["", "x", "640", "640x", "x480", "0x480", "640x480x3", "65536x1", "-1x1", "640 x 480"] {
            #expect(FrameSize(text) == nil, "\(text)")
        }
    }

    @Test("Rates as people write them")
    func rates() {
        #expect(FrameRate("30") == FrameRate(30))
        #expect(FrameRate("30000/1001") == FrameRate(30000, per: 1001))
        #expect(FrameRate("25:1") == FrameRate(25))
        #expect(FrameRate("29.97") == FrameRate(29970, per: 1000))
        for text in ["", "0", "-5", "nan", "inf", "1/0", "0/1", "30/", "/30", "1/2/3", "1e9", "fast"] {
            #expect(FrameRate(text) == nil, "\(text)")
        }
    }

    @Test("An interval is exact to the nanosecond, at the ends too")
    func intervals() {
        #expect(FrameRate(30000, per: 1001).interval == .nanoseconds(33_366_667))
        #expect(FrameRate(1, per: .max).interval == .nanoseconds(4_294_967_295_000_000_000))
        #expect(FrameRate(.max, per: 1).interval == .nanoseconds(0))
        #expect(FrameRate(30000, per: 1001) < FrameRate(30))
    }
}

@Suite struct FrameFormatTests {
    private let vga = FrameSize(width: 640, height: 480)

    @Test("Frame sizes without padding")
    func byteCounts() {
        let counts: [(PixelFormat, Int)] = [
            (.yuyv, 614400), (.nv12, 460800), (.nv16, 614400), (.i420, 460800), (.yuv422p, 614400), (.grey, 307200),
            (.rgb24, 921600), (.y10, 614400), (.y12, 614400), (.y16, 614400), (.p010, 921600), (.z16, 614400),
            (.inzi, 1_228_800), (.cnf4, 153600),
        ]
        for (format, count) in counts {
            #expect(FrameFormat(pixelFormat: format, size: vga).byteCount == count, "\(format)")
            #expect(FrameFormat(pixelFormat: format, size: vga).problem == nil)
        }
        #expect(FrameFormat(pixelFormat: .mjpeg, size: vga).problem == nil)
    }

    @Test("Odd sizes: chroma covers the last row and column")
    func oddSizes() {
        let size = FrameSize(width: 5, height: 3)
        func count(_ format: PixelFormat) -> Int { FrameFormat(pixelFormat: format, size: size).byteCount }
        #expect(count(.yuyv) == 12 * 3)
        #expect(count(.i420) == 15 + 3 * 2 * 2)
        #expect(count(.nv12) == 15 + 6 * 2)
        #expect(count(.yuv422p) == 15 + 3 * 3 * 2)
        #expect(count(.rgb24) == 45)
        #expect(count(.y10) == 30)
        #expect(count(.p010) == 30 + 2 * 12)
        #expect(count(.z16) == 30 && count(.inzi) == 60 && count(.cnf4) == 9)
        for format in [PixelFormat.yuyv, .i420, .nv12, .nv16, .yuv422p, .rgb24, .grey, .z16, .inzi, .cnf4] {
            #expect(FrameFormat(pixelFormat: format, size: size).problem == nil, "\(format)")
        }
    }

    @Test("YV12 has Cr first")
    func crFirst() {
        let planes = FrameFormat(pixelFormat: .yv12, size: vga).planes
        #expect(planes[2].offset == 640 * 480)
        #expect(planes[1].offset == 640 * 480 * 5 / 4)
    }

    @Test("Padding after the last row may be missing")
    func lastRow() {
        var format = FrameFormat(pixelFormat: .grey, size: vga)
        format.bytesPerLine = 704
        format.byteCount = 704 * 479 + 640
        #expect(format.problem == nil)
        format.byteCount -= 1
        #expect(format.problem != nil)
    }

    @Test("Numbers from a hostile header are refused without a trap")
    func hostile() {
        let numbers = [0, 1, 2, 3, 65535, 65536, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, Int.max, Int.min, -1]
        let formats: [PixelFormat] = [.yuyv, .nv12, .i420, .yv12, .yuv422p, .grey, .rgb24, .mjpeg, PixelFormat("ABCD")]
        for pixelFormat in formats {
            for width in numbers {
                for height in numbers {
                    let size = FrameSize(width: width, height: height)
                    let packed = FrameFormat(pixelFormat: pixelFormat, size: size)
                    if size.width > 65535 || size.height > 65535 || size.width < 1 || size.height < 1 {
                        #expect(packed.problem != nil, "\(pixelFormat) \(size)")
                    }
                    for stride in numbers {
                        let format = FrameFormat(
                            pixelFormat: pixelFormat, size: size, bytesPerLine: stride, byteCount: 1 << 30,
                            colorimetry: .webcam)
                        let fits = format.planes.allSatisfy { $0.usedEnd <= 1 << 30 && $0.stride >= $0.rowBytes }
                        if format.problem == nil { #expect(fits) }
                    }
                }
            }
        }
    }

    @Test("A stride too short for its row is reported")
    func shortStride() {
        let format = FrameFormat(
            pixelFormat: .yuyv, size: vga, bytesPerLine: 1279, byteCount: 1 << 20, colorimetry: .webcam)
        #expect(format.problem == "rows of 1280 bytes do not lie 1279 bytes apart")
    }
}
