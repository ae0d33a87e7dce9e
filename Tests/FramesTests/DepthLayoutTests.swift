// SPDX-License-Identifier: MIT
// Frames of depth cameras: where their planes lie, and what counts mean.

import Foundation
import LivecapFrames
import Testing

@Suite struct DepthLayoutTests {
    private let size = FrameSize(width: 6, height: 3)

    @Test func depthIsOnePlaneOfWords() {
        let format = FrameFormat(pixelFormat: .z16, size: size)
        #expect(format.planes == [Plane(offset: 0, stride: 12, rowBytes: 12, rows: 3)])
        #expect(format.byteCount == 36 && format.neededBytes == 36 && format.problem == nil)
        #expect(format.colorimetry == .grey)
    }

    /// The driver's bytes of a row are those of both planes; a driver that states one plane's is understood, too.
    @Test(arguments: [(24, 12), (12, 12), (32, 16)]) func depthFollowsInfraredInPlanes(
        bytesPerLine: Int, stride: Int
    ) throws {
        var format = FrameFormat(pixelFormat: .inzi, size: size)
        #expect(format.bytesPerLine == 24 && format.byteCount == 72)
        format.bytesPerLine = bytesPerLine
        format.byteCount = 6 * stride
        let plane = try #require(DepthLayout(.inzi)?.depthPlane)
        #expect(format.planes.map(\.stride) == [stride, stride] && format.planes[plane].offset == 3 * stride)
        #expect(format.problem == nil)
        format.byteCount -= stride
        #expect(format.problem != nil)
    }

    @Test func confidenceTakesHalfAByte() {
        #expect(FrameFormat(pixelFormat: .cnf4, size: FrameSize(width: 7, height: 3)).byteCount == 12)
        #expect(DepthLayout(.cnf4) == .confidence && DepthLayout(.cnf4)?.depthPlane == nil)
    }

    @Test func noneIsAPicture() {
        for format in PixelFormat.ofDepthCameras {
            #expect(!format.isReadable && !format.isCompressed && !format.isVideo && format.samples == nil)
        }
        #expect(PixelFormat.ofDepthCameras == [.z16, .inzi, .cnf4])
        #expect(PixelFormat.ofDepthCameras.filter(\.isDepth) == [.z16, .inzi])
    }

    @Test func infraredIsDepthOnlyWhereTheDeviceSaysSo() {
        #expect(DepthLayout(.y16) == nil && !PixelFormat.y16.isDepth && PixelFormat.y16.isReadable)
        #expect(DepthLayout(.y16, isDepthCamera: true) == .depth)
        #expect(DepthLayout(.yuyv, isDepthCamera: true) == nil)
    }

    @Test func countsAreMillimetresAndSomeSayNothing() throws {
        let unit = DepthUnit.millimetre
        #expect(unit.distance(1500) == 1.5 && unit.distance(0) == nil && unit.distance(65535) == nil)
        #expect(unit.count(1.2344) == 1234 && unit.count(65.534) == 65534)
        for distance in [0, -1, 0.0004, 65.535, .infinity, .nan] { #expect(unit.count(distance) == 0, "\(distance)") }
        #expect(try #require(DepthUnit(metres: 0.0001)).distance(15000) == 1.5)
    }

    @Test func unitsThatCannotBeAreRefused() throws {
        for metres in [0, -0.001, 2, .infinity, .nan] { #expect(DepthUnit(metres: metres) == nil, "\(metres)") }
        let kept = try JSONEncoder().encode([DepthUnit.millimetre])
        #expect(try JSONDecoder().decode([DepthUnit].self, from: kept) == [.millimetre])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([DepthUnit].self, from: Data("[0]".utf8))
        }
    }
}
