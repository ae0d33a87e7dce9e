// SPDX-License-Identifier: MIT
// Before and after side by side: the right piece is chosen, and every pixel is in its place.

import Fusion
import LivecapFrames
import Testing

@testable import LivecapStills

@Suite struct ComparisonTests {
    private let size = FrameSize(width: 160, height: 128)
    private let comparison = ComparisonPicture(pieceSize: FrameSize(width: 32, height: 24))

    /// A grey still of full range, so that codes equal bytes.
    private func still(_ size: FrameSize? = nil, _ code: (_ x: Int, _ y: Int) -> Int) throws -> FusedPicture {
        let format = FrameFormat(pixelFormat: .grey, size: size ?? self.size)
        return try picture(format) { _, x, y in UInt16(code(x, y)) << 8 }
    }

    private func isTextured(_ x: Int, _ y: Int) -> Bool { (40..<72).contains(x) && (48..<72).contains(y) }
    private func isFlatAndNoisy(_ x: Int, _ y: Int) -> Bool { (104..<136).contains(x) && (48..<72).contains(y) }

    @Test func thePieceHasTextureThatWasNoisy() throws {
        // The other textured area has no noise, and the other noisy area no texture.
        let after = try still { x, y in
            isTextured(x, y) || y >= 88 ? 100 + 40 * (x / 4 % 2) : 100
        }
        let before = try still { x, y in
            let noise = isTextured(x, y) || isFlatAndNoisy(x, y) ? (x * 7 + y * 5) % 3 * 4 - 4 : 0
            return Int(after.planes[0].samples[y * size.width + x] >> 8) + noise
        }
        let piece = comparison.piece(before: before, after: after)
        #expect(piece == .init(x: 40, y: 48, size: FrameSize(width: 32, height: 24)))
        // The sign of the difference does not matter.
        #expect(comparison.piece(before: after, after: before) == piece)
    }

    @Test func theBusiestPlaceIsShown() throws {
        // Weak texture everywhere; on the right twice the noise, in the middle ten times the texture.
        let after = try still { x, y in
            100 + (isTextured(x, y) ? 80 : 8) * ((x / 2 + y / 2) % 2)
        }
        let before = try still { x, y in
            let noise = ((x * 7 + y * 5) % 3 - 1) * (isFlatAndNoisy(x, y) ? 8 : 4)
            return Int(after.planes[0].samples[y * size.width + x] >> 8) + noise
        }
        let piece = comparison.piece(before: before, after: after)
        #expect(piece == .init(x: 40, y: 48, size: FrameSize(width: 32, height: 24)))
    }

    @Test func halvesHaveLabels() throws {
        let still = try still { _, _ in 0 }
        var comparison = ComparisonPicture(pieceSize: FrameSize(width: 80, height: 24))
        comparison.labels = ("BEFORE", "AFTER")
        let found = try ffmpegSamples(of: comparison.encode(before: still, after: still), as: "gray")
        let (bar, text) = comparison.bar(160)
        let scale = try #require(text?.scale)
        #expect(found.count == 322 * (48 + bar))
        for (label, left) in [("BEFORE", 0), ("AFTER", 162)] {
            let dots = dots(of: label, scale)
            for (y, row) in dots.enumerated() {
                let start = (2 * scale + y) * 322 + left + 2 * scale
                #expect(found[start..<(start + row.count)].map { $0 > 128 } == row)
            }
        }
    }

    @Test func bordersAreLeftOut() throws {
        let after = try still { _, _ in 100 }
        let before = try still { x, y in x < 8 || y < 8 ? 100 + 80 * ((x + y) % 2) : 100 + (x == 90 && y == 60 ? 1 : 0)
        }
        let piece = comparison.piece(before: before, after: after)
        #expect(piece.x >= 8 && piece.y >= 8)
        #expect((piece.x..<(piece.x + 32)).contains(90) && (piece.y..<(piece.y + 24)).contains(60))
    }

    @Test func equalPlacesGiveTheFirst() throws {
        let flat = try still { _, _ in 100 }
        #expect(
            comparison.piece(before: flat, after: flat) == .init(x: 8, y: 8, size: FrameSize(width: 32, height: 24)))
    }

    @Test(arguments: [1, 2, 3])
    func everyPixelIsWhereItBelongs(_ magnification: Int) throws {
        let (before, after) = (try still { x, y in (x * 3 + y * 5) % 256 }, try still { x, y in (x + 2 * y) % 256 })
        var comparison = ComparisonPicture(magnification: magnification, pieceSize: FrameSize(width: 24, height: 16))
        // A label that does not fit: only the pieces are drawn.
        comparison.labels.before = "A LABEL THAT DOES NOT FIT"
        let piece = comparison.piece(before: before, after: after)
        let found = try ffmpegSamples(of: comparison.encode(before: before, after: after), as: "gray")
        let (side, height) = (24 * magnification, 16 * magnification)
        let width = 2 * side + 2
        #expect(found.count == width * height)
        let expected = (0..<height).flatMap { y in
            (0..<width).map { x -> UInt8 in
                let (column, source) = x < side ? (x, before) : (x - side - 2, after)
                guard !(side..<(side + 2)).contains(x) else { return 255 }
                let place = (piece.y + y / magnification) * size.width + piece.x + column / magnification
                return UInt8(source.planes[0].samples[place] >> 8)
            }
        }
        #expect(found == expected)
    }

    @Test func coloursAreThoseOfTheStills() throws {
        let format = FrameFormat(pixelFormat: .nv12, size: FrameSize(width: 50, height: 38))
        // Red in limited range.
        let still = try picture(format) { plane, _, _ in [81, 90, 240][plane] << 8 }
        let file = try comparison.encode(before: still, after: still)
        let bar = comparison.bar(64).height
        let pixels = Array(try ffmpegSamples(of: file, as: "rgb24").dropFirst(3 * (2 * 64 + 2) * bar))
        for place in stride(from: 0, to: 3 * 32, by: 3) {
            #expect(pixels[place] > 250 && pixels[place + 1] < 5 && pixels[place + 2] < 5)
        }
        #expect(chunks(file).contains { $0.name == "sRGB" })
    }

    @Test(arguments: [FrameSize(width: 16, height: 16), FrameSize(width: 23, height: 41)])
    func smallPicturesGiveSmallPieces(_ size: FrameSize) throws {
        let still = try still(size) { x, y in (x ^ y) & 255 }
        let piece = ComparisonPicture().piece(before: still, after: still)
        #expect(piece.size.width >= 8 && piece.x + piece.size.width <= size.width)
        #expect(piece.size.height >= 8 && piece.y + piece.size.height <= size.height)
        _ = try ComparisonPicture().encode(before: still, after: still)
    }

    @Test func picturesThatAreNoPairAreRefused() throws {
        let other = try still(FrameSize(width: 160, height: 120)) { _, _ in 1 }
        #expect(throws: StillError.self) { try comparison.encode(before: still { _, _ in 1 }, after: other) }
    }
}
