// SPDX-License-Identifier: MIT
// Clipped samples are counted exactly.

import LivecapFrames
import Testing

@testable import Fusion

@Suite struct ClippingTests {
    /// About a third of the samples are white, and as many black.
    @Test(arguments: [(0, 128), (16, 235), (9, 200), (100, 255)] as [(UInt8, UInt8)], [(128, 96), (131, 93)])
    func sharesAreThoseOfCountedSamples(ends: (black: UInt8, white: UInt8), size: (Int, Int)) throws {
        let (black, white) = ends
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: size.0, height: size.1))
        var dice = Dice(seed: UInt64(white))
        let samples = (0..<size.0 * size.1).map { _ in
            let kind = dice.next() % 3
            return kind == 0
                ? white : kind == 1 ? black : UInt8(dice.next() >> 40 % UInt64(white - 1 - black)) + black + 1
        }
        let fuser = try Fuser(format, FusionSettings(.merge))
        let frame = fuser.makeFrame()
        try fuser.prepare(samples.span.bytes, into: frame)
        let clipping = Clipping(width: size.0, height: size.1)
        clipping.measure(frame.planes[0])
        #expect(clipping.isClipped)
        for y in 0..<(size.1 + 7) / 8 {
            for x in 0..<(size.0 + 7) / 8 {
                var (noisy, all) = (0, 0)
                for row in 8 * y..<min(8 * y + 8, size.1) {
                    // Columns beyond the right edge repeat the last one.
                    for column in 8 * x..<8 * x + 8 {
                        let sample = samples[row * size.0 + min(column, size.0 - 1)]
                        noisy += sample > black && sample < white ? 1 : 0
                        all += 1
                    }
                }
                #expect(clipping.share(x, y, (1, 1)) == Float(noisy) / Float(all), "cell \(x), \(y)")
            }
        }
    }
}
