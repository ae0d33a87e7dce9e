// SPDX-License-Identifier: MIT
// Noise is estimated from the calm parts of a square.

import Testing

@testable import Fusion

@Suite struct CalmSamplesTests {
    static let stride = 24

    /// The mean of the variances measured in several pairs of squares.
    static func variance(
        noise: Double, _ picture: (_ x: Int, _ y: Int) -> Double, _ other: (_ x: Int, _ y: Int) -> Double
    ) -> Float {
        let calm = CalmSamples(), first = 2 * stride + 2, count = 40
        var (dice, sum) = (Dice(seed: 5), Float(0))
        for _ in 0..<count {
            var squares: [[UInt8]] = []
            for isOther in [false, true] {
                squares.append(
                    (0..<20 * stride).map { place in
                        let (x, y) = (place % stride - 2, place / stride - 2)
                        let code = (isOther ? other(x, y) : picture(x, y)) + noise * dice.normal()
                        return UInt8(max(0, min(255, code.rounded())))
                    })
            }
            sum += squares[0].withUnsafeBufferPointer { a in
                squares[1].withUnsafeBufferPointer { b in
                    calm.look(
                        SampleBlock(a.baseAddress! + first, stride: stride),
                        SampleBlock(b.baseAddress! + first, stride: stride)
                    ).variance
                }
            }
        }
        return sum / Float(count)
    }

    @Test func noiseAloneIsNotReadLow() {
        let found = Self.variance(noise: 5, { _, _ in 120 }, { _, _ in 120 })
        #expect((46...54).contains(found))
    }

    @Test func movedEdgeDoesNotRaiseTheEstimate() {
        let found = Self.variance(noise: 5, { x, _ in x < 9 ? 60 : 200 }, { x, _ in x < 8 ? 60 : 200 })
        #expect((45...55).contains(found))
    }

    @Test func whatChangesWhereItIsCalmIsSeen() {
        let found = Self.variance(noise: 0, { _, _ in 120 }, { x, _ in x % 2 == 0 ? 110 : 130 })
        #expect((99...102).contains(found))
    }

    @Test func aSquareThatIsTheSameDiffersByNothing() {
        #expect(Self.variance(noise: 0, { x, y in Double(x * y % 251) }, { x, y in Double(x * y % 251) }) == 0)
    }

    @Test(arguments: [(false, 200), (true, 240)])
    func paperThatIsClippedIsTold(_ isClipped: Bool, _ paper: Double) {
        var dice = Dice(seed: 8)
        let square = (0..<20 * Self.stride).map { _ in UInt8(min(235, (paper + 3 * dice.normal()).rounded())) }
        let found = square.withUnsafeBufferPointer { square in
            let first = square.baseAddress! + 2 * Self.stride + 2
            return CalmSamples().look(SampleBlock(first, stride: Self.stride), SampleBlock(first, stride: Self.stride))
        }
        #expect(found.areClipped == isClipped)
    }
}
