// SPDX-License-Identifier: MIT
// Sprites: their colours, and where they are drawn.

import Fusion
import LivecapDetection
import LivecapFrames
import Testing

@testable import LivecapEffects

struct SpriteTests {
    private static func square(_ colour: UInt32, side: Float, alpha: Float = 1) -> Painting {
        var painting = Painting(halfWidth: 1, halfHeight: 1, scale: side / 2)
        painting.cover { _ in Paint(colour, alpha: alpha) }
        return painting
    }

    @Test func coloursHaveTheCodesOfTheRangeAndMatrix() {
        func codes(_ colour: UInt32, _ colorimetry: Colorimetry) -> [UInt8] {
            let sample = PaintCodes(colorimetry).sample(Paint(colour))
            return [sample.luma, sample.cb, sample.cr, sample.alpha]
        }
        let high = Colorimetry(range: .limited, matrix: .bt709)
        #expect(codes(0xFF0000, .webcam) == [81, 90, 240, 255])
        #expect(codes(0x0000FF, .webcam) == [41, 240, 110, 255])
        #expect(codes(0xFF0000, .jpeg) == [76, 85, 255, 255])
        #expect(codes(0x00FF00, high) == [173, 42, 26, 255])
        #expect(codes(0xFFFFFF, .webcam) == [235, 128, 128, 255])
        #expect(codes(0xFFFFFF, .jpeg) == [255, 128, 128, 255])
        #expect(codes(0x000000, .webcam) == [16, 128, 128, 255])
    }

    @Test func codesAreMultipliedByAlpha() {
        let sample = PaintCodes(.webcam).sample(Paint(0xFFFFFF, alpha: 0.4))
        #expect(sample == PaintCodes.Sample(luma: 94, cb: 51, cr: 51, alpha: 102))
        #expect(PaintCodes(.webcam).sample(.zero) == PaintCodes.Sample(luma: 0, cb: 0, cr: 0, alpha: 0))
    }

    /// What is above its alpha would shine where it is drawn.
    @Test(arguments: Reaction.allCases, [Colorimetry.webcam, .jpeg])
    func nothingIsAboveItsAlpha(_ reaction: Reaction, _ colorimetry: Colorimetry) {
        for painting in reaction.scene.paintings(unit: 180) {
            for level in Sprite(painting, PaintCodes(colorimetry)).levels {
                for place in 0..<level.stride * (level.height + 2) {
                    for samples in [level.luma, level.cb, level.cr] {
                        let (number, alpha) = (samples[place] & 0xFFFF, samples[place] >> 16)
                        if number > alpha || alpha > 255 { Issue.record("\(number) of \(alpha)") }
                    }
                }
            }
        }
    }

    @Test func aSpriteCoversThePlacesThatItIsDrawnAt() {
        let picture = ReactionPicture(), before = picture.samples
        let sprite = Sprite(Self.square(0xFFFFFF, side: 16), PaintCodes(.webcam))
        let place = SpritePlace(middle: [40, 60], size: [16, 16], turn: 0, opacity: 1)
        SpriteDrawer(picture.kind).draw(sprite, at: place, into: picture.planes, behind: nil)
        for (index, pair) in zip(before, picture.samples).enumerated() where index < 160 * 90 {
            let isInside = (32..<48).contains(index % 160) && (52..<68).contains(index / 160)
            if pair.1 != (isInside ? 235 : pair.0) { Issue.record("\(index % 160), \(index / 160): \(pair)") }
        }
        #expect(picture.planes.cb.row(30)[20] == 128 && picture.planes.cr.row(26)[16] == 128)
    }

    /// Half a sample to the right, edges are half covered.
    @Test func aSpriteMovesByPartsOfASample() {
        let picture = ReactionPicture()
        let sprite = Sprite(Self.square(0xFFFFFF, side: 16), PaintCodes(.webcam))
        let (before, inside) = (Int(picture.planes.luma.row(60)[32]), 235)
        let place = SpritePlace(middle: [40.5, 60], size: [16, 16], turn: 0, opacity: 1)
        SpriteDrawer(picture.kind).draw(sprite, at: place, into: picture.planes, behind: nil)
        #expect(abs(Int(picture.planes.luma.row(60)[32]) - (before + inside) / 2) <= 1)
        #expect(picture.planes.luma.row(60)[33] == 235 && picture.planes.luma.row(60)[47] == 235)
    }

    @Test func aSpriteIsTurnedClockwise() {
        let picture = ReactionPicture()
        var painting = Painting(halfWidth: 1, halfHeight: 1, scale: 8)
        painting.cover { $0.y < 0 ? Paint(0xFFFFFF) : .zero }
        let before = picture.planes.luma.row(60)[34]
        let place = SpritePlace(middle: [40, 60], size: [16, 16], turn: .pi / 2, opacity: 1)
        SpriteDrawer(picture.kind).draw(
            Sprite(painting, PaintCodes(.webcam)), at: place, into: picture.planes, behind: nil)
        #expect(picture.planes.luma.row(60)[45] == 235 && picture.planes.luma.row(60)[34] == before)
    }

    @Test(arguments: [0, 0.3, .pi / 4, 2.8], [[0.0, 0.0], [160, 45], [80, 90], [-3, 100], [5000, 5000]])
    func aSpriteAtAnEdgeStaysWithinThePicture(_ turn: Double, _ middle: [Double]) {
        let picture = ReactionPicture(), margins = picture.margins
        let sprite = Sprite(Self.square(0x3080FF, side: 30), PaintCodes(.webcam))
        for size in [0.2, 1, 14, 29, 77, 900] {
            let place = SpritePlace(
                middle: [middle[0], middle[1]], size: [size, 0.6 * size], turn: turn, opacity: 0.9)
            SpriteDrawer(picture.kind).draw(sprite, at: place, into: picture.planes, behind: nil)
        }
        #expect(picture.margins == margins)
    }

    @Test func halvesOfAPaintingHaveItsMeans() {
        let half = Self.square(0xFFFFFF, side: 5, alpha: 0.5).halved
        #expect(half.width == 3 && half.height == 3)
        #expect(abs(half.paints[0].w - 0.5) < 1e-6 && abs(half.paints[8].w - 0.125) < 1e-6)
    }
}
