// SPDX-License-Identifier: MIT
// What falls: rain and confetti.

import Glibc

/// Rain, mostly behind people, where it becomes darker.
struct RainScene: ReactionScene {
    private struct Drop {
        let x: Double
        let phase: Double
        let speed: Double
        let length: Double
        let opacity: Double
        let isBehind: Bool
    }

    private static let life = 4.0
    /// How far drops move sideways while they fall by 1.
    private static let slant = -0.10
    private let drops: [Drop]
    private let field: SIMD2<Double>

    static func paintings(unit: Float) -> [Painting] { [drop(length: 0.09 * unit)] }

    init(_ field: ReactionField, _ dice: inout ReactionDice) {
        self.field = SIMD2(field.width, field.height)
        drops = (0..<190).map { number in
            let isBehind = number % 5 != 0
            return Drop(
                x: dice.from(-0.1, to: field.width + 0.2), phase: dice.from(0, to: 1),
                speed: (isBehind ? 1.25 : 1.7) * dice.from(0.9, to: 1.15),
                length: (isBehind ? 0.055 : 0.085) * dice.from(0.8, to: 1.1),
                opacity: (isBehind ? 0.8 : 0.55) * dice.from(0.55, to: 1), isBehind: isBehind)
        }
    }

    private func strength(_ time: Double) -> Double { Ease.visit(time, of: Self.life, in: 0.6, out: 0.8) }

    func wash(at time: Double) -> ReactionWash? {
        let strength = strength(time)
        return strength > 0 ? ReactionWash(colour: 0x1A2B44, upper: 0.58 * strength, lower: 0.2 * strength) : nil
    }

    func show(at time: Double, in poses: inout [ReactionPose]) {
        let strength = strength(time)
        guard strength > 0 else { return }
        for drop in drops {
            // Each falls again and again, by a little more than the height.
            let height = field.y + 0.25, fallen = drop.phase * height + drop.speed * time
            let y = fallen - height * (fallen / height).rounded(.down) - 0.12
            poses.append(
                ReactionPose(
                    painting: 0, middle: SIMD2(drop.x + Self.slant * y, y),
                    size: SIMD2(drop.isBehind ? 0.0085 : 0.011, drop.length), turn: atan2(-Self.slant, 1),
                    opacity: drop.opacity * strength, isBehind: drop.isBehind))
        }
    }

    /// A streak, thicker below.
    private static func drop(length: Float) -> Painting {
        var painting = Painting(halfWidth: 0.12, halfHeight: 1, scale: max(length, 24) / 2)
        painting.fill(
            softness: 0.04, { Shape.taper($0, from: Place(0, -0.9), to: Place(0, 0.85), radii: (0.01, 0.05)) }
        ) { place in Paint(0xD8ECFF, alpha: 0.15 + 0.85 * min(1, max(0, (place.y + 1) / 1.7))) }
        return painting
    }
}

/// Confetti from above that tumbles, behind and before people.
struct ConfettiScene: ReactionScene {
    private struct Piece {
        let birth: Double
        let painting: Int
        let size: SIMD2<Double>
        let x: Double
        let drift: Double
        let push: Double
        let speed: Double
        let sway: Double
        let tumble: Double
        let spin: Double
        let phase: Double
        let isBehind: Bool
    }

    private static let life = 4.0
    private static let colours: [(front: UInt32, back: UInt32)] = [
        (0xFF4D6D, 0xC4284A), (0xFFC22E, 0xD1930C), (0x3ED598, 0x1F9E6C), (0x3DA5FF, 0x1A72C8), (0xA66BFF, 0x7440C4),
        (0xFF8A3D, 0xC95D17),
    ]
    private let pieces: [Piece]

    /// The front and the back of a piece of each colour.
    static func paintings(unit: Float) -> [Painting] {
        colours.flatMap { [$0.front, $0.back] }.map { colour in
            var painting = Painting(halfWidth: 1, halfHeight: 1, scale: max(4, 0.016 * unit))
            painting.cover { _ in Paint(colour) }
            return painting
        }
    }

    init(_ field: ReactionField, _ dice: inout ReactionDice) {
        pieces = (0..<210).map { number in
            let isBehind = number % 9 < 4, closeness = isBehind ? 0.72 : 1.0
            let width = dice.from(0.016, to: 0.024) * closeness
            return Piece(
                birth: number < 110 ? dice.from(0, to: 0.25) : dice.from(0.2, to: 1.6),
                painting: 2 * dice.one(of: Self.colours.count), size: SIMD2(width, width * dice.from(1.2, to: 1.9)),
                x: dice.from(-0.03, to: field.width + 0.03), drift: dice.from(-0.07, to: 0.07),
                push: dice.from(0.1, to: 0.55), speed: dice.from(0.24, to: 0.40) * closeness,
                sway: dice.from(0.01, to: 0.035), tumble: dice.from(4, to: 9), spin: dice.from(-2.2, to: 2.2),
                phase: dice.angle(), isBehind: isBehind)
        }
    }

    func show(at time: Double, in poses: inout [ReactionPose]) {
        let opacity = 1 - Ease.rise(time, Self.life - 0.8, Self.life)
        guard time > 0, opacity > 0 else { return }
        for piece in pieces {
            let age = time - piece.birth
            guard age > 0 else { continue }
            // Thrown at first; the air soon brings it to its own speed.
            let fallen = piece.speed * age + piece.push * (1 - exp(-2.2 * age))
            let wave = 2.4 * age + piece.phase, face = cos(piece.tumble * age + piece.phase)
            poses.append(
                ReactionPose(
                    painting: piece.painting + (face < 0 ? 1 : 0),
                    middle: SIMD2(piece.x + piece.drift * age + piece.sway * sin(wave), fallen - 0.04),
                    size: piece.size * SIMD2(1, max(0.12, abs(face))), turn: piece.spin * age + piece.phase,
                    opacity: opacity, isBehind: piece.isBehind))
        }
    }
}
