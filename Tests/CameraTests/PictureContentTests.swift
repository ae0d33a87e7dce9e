// SPDX-License-Identifier: MIT
// A picture as a scene, and what is said of files that cannot be one.

import Foundation
import LivecapFrames
import LivecapJPEG
import Testing

@testable import Camera

@Suite struct PictureContentTests {
    /// A JPEG whose left half has one grey level and whose right half another, each as a checkerboard of two pixels.
    private func picture(_ size: FrameSize = FrameSize(width: 256, height: 192)) throws -> String {
        let format = FrameFormat(pixelFormat: .yuv422p, size: size)
        let bytes = (0..<format.byteCount).map { place -> UInt8 in
            guard place < size.area else { return 128 }
            let (x, y) = (place % size.width, place / size.width)
            return (x < size.width / 2 ? 80 : 180) + ((x + y) % 2 == 0 ? 4 : 0)
        }
        var encoder = try JPEGEncoder()
        let layout = try #require(PlanarLayout(format))
        let jpeg = try encoder.encode(bytes.span.bytes, layout: layout, quality: 95) { jpeg in
            jpeg.withUnsafeBytes { Data($0) }
        }
        let path = FileManager.default.temporaryDirectory.appending(path: "Picture-\(UUID().uuidString).jpg").path
        try jpeg.write(to: URL(filePath: path))
        return path
    }

    private func scene(_ text: String, _ size: FrameSize) throws -> SyntheticScene {
        try SyntheticScene(try SyntheticSettings(text), size: size, rate: FrameRate(30))
    }

    @Test func aPictureIsSeenReducedAndWithoutItsNoise() throws {
        let path = try picture()
        defer { unlink(path) }
        let size = FrameSize(width: 88, height: 64)
        let truth = try scene("tripod:mark=no,picture=\(path)", size).truth(ofFrame: 0)
        let green = (0..<size.area).map { truth[3 * $0 + 1] }
        // JPEG's full range, and no texture but the edge in the middle.
        for y in 0..<size.height {
            for x in 0..<size.width where abs(x - size.width / 2) > 4 {
                let expected: Float = (x < size.width / 2 ? 82 : 182) / 255
                #expect(abs(green[y * size.width + x] - expected) < 0.012, "\(x), \(y)")
            }
        }
    }

    @Test func aCameraCanMoveInFrontOfIt() throws {
        let path = try picture()
        defer { unlink(path) }
        let settings = try SyntheticSettings("handheld:camera=webcam,picture=\(path)")
        #expect(settings.picture == path)
        #expect(try SyntheticSettings("\(settings)") == settings)
        let size = FrameSize(width: 88, height: 64), format = FrameFormat(pixelFormat: .yuyv, size: size)
        let scene = try SyntheticScene(settings, size: size, rate: FrameRate(30))
        #expect(scene.bytes(ofFrame: 0, format: format) != scene.bytes(ofFrame: 9, format: format))
    }

    @Test func whatIsTooSmallSaysHowLargeItMustBe() throws {
        let path = try picture()
        defer { unlink(path) }
        let error = #expect(throws: CameraError.self) {
            try scene("handheld:picture=\(path)", FrameSize(width: 640, height: 480))
        }
        #expect("\(try #require(error))".contains("256x192"))
    }

    @Test(arguments: ["/nowhere/at.jpg", "/tmp", "/dev/null", "/proc/self/status"])
    func whatIsNoPictureIsRefused(_ path: String) {
        #expect(throws: CameraError.self) {
            try scene("tripod:picture=\(path)", FrameSize(width: 64, height: 48))
        }
    }
}
