// SPDX-License-Identifier: MIT
// Noise has the same variance in calm places as elsewhere; print does not.

import Testing

@testable import Fusion

@Suite struct CalmPlacesTests {
    static let width = 64, height = 64

    /// The variances measured in a picture of codes.
    static func variances(_ picture: (_ x: Int, _ y: Int) -> Float) -> (all: Float, calm: Float) {
        let samples = (0..<width * height).map { place in
            UInt8(min(max(picture(place % width, place / width).rounded(), 0), 255))
        }
        let places = CalmPlaces()
        samples.withUnsafeBufferPointer { samples in
            for y in stride(from: 8, to: height - 8, by: 8) {
                for x in stride(from: 8, to: width - 8, by: 8) {
                    places.add(samples.baseAddress! + y * width + x, width)
                }
            }
        }
        return places.variances
    }

    static func noise(_ x: Int, _ y: Int) -> Float { ResidualDenoiserTests.noise(x, y) }

    @Test func whiteNoiseIsMeasuredAlikeInCalmPlaces() {
        let found = Self.variances { x, y in 120 + 4 * Self.noise(x, y) }
        #expect((12...20).contains(found.all))
        #expect((11...21).contains(found.calm))
    }

    @Test func noiseIsMeasuredOnPaperBetweenLetters() {
        let found = Self.variances { x, y in (x / 2 % 4 == 0 || y % 16 < 2 ? 60 : 160) + 2 * Self.noise(x, y) }
        #expect(found.all > 200)
        #expect((2.5...6).contains(found.calm))
    }

    @Test func aFlatPictureHasNoVariance() {
        let found = Self.variances { _, _ in 90 }
        #expect(found.all == 0 && found.calm == 0)
    }
}
