// SPDX-License-Identifier: MIT
// Moving objects take their colour along; shadows do not.

import LivecapFrames
import Testing

@testable import Fusion

@Suite struct TileColorsTests {
    private static let size = FrameSize(width: 128, height: 96)

    /// Whether two frames agree on the colour of a cell and of the place `moved` pixels away from it. The grey ground
    /// turns blue from left to right and red from the top; the other frame shows it moved by (12, -7).
    private static func agree(
        _ pixelFormat: PixelFormat, at cell: (x: Int, y: Int), moved: (x: Float, y: Float), noise: Float = 4
    ) throws -> Bool {
        let format = FrameFormat(pixelFormat: pixelFormat, size: size)
        let fuser = try Fuser(format, FusionSettings(.merge, level: .portable))
        let down = pixelFormat == .i420 ? 2 : 1
        func frame(_ shift: (x: Int, y: Int)) throws -> FusionFrame {
            let frame = fuser.makeFrame()
            let bytes = format.filled { plane, x, y in
                switch plane {
                case 0: 100
                case 1: 110 + Double(2 * x - shift.x) / 4
                default: 110 + Double(down * y - shift.y) / 4
                }
            }
            try fuser.prepare(bytes.span.bytes, into: frame)
            return frame
        }
        let models = [NoiseModel](repeating: NoiseModel(white: noise), count: 3)
        return TileColors(reference: try frame((0, 0)), other: try frame((12, -7)), noise: models)
            .agree(x: cell.x, y: cell.y, dx: moved.x, dy: moved.y, brightness: 100)
    }

    @Test(arguments: [PixelFormat.yuyv, .i420]) func movedTilesMatchInColour(_ pixelFormat: PixelFormat) throws {
        #expect(try Self.agree(pixelFormat, at: (7, 5), moved: (12, -7)))
        #expect(try Self.agree(pixelFormat, at: (7, 5), moved: (12.6, -6.3)))
    }

    @Test(arguments: [(12, 5), (24, -7), (12, -19), (0, 0)] as [(Float, Float)])
    func elsewhereIsAnotherColour(_ moved: (Float, Float)) throws {
        #expect(try !Self.agree(.yuyv, at: (7, 5), moved: moved))
        #expect(try !Self.agree(.i420, at: (7, 5), moved: moved))
    }

    @Test func noiseHidesColour() throws { #expect(try Self.agree(.yuyv, at: (7, 5), moved: (24, -7), noise: 400)) }

    @Test func tilesOutsideThePictureAlwaysMatch() throws {
        #expect(try Self.agree(.yuyv, at: (0, 0), moved: (-90, 0)))
        #expect(try Self.agree(.yuyv, at: (15, 11), moved: (4000, 4000)))
        #expect(try Self.agree(.grey, at: (0, 0), moved: (3, 3)))
    }
}
