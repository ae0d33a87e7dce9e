// SPDX-License-Identifier: MIT
// Files made by ffmpeg, in every supported format: they agree with each other and with ffmpeg's own frames.

import Glibc
import LivecapFrames
import Testing

@testable import Camera
@testable import LivecapFrameFiles

private let hasFFmpeg = system("command -v ffmpeg >/dev/null 2>&1") == 0

@Suite("Imports of ffmpeg's files", .enabled(if: hasFFmpeg, "needs ffmpeg"))
struct ImportFFmpegTests {
    let folder = TemporaryFolder()
    // The duration is set on the source (seven frames). An option of the outputs would have to be repeated for each
    // output.
    static let scene = "-f lavfi -i testsrc2=size=176x144:rate=25:duration=0.28"

    func ffmpeg(_ arguments: String) {
        #expect(system("cd \(folder.path) && timeout 20 ffmpeg -v error -nostdin \(Self.scene) \(arguments)") == 0)
    }

    @Test(
        "y4m and rawvideo of the same frames agree frame by frame",
        arguments: [
            ("yuv420p", PixelFormat.i420), ("yuv422p", .yuv422p), ("gray", .grey),
        ])
    func y4mAgainstRaw(ffmpegName: String, format: PixelFormat) throws {
        ffmpeg("-pix_fmt \(ffmpegName) -strict -1 a.y4m -pix_fmt \(ffmpegName) -f rawvideo a.raw")
        let settings = ImportSettings(format: format, size: FrameSize(width: 176, height: 144), rate: FrameRate(25))
        let (y4m, raw) = (try openFrameFile(folder.file("a.y4m")), try openFrameFile(folder.file("a.raw"), settings))
        #expect(y4m.frameCount == 7)
        #expect(try y4m.everything() == raw.everything())
        #expect(y4m.description.format.size == raw.description.format.size)
        #expect(y4m.description.rate == raw.description.rate)
        #expect(y4m.description.format.pixelFormat == raw.description.format.pixelFormat)
    }

    @Test(
        "Raw frames of every format have the length livecap reckons with",
        arguments: [
            ("yuyv422", PixelFormat.yuyv), ("uyvy422", .uyvy), ("yvyu422", .yvyu), ("nv12", .nv12), ("nv21", .nv21),
            ("yuv420p", .i420), ("yuv422p", .yuv422p), ("gray", .grey), ("rgb24", .rgb24),
            ("bgr24", .bgr24), ("gray10le", .y10), ("gray12le", .y12), ("p010le", .p010),
        ])
    func rawFormats(ffmpegName: String, format: PixelFormat) throws {
        ffmpeg("-pix_fmt \(ffmpegName) -f rawvideo a.raw")
        let file = try openFrameFile(
            folder.file("a.raw"), ImportSettings(format: format, size: FrameSize(width: 176, height: 144)))
        #expect(file.frameCount == 7)
        #expect(try file.everything().flatMap(\.bytes) == readFile(folder.file("a.raw")))
    }

    @Test("Odd sizes of planar frames are as ffmpeg writes them") func oddSizes() throws {
        ffmpeg(
            "-vf crop=175:143:exact=1 -pix_fmt yuv420p a.y4m -vf crop=175:143:exact=1 -pix_fmt yuv420p -f rawvideo a.raw"
        )
        let settings = ImportSettings(format: .i420, size: FrameSize(width: 175, height: 143), rate: FrameRate(25))
        let (y4m, raw) = (try openFrameFile(folder.file("a.y4m")), try openFrameFile(folder.file("a.raw"), settings))
        #expect(y4m.frameCount == 7)
        #expect(try y4m.everything() == raw.everything())
    }

    @Test("A full-range y4m file is known as such") func fullRange() throws {
        ffmpeg("-vf scale=out_range=full -pix_fmt yuvj420p -strict -1 a.y4m")
        #expect(try openFrameFile(folder.file("a.y4m")).description.format.colorimetry.range == .full)
    }

    @Test("Concatenated JPEG is split into the pictures that ffmpeg joined") func mjpeg() throws {
        ffmpeg("-c:v mjpeg -q:v 3 -f mjpeg a.mjpg")
        #expect(
            system(
                "cd \(folder.path) && timeout 20 ffmpeg -v error -nostdin -f mjpeg -i a.mjpg -c copy -f image2 p%d.jpg")
                == 0)
        let file = try openFrameFile(folder.file("a.mjpg"))
        #expect(file.frameCount == 7 && file.health.isIntact)
        #expect(try file.everything().map(\.bytes) == (1...7).map { readFile(folder.file("p\($0).jpg")) })
        #expect(try file.everything().allSatisfy { $0.metadata.isUsable })
    }

    @Test("Interlaced and high-depth files are refused") func refused() {
        ffmpeg("-pix_fmt yuv420p10le -strict -1 deep.y4m -pix_fmt yuv444p -strict -1 full.y4m")
        for name in ["deep.y4m", "full.y4m"] {
            #expect(failure { () throws(FrameFileError) in try openFrameFile(folder.file(name)) }?.blamesFile == true)
        }
    }
}
