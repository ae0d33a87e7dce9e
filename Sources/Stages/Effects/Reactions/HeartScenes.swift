// SPDX-License-Identifier: MIT
// Hearts: one that beats, and many that rise.

import Glibc

/// The paintings of hearts.
enum HeartPaintings {
    /// The upper and the lower colour of each.
    private static let colours: [(upper: UInt32, lower: UInt32)] = [
        (0xFF5A6E, 0xE3123F), (0xFF86A8, 0xF2437C), (0xFF6F61, 0xD91E36),
    ]
    static var count: Int { colours.count }

    /// A heart for each colour, `size` samples wide.
    static func all(size: Float) -> [Painting] {
        colours.map { colour in
            var painting = Painting(halfWidth: 1.06, halfHeight: 1.06, scale: size / 2.12)
            let (upper, lower) = (Paint(colour.upper), Paint(colour.lower))
            painting.fill(Shape.heart) { place in
                let body = upper.mixed(with: lower, (place.y + 0.7) / 1.5)
                // Darker to the lower right, as if it were round.
                let far = Shape.length(place - Place(-0.35, -0.45)) / 1.3
                return body.mixed(with: Paint(0xA80F30), 0.30 * far * far * far)
            }
            painting.fill(softness: 0.16, { shine($0) }, with: { _ in Paint(0xFFFFFF, alpha: 0.42) })
            return painting
        }
    }

    private static func shine(_ place: Place) -> Float {
        Shape.taper(place, from: Place(-0.68, -0.36), to: Place(-0.40, -0.62), radii: (0.06, 0.09))
    }
}

/// A large heart beside the face that beats twice, and small ones that leave it.
struct HeartScene: ReactionScene {
    private struct Small {
        let birth: Double
        let life: Double
        let painting: Int
        let size: Double
        let drift: Double
        let speed: Double
        let phase: Double
    }

    private static let life = 2.5
    private static let size = 0.30
    private let place: SIMD2<Double>
    private let small: [Small]

    static func paintings(unit: Float) -> [Painting] { HeartPaintings.all(size: Float(size) * unit) }

    init(_ field: ReactionField, _ dice: inout ReactionDice) {
        // Lower than a bubble: small hearts need room above it.
        place = BubblePlace(field, size: Self.size).middle + SIMD2(0.02, 0.16)
        small = (0..<9).map { number in
            Small(
                birth: 0.3 + 0.12 * Double(number), life: dice.from(0.9, to: 1.2),
                painting: dice.one(of: HeartPaintings.count), size: dice.from(0.035, to: 0.07),
                drift: (number % 2 == 0 ? 1 : -1) * dice.from(0.06, to: 0.2), speed: dice.from(0.22, to: 0.36),
                phase: dice.angle())
        }
    }

    func show(at time: Double, in poses: inout [ReactionPose]) {
        for heart in small {
            let age = time - heart.birth
            guard age > 0, age < heart.life else { continue }
            let sway = 0.02 * sin(4 * age + heart.phase)
            poses.append(
                ReactionPose(
                    painting: heart.painting,
                    middle: place + SIMD2(heart.drift * sqrt(age) + sway, -0.05 - heart.speed * age),
                    size: SIMD2(repeating: heart.size * Ease.spring(age * 1.2)),
                    turn: 0.25 * sin(3 * age + heart.phase),
                    opacity: Ease.visit(age, of: heart.life, in: 0.1, out: 0.5)))
        }
        let beats = 0.14 * (beat(time - 0.75) + beat(time - 1.35))
        let leaving = Ease.rise(time, Self.life - 0.45, Self.life)
        poses.append(
            ReactionPose(
                painting: 0, middle: place - SIMD2(0, 0.05 * leaving),
                size: SIMD2(repeating: Self.size * Ease.spring(time) * (1 + beats) * (1 - 0.25 * leaving)),
                turn: -0.10 + 0.04 * sin(2.2 * time), opacity: Ease.visit(time, of: Self.life, in: 0.1, out: 0.45)))
    }

    /// Grows and shrinks within a third of a second.
    private func beat(_ age: Double) -> Double { age > 0 && age < 0.34 ? sin(.pi * age / 0.34) : 0 }
}

/// Many hearts that rise from below: large ones before people, some small ones behind.
struct HeartsScene: ReactionScene {
    private struct Heart {
        let birth: Double
        let life: Double
        let painting: Int
        let size: Double
        let x: Double
        let speed: Double
        let sway: Double
        let pace: Double
        let phase: Double
        let isBehind: Bool
    }

    private static let largest = 0.17
    private let hearts: [Heart]
    private let bottom: Double

    static func paintings(unit: Float) -> [Painting] { HeartPaintings.all(size: Float(largest) * unit) }

    init(_ field: ReactionField, _ dice: inout ReactionDice) {
        bottom = field.height
        let count = 34
        let hearts = (0..<count).map { number in
            let isBehind = number % 5 < 2
            let size = isBehind ? dice.from(0.05, to: 0.09) : dice.from(0.07, to: Self.largest)
            let life = dice.from(1.3, to: 1.75)
            return Heart(
                birth: 1.2 * Double(number) / Double(count) + dice.from(-0.02, to: 0.05), life: life,
                painting: dice.one(of: HeartPaintings.count), size: size,
                // Each in a strip of its own, so that none of the picture stays empty.
                x: field.width * (Double(number * 13 % count) + dice.from(0.1, to: 0.9)) / Double(count),
                speed: (isBehind ? 0.75 : 0.9) * dice.from(0.75, to: 1.1), sway: dice.from(0.012, to: 0.035),
                pace: dice.from(2.5, to: 4), phase: dice.angle(), isBehind: isBehind)
        }
        self.hearts = hearts.sorted { $0.size < $1.size }
    }

    func show(at time: Double, in poses: inout [ReactionPose]) {
        for heart in hearts {
            let age = time - heart.birth
            guard age > 0, age < heart.life else { continue }
            let wave = heart.pace * age + heart.phase
            // Quick at first, then calmer.
            let rise = heart.speed * (age * 0.55 + 0.45 * (1 - exp(-1.6 * age)))
            poses.append(
                ReactionPose(
                    painting: heart.painting,
                    middle: SIMD2(heart.x + heart.sway * sin(wave), bottom + heart.size * 0.6 - rise),
                    size: SIMD2(repeating: heart.size * (0.7 + 0.3 * Ease.rise(age, 0, 0.5))),
                    turn: 0.22 * cos(wave), opacity: 0.96 * (1 - Ease.rise(age, heart.life - 0.6, heart.life)),
                    isBehind: heart.isBehind))
        }
    }
}
