// SPDX-License-Identifier: MIT
// The measures, checked against values calculated by hand.

import Glibc
import LivecapPictureMetrics
import Testing

@Suite struct MetricsTests {
    let grey = CodePlane(width: 48, height: 40, samples: Array(repeating: 100, count: 48 * 40))

    private func changed(_ change: (Int, Int) -> Float) -> CodePlane {
        CodePlane(
            width: 48, height: 40, samples: (0..<48 * 40).map { grey.samples[$0] + change($0 % 48, $0 / 48) })
    }

    @Test func aDifferenceOfTwoCodesEverywhereIs42Decibels() {
        let brighter = changed { _, _ in 2 }
        #expect(abs(brighter.psnr(against: grey) - 10 * log10(255.0 * 255 / 4)) < 1e-9)
        #expect(brighter.levelError(against: grey) == 2)
    }

    @Test func equalPlanesAreAlike() throws {
        #expect(grey.psnr(against: grey) > 150)
        #expect(abs(try #require(grey.ssim(against: grey)) - 1) < 1e-6)
    }

    @Test func onlyTheMaskedPlacesCount() {
        let spoilt = changed { x, _ in x < 10 ? 50 : 1 }
        let mask = (0..<48 * 40).map { $0 % 48 >= 10 }
        #expect(spoilt.squaredError(against: grey, where: mask) == 1)
        #expect(spoilt.squaredError(against: grey, where: mask.map { !$0 }) == 2500)
        #expect(spoilt.squaredError(against: grey, where: mask.map { _ in false }) == 0)
    }

    /// For flat planes only the term of the means remains: (2 a b + c1) / (a squared + b squared + c1).
    @Test func flatPlanesDifferInTheirMeansAlone() throws {
        let ssim = try #require(changed { _, _ in 20 }.ssim(against: grey))
        let c1 = 2.55 * 2.55
        #expect(abs(ssim - (2 * 100 * 120 + c1) / (100 * 100 + 120 * 120 + c1)) < 1e-5)
    }

    @Test func aPlaneSmallerThanAWindowHasNoSimilarity() {
        let small = CodePlane(width: 10, height: 40, samples: Array(repeating: 1, count: 400))
        #expect(small.ssim(against: small) == nil)
    }

    @Test func stillsHoldCodesTimes256() {
        var samples: [UInt16] = [0, 128, 256, 65280]
        let plane = samples.withUnsafeMutableBufferPointer { CodePlane(width: 2, height: 2, codesTimes256: $0) }
        #expect(plane.samples == [0, 0.5, 1, 255])
    }

    @Test func damageIsFoundWhereItIs() {
        let single = changed { _, _ in 2 }
        // Twice the error in the bottom right corner, which only the last window contains completely; half the
        // error elsewhere.
        let still = changed { x, y in x >= 16 && y >= 8 ? 4 : 1 }
        let damage = still.localDamage(insteadOf: single, against: grey)
        #expect(abs(damage.worst - 10 * log10(4)) < 1e-9)
        #expect(damage.worstPlace == (16, 8))
    }

    @Test func whatNobodySeesIsNoDamage() {
        let damage = changed { _, _ in 0.7 }.localDamage(insteadOf: grey, against: grey)
        #expect(damage.worst == 0 && damage.quantile999 == 0)
    }

    @Test func aBetterStillDoesNegativeDamage() {
        let damage = changed { _, _ in 1 }.localDamage(insteadOf: changed { _, _ in 2 }, against: grey)
        #expect(abs(damage.worst - 10 * log10(0.25)) < 1e-9)
    }
}
