// SPDX-License-Identifier: MIT
// Light that differs from row to row, under lamps on the mains: it is made the reference's before frames are compared.

import Glibc
import LivecapFrames
import LivecapPictureMetrics
import Testing

@testable import Fusion

@Suite struct RowLightTests {
    private static let (rows, columns, step) = (30, 40, 16)
    private static let space = ColorSpace(Colorimetry(range: .full, matrix: .bt601))

    /// A code for an amount of light, from a camera that compresses what is bright.
    private static func code(_ light: Double) -> Double {
        let plain = 255 * (1.055 * pow(light, 1 / 2.4) - 0.055)
        return plain < 150 ? plain : 150 + 105 * tanh((plain - 150) / 105)
    }

    /// How much light a row of a frame has, as the lamps swing by `share`.
    private static func light(_ y: Double, _ frame: Double, _ share: Double) -> Double {
        1 + share * sin(2 * .pi * (y / 144 + frame / 3))
    }

    /// Means of the frames 0 and 1 where `scene` is the light of a place, and what is found of them.
    private func measured(
        swing share: Double, noise: Double = 0.3, scene: (_ frame: Int, _ row: Int, _ column: Int) -> Double
    ) -> RowLight? {
        var (own, other, place): ([Float], [Float], [Float]) = ([], [], []), dice = Dice(seed: 7)
        for row in 0..<Self.rows {
            for column in 0..<Self.columns {
                let y = (Double(row) + 0.5) * Double(Self.step)
                let codes = (0..<2).map { frame in
                    Self.code(scene(frame, row, column) * Self.light(y, Double(frame), share)) + noise * dice.normal()
                }
                own.append(Float(codes[0] / 255) + Self.space.knee)
                other.append(Float(codes[1] / 255) + Self.space.knee)
                place.append(Float(row))
            }
        }
        return own.withUnsafeBufferPointer { own in
            other.withUnsafeBufferPointer { other in
                place.withUnsafeBufferPointer { place in
                    let pairs = RowLightMeter.Pairs(
                        own: own.baseAddress!, other: other.baseAddress!, row: place.baseAddress!, count: own.count)
                    return RowLightMeter(rows: Self.rows, step: Self.step, Self.space).measure(pairs)
                }
            }
        }
    }

    private static func still(_: Int, _ row: Int, _ column: Int) -> Double {
        0.03 + 0.5 * Double((row * 7 + column * 13) % 40) / 40
    }

    @Test(arguments: [0.05, 0.1, 0.2, 0.3]) func rowsGetTheReferencesLight(_ share: Double) throws {
        let light = try #require(measured(swing: share, scene: Self.still))
        var most = 0.0
        // The means smooth nothing here, so the light at their middles is taken for that of a smoother profile.
        for y in stride(from: 8, to: Self.rows * Self.step - 8, by: 4) {
            for amount in [0.05, 0.15, 0.3, 0.45] {
                let wanted = Self.code(amount * Self.light(Double(y) + 0.5, 0, share))
                var sample = UInt8(Self.code(amount * Self.light(Double(y) + 0.5, 1, share)).rounded())
                light.apply(to: &sample, count: 1, row: y)
                most = max(most, abs(Double(sample) - wanted))
            }
        }
        // Rounded twice. Without it, samples are off by up to 6, 13, 26 and 39.
        #expect(most < 1 + 20 * share)
    }

    @Test func chromaFollows() throws {
        let light = try #require(measured(swing: 0.2, scene: Self.still))
        for y in [36, 108, 300] {
            let change = Self.light(Double(y) + 0.5, 0, 0.2) / Self.light(Double(y) + 0.5, 1, 0.2)
            // A gain of light as the tone curve shows it.
            let wanted = pow(change, 1 / 2.4)
            #expect(abs(Double(light.chromaFactor(ofRow: y)) - wanted) < 0.1 * abs(wanted - 1), "row \(y)")
        }
    }

    @Test func lightThatDoesNotSwingIsLeftAlone() { #expect(measured(swing: 0, scene: Self.still) == nil) }

    @Test func aLaptopsLampIsLeftToWhatIsFiner() { #expect(measured(swing: 0.01, scene: Self.still) == nil) }

    @Test func whatMovesIsNoLight() {
        var dice = Dice(seed: 3)
        // Rows with and without things that are not where they were.
        let moved = (0..<Self.rows).map { _ in Double(dice.next() % 100) / 100 }
        let light = measured(swing: 0) { frame, row, column in
            let isThere = Double((row * 31 + column * 17 + frame * 57) % 100) / 100 < 0.4 * moved[row]
            return Self.still(frame, row, column) * (isThere ? 0.4 : 1)
        }
        #expect(light == nil)
    }

    /// Six frames under a lamp, in a scene with large things: else the bands themselves would be what moves.
    private static func burst(_ format: PixelFormat, brightness: Double = 1, swing share: Double) -> SmallBurst {
        SmallBurst(format, width: 256, height: 288, count: 6, noise: 3) { frame, x, y in
            var dice = Dice(seed: UInt64(Int(x) / 32 + 100 * (Int(y) / 32)))
            let scene = 70 + 0.3 * drawnScene(x, y) + Double(dice.next() >> 20 % 80)
            return (brightness * scene + 14) * light(y, Double(frame), share) - 14
        }
    }

    @Test(arguments: [0.05, 0.1]) func framesInOtherLightAreUsed(_ share: Double) throws {
        let burst = Self.burst(.grey, swing: share)
        let (picture, report) = try burst.still(Fuser(burst.format, FusionSettings(.merge)))
        // Differences of up to 24 codes are refused otherwise.
        #expect(report.shares.allSatisfy { $0.weight > 0.6 }, "\(report.shares.map(\.weight))")
        let before = burst.single(width: 256, height: 288).squaredError(against: burst.truth)
        #expect(picture.luma.squaredError(against: burst.truth) < 0.5 * before)
        try burst.expectNoHarm(by: [.merge, .balanced])
    }

    @Test func colorsOfRowsInOtherLightAreUsed() throws {
        // So dark that no colour is clipped, and colours swing with the light.
        var burst = Self.burst(.yuyv, brightness: 0.6, swing: 0.1)
        func factor(_ frame: Int, _ y: Int) -> Double { 2 * Self.light(Double(y), Double(frame), 0.1) }
        for frame in burst.frames.indices {
            for place in stride(from: 1, to: burst.frames[frame].count, by: 2) {
                let off = Double(burst.frames[frame][place]) - 128
                burst.frames[frame][place] = UInt8((128 + off * factor(frame, place / 512)).rounded())
            }
        }
        let picture = try burst.still(Fuser(burst.format, FusionSettings(.merge))).picture
        for (plane, tint) in zip(1...2, SmallBurst.tint) {
            let truth = CodePlane(
                width: 128, height: 288,
                samples: (0..<128 * 288).map { Float(128 + (tint - 128) * factor(burst.reference, $0 / 128)) })
            let before = burst.single(plane, width: 128, height: 288).squaredError(against: truth)
            let found = CodePlane(width: 128, height: 288, codesTimes256: picture.planes[plane].samples)
            #expect(found.squaredError(against: truth) < 0.3 * before, "plane \(plane)")
        }
    }
}
