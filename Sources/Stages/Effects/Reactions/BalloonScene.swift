// SPDX-License-Identifier: MIT
// Balloons that rise behind and before people.

import Glibc

/// Balloons of some colours, that rise and sway, each with a string.
struct BalloonScene: ReactionScene {
    private struct Balloon {
        let birth: Double
        let painting: Int
        let width: Double
        let x: Double
        let speed: Double
        let sway: Double
        let pace: Double
        let phase: Double
        let isBehind: Bool
    }

    private static let life = 4.0
    private static let largest = 0.22
    /// The height of a balloon for a width of 1, and that of its string.
    private static let tall = 1.24
    private static let string = SIMD2(0.16, 0.95)
    private static let colours: [(light: UInt32, dark: UInt32)] = [
        (0xFF6B6B, 0xC81E3C), (0xFFC94D, 0xE08A00), (0x62D987, 0x14904A), (0x64B5FF, 0x1B62D8), (0xC48BFF, 0x7436C8),
    ]
    private let balloons: [Balloon]
    private let bottom: Double

    static func paintings(unit: Float) -> [Painting] {
        let size = Float(largest) * unit
        return colours.map { balloon(Paint($0.light), Paint($0.dark), size: size) } + [string(size: size)]
    }

    init(_ field: ReactionField, _ dice: inout ReactionDice) {
        bottom = field.height
        let count = 16, first = dice.one(of: Self.colours.count)
        let balloons = (0..<count).map { number in
            let isBehind = number % 2 == 0, column = number * 7 % count
            let width = isBehind ? dice.from(0.10, to: 0.14) : dice.from(0.15, to: Self.largest)
            return Balloon(
                birth: 1.3 * Double(number) / Double(count),
                painting: (3 * column + first) % Self.colours.count,
                width: width, x: field.width * (Double(column) + dice.from(0.2, to: 0.8)) / Double(count),
                speed: (isBehind ? 0.44 : 0.58) * dice.from(0.9, to: 1.15), sway: dice.from(0.015, to: 0.03),
                pace: dice.from(1.4, to: 2.2), phase: dice.angle(), isBehind: isBehind)
        }
        self.balloons = balloons.sorted { $0.width < $1.width }
    }

    func show(at time: Double, in poses: inout [ReactionPose]) {
        let opacity = 1 - Ease.rise(time, Self.life - 0.6, Self.life)
        guard time > 0, opacity > 0 else { return }
        for balloon in balloons {
            let age = time - balloon.birth
            guard age > 0 else { continue }
            let wave = balloon.pace * age + balloon.phase
            let size = SIMD2(balloon.width, balloon.width * Self.tall)
            // A balloon leans where it goes.
            let turn = 0.13 * cos(wave)
            let middle = SIMD2(
                balloon.x + balloon.sway * sin(wave), bottom + size.y * 0.6 - balloon.speed * age * (1 + 0.06 * age))
            // Its string hangs from its end, and lags a little.
            let end = middle + SIMD2(-sin(turn), cos(turn)) * (size.y * 0.47)
            let lag = 0.10 * cos(wave - 0.9), stringSize = Self.string * balloon.width
            poses.append(
                ReactionPose(
                    painting: Self.colours.count, middle: end + SIMD2(-sin(lag), cos(lag)) * (stringSize.y * 0.48),
                    size: stringSize, turn: lag, opacity: opacity, isBehind: balloon.isBehind))
            poses.append(
                ReactionPose(
                    painting: balloon.painting, middle: middle, size: size, turn: turn, opacity: 0.97 * opacity,
                    isBehind: balloon.isBehind))
        }
    }

    /// A balloon, `size` samples wide.
    private static func balloon(_ light: Paint, _ dark: Paint, size: Float) -> Painting {
        var painting = Painting(halfWidth: 1, halfHeight: Float(tall), scale: size / 2)
        let knot = Place(0, 1.13)
        painting.fill(
            { Shape.taper($0, from: knot, to: knot + Place(0, 0.06), radii: (0.03, 0.075)) }, with: { _ in dark })
        painting.fill({ body($0) }) { place in
            // Lit from the upper left; some light comes through at the lower right.
            let lit = Shape.length(place - Place(-0.34, -0.55)) / 1.75
            let glow = max(0, 1 - Shape.length(place - Place(0.42, 0.62)) / 0.62)
            return light.mixed(with: dark, lit * lit * 1.15).mixed(with: light, 0.45 * glow)
        }
        painting.fill(softness: 0.13, { shine($0) }, with: { _ in Paint(0xFFFFFF, alpha: 0.62) })
        return painting
    }

    /// Round above, pointed below.
    private static func body(_ place: Place) -> Float {
        let narrowed = Place(place.x * (1 + 0.16 * max(place.y, 0) * max(place.y, 0)), place.y + 0.06)
        return Shape.ellipse(narrowed, radii: Place(0.96, 1.17))
    }

    private static func shine(_ place: Place) -> Float {
        let turned = Place(place.x * 0.83 + place.y * 0.56, place.y * 0.83 - place.x * 0.56)
        return Shape.ellipse(turned, at: Place(-0.68, -0.31), radii: Place(0.13, 0.24))
    }

    /// A thin string that waves.
    private static func string(size: Float) -> Painting {
        let half = Place(Float(string.x), Float(string.y))
        var painting = Painting(halfWidth: half.x, halfHeight: half.y, scale: size / 2)
        let thickness = max(0.016, 1.1 / size)
        painting.fill({ abs($0.x - 0.085 * Float(sin(Double($0.y) * 3.4 + 3.2))) - thickness }) { place in
            Paint(0xF4F4F4, alpha: 0.75 * min(1, max(0, (half.y - place.y) / (0.7 * half.y))))
        }
        return painting
    }
}
