// SPDX-License-Identifier: MIT
// Noise that is not white: the slowest method, `quality`, does as well as `balanced`.

import Fusion
import LivecapFrames
import LivecapPictureMetrics
import Testing

@Suite struct CorrelatedNoiseTests {
    /// Correlations of noise that are caused by a camera, its light or its processing.
    enum Shape: CaseIterable {
        case rows, columns, bands, blurred
    }

    /// The noise of one plane in codes, different for each frame.
    private static func noise(_ shape: Shape, _ width: Int, _ height: Int, _ dice: inout Dice) -> [Double] {
        var across: [Double] = [], down: [Double] = [], white: [Double] = []
        for _ in 0..<width { across.append(5 * dice.normal()) }
        for _ in 0..<height { down.append(5 * dice.normal()) }
        for _ in 0..<(width + 4) * (height + 4) { white.append(dice.normal()) }
        let phase = 64 * dice.normal()
        return (0..<width * height).map { place in
            let (x, y) = (place % width, place / width)
            let little = 0.5 * white[place]
            switch shape {
            case .rows: return down[y] + little
            case .columns: return across[x] + little
            case .bands:
                let turns = (Double(y) + phase) / 60
                return 6 * (4 * abs(turns - turns.rounded()) - 1) + little
            case .blurred:
                var sum = 0.0
                for v in 0..<5 { for u in 0..<5 { sum += white[(y + v) * (width + 4) + x + u] } }
                return sum
            }
        }
    }

    /// Frames of a still scene with the same kind of noise in all planes.
    private static func burst(_ shape: Shape) -> SmallBurst {
        var burst = SmallBurst(.yuv422p, width: 64, height: 56, count: 4, noise: 0) { _, x, y in drawnScene(x, y) }
        var dice = Dice(seed: 4)
        let format = burst.format
        burst.frames = (0..<burst.frames.count).map { _ in
            let noises = [64, 32, 32].map { noise(shape, $0, 56, &dice) }
            return format.filled { plane, x, y in
                noises[plane][y * (plane == 0 ? 64 : 32) + x]
                    + (plane == 0 ? drawnScene(Double(x), Double(y)) : 128 + (plane == 1 ? 20 : -15))
            }
        }
        return burst
    }

    /// The errors of a still, by plane.
    private static func errors(_ burst: SmallBurst, _ method: FusionMethod) throws -> [Double] {
        let picture = try burst.still(Fuser(burst.format, FusionSettings(method))).picture
        return picture.planes.enumerated().map { number, plane in
            let found = CodePlane(width: plane.width, height: plane.height, codesTimes256: plane.samples)
            guard number > 0 else { return found.squaredError(against: burst.truth) }
            let level = Float(128 + (number == 1 ? 20 : -15))
            return found.squaredError(
                against: CodePlane(
                    width: plane.width, height: plane.height,
                    samples: [Float](repeating: level, count: plane.width * plane.height)))
        }
    }

    @Test(arguments: Shape.allCases)
    func qualityIsAsGoodAsBalanced(_ shape: Shape) throws {
        let burst = Self.burst(shape)
        let (balanced, quality) = (try Self.errors(burst, .balanced), try Self.errors(burst, .quality))
        for plane in 0..<3 {
            // Both errors are below one code; if the noise is misjudged, they are in the tens of thousands.
            #expect(
                quality[plane] <= 1.1 * balanced[plane] + 0.5,
                "plane \(plane): \(quality[plane]), balanced \(balanced[plane])")
        }
    }
}
