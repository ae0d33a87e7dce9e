// SPDX-License-Identifier: MIT
// Zoomed pictures: what they show, at any size and sampling.

import LivecapFrames
import Testing

@testable import Fusion

@Suite struct ZoomTests {
    /// A picture whose samples are drawn by place, in each plane.
    private func picture(
        _ format: PixelFormat, _ size: FrameSize, _ value: (_ plane: Int, _ x: Int, _ y: Int) -> UInt16
    ) throws -> FusedPicture {
        let picture = try Fuser(FrameFormat(pixelFormat: format, size: size), FusionSettings(.mean)).makePicture()
        for (number, plane) in picture.planes.enumerated() {
            for y in 0..<plane.height {
                for x in 0..<plane.width { plane.samples[y * plane.width + x] = value(number, x, y) }
            }
        }
        return picture
    }

    /// The samples of each plane of a zoomed picture.
    private func samples(of picture: FusedPicture, _ zoom: String) -> [[UInt16]] {
        let zoomed = picture.zoomed(DigitalZoom(zoom))
        return withExtendedLifetime(zoomed) { zoomed.planes.map { Array($0.samples) } }
    }

    private let sizes = [FrameSize(width: 64, height: 48), FrameSize(width: 31, height: 17)]

    @Test(arguments: [PixelFormat.yuyv, .nv12, .grey])
    func withoutEnlargementSamplesStay(format: PixelFormat) throws {
        for size in sizes {
            let whole = try picture(format, size) { plane, x, y in UInt16((x * 977 + y * 5003 + plane * 311) & 0xffff) }
            let before = withExtendedLifetime(whole) { whole.planes.map { Array($0.samples) } }
            #expect(samples(of: whole, "1") == before)
        }
    }

    @Test(arguments: ["2", "3.7@0.2,0.9", "16@1,1"])
    func evenPicturesStayEven(text: String) throws {
        for size in sizes {
            let even = try picture(.yuyv, size) { plane, _, _ in UInt16(10_000 + plane * 7) }
            for (plane, samples) in samples(of: even, text).enumerated() {
                #expect(samples.allSatisfy { $0 == 10_000 + plane * 7 })
            }
        }
    }

    @Test func slopesGoOn() throws {
        let slope = try picture(.grey, FrameSize(width: 64, height: 48)) { _, x, y in UInt16(x * 256 + y * 64) }
        let zoomed = samples(of: slope, "2")[0]
        // Away from the edges, where samples are repeated.
        for (x, y) in [(10, 10), (31, 20), (50, 40)] {
            let (fromX, fromY) = (16 + (Double(x) + 0.5) / 2 - 0.5, 12 + (Double(y) + 0.5) / 2 - 0.5)
            let expected = fromX * 256 + fromY * 64
            #expect(abs(Double(zoomed[y * 64 + x]) - expected) <= 1)
        }
    }

    @Test func sharpEdgesStayInRange() throws {
        let edge = try picture(.grey, FrameSize(width: 40, height: 20)) { _, x, _ in x < 20 ? 0 : 65535 }
        let zoomed = samples(of: edge, "4")[0]
        #expect(zoomed.first == 0 && zoomed[39] == 65535)
    }
}
