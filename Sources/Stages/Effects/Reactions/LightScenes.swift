// SPDX-License-Identifier: MIT
// What shines behind people: lasers and fireworks.

import Glibc

/// Beams from below that sweep behind people.
struct LaserScene: ReactionScene {
    private struct Beam {
        let painting: Int
        /// Whether it is the first of those from its origin.
        let isFirst: Bool
        let origin: SIMD2<Double>
        let angle: Double
        let sweep: Double
        let pace: Double
        let phase: Double
    }

    private static let life = 4.0
    private static let colours: [(core: UInt32, glow: UInt32)] = [
        (0xC9FFD9, 0x19E65A), (0xFFD3F4, 0xFF2BC2), (0xD3F1FF, 0x1FA8FF), (0xE6D8FF, 0x8A3DFF),
    ]
    private static let width: Float = 0.032
    private let beams: [Beam]
    private let length: Double

    /// For each colour a beam, and a glow where beams come from.
    static func paintings(unit: Float) -> [Painting] {
        colours.flatMap { [beam($0.core, $0.glow, width: width * unit), glow($0.core, $0.glow, size: 0.16 * unit)] }
    }

    init(_ field: ReactionField, _ dice: inout ReactionDice) {
        length = 1.15 * (field.width * field.width + field.height * field.height).squareRoot()
        let origins = [0.08, 0.36, 0.64, 0.92].map { SIMD2($0 * field.width, field.height + 0.02) }
        beams = origins.enumerated().flatMap { number, origin in
            let phase = dice.angle(), pace = dice.from(1.1, to: 1.5)
            let inwards = (0.5 - origin.x / field.width) * 0.5
            // Fewer in the middle, where people are.
            let outer = number == 0 || number == origins.count - 1
            return (0..<(outer ? 3 : 2)).map { beam in
                let share = outer ? Double(beam) : Double(beam) + 0.5, colour = (number + beam) % Self.colours.count
                return Beam(
                    painting: 2 * colour, isFirst: beam == 0, origin: origin, angle: inwards + 0.42 * (share - 1),
                    sweep: 0.34, pace: pace, phase: phase + 0.5 * share)
            }
        }
    }

    func wash(at time: Double) -> ReactionWash? {
        let strength = Ease.visit(time, of: Self.life, in: 0.4, out: 0.7)
        return strength > 0 ? ReactionWash(colour: 0x06060F, upper: 0.55 * strength, lower: 0.42 * strength) : nil
    }

    func show(at time: Double, in poses: inout [ReactionPose]) {
        let strength = Ease.visit(time, of: Self.life, in: 0.3, out: 0.6)
        guard strength > 0 else { return }
        for (number, beam) in beams.enumerated() {
            let wave = beam.pace * time + beam.phase
            let angle = beam.angle + beam.sweep * sin(2 * wave)
            // They shoot out at first, one after another.
            let reach = length * Ease.rise(time, 0.05 * Double(number % 4), 0.5 + 0.05 * Double(number % 4))
            guard reach > 0.01 else { continue }
            let way = SIMD2(sin(angle), -cos(angle))
            poses.append(
                ReactionPose(
                    painting: beam.painting, middle: beam.origin + way * (reach / 2),
                    size: SIMD2(Double(Self.width), reach),
                    turn: angle, opacity: strength * (0.82 + 0.18 * sin(5 * time + 2 * beam.phase)), isBehind: true))
        }
        for beam in beams where beam.isFirst {
            poses.append(
                ReactionPose(
                    painting: beam.painting + 1, middle: beam.origin, size: SIMD2(repeating: 0.26),
                    opacity: 0.8 * strength, isBehind: true))
        }
    }

    /// A beam along y, with a light core; weaker at its far end, above.
    private static func beam(_ core: UInt32, _ glow: UInt32, width: Float) -> Painting {
        var painting = Painting(halfWidth: 1, halfHeight: 2, scale: max(width, 12) / 2)
        painting.cover { place in
            let far = 0.55 + 0.45 * (place.y + 2) / 4
            // As if nothing came from beyond the painting's edge.
            let across = 1 - place.x * place.x, soft = across * across * exp(-2.2 * place.x * place.x)
            let sharp = exp(-45 * place.x * place.x)
            return Paint(glow, alpha: 0.7 * soft * far).under(Paint(core, alpha: 0.95 * sharp * far))
        }
        return painting
    }

    private static func glow(_ core: UInt32, _ glow: UInt32, size: Float) -> Painting {
        var painting = Painting(halfWidth: 1, halfHeight: 1, scale: max(size, 16) / 2)
        painting.cover { place in
            let far = min(1, Shape.length(place)), soft = (1 - far) * (1 - far)
            return Paint(glow, alpha: 0.8 * soft).under(Paint(core, alpha: 0.9 * soft * soft * soft))
        }
        return painting
    }
}

/// Fireworks behind people.
struct FireworkScene: ReactionScene {
    private struct Burst {
        let birth: Double
        let middle: SIMD2<Double>
        let start: SIMD2<Double>
        let reach: Double
        let painting: Int
        /// Where sparks fly: directions of all lengths up to 1, as those of a sphere seem to.
        let ways: [SIMD2<Double>]
        let life: Double
    }

    private static let life = 4.0
    private static let rise = 0.45
    private static let colours: [(core: UInt32, glow: UInt32)] = [
        (0xFFF3D0, 0xFFB52E), (0xFFE0E6, 0xFF3D63), (0xDDF4FF, 0x3AA9FF), (0xE3FFE6, 0x3FE07A), (0xF1E2FF, 0xA45CFF),
    ]
    private let bursts: [Burst]

    static func paintings(unit: Float) -> [Painting] {
        colours.map { spark($0.core, $0.glow, size: 0.03 * unit) }
    }

    init(_ field: ReactionField, _ dice: inout ReactionDice) {
        // Left and right in turn, where there is room beside people.
        let places: [SIMD2<Double>] = [
            [0.24, 0.32], [0.77, 0.26], [0.5, 0.16], [0.14, 0.22], [0.86, 0.40], [0.34, 0.2],
        ]
        bursts = places.enumerated().map { number, place in
            let jitter = SIMD2(dice.from(-0.04, to: 0.04), dice.from(-0.04, to: 0.04))
            let middle = (place + jitter) * SIMD2(field.width, field.height)
            let count = 80
            let ways = (0..<count).map { spark in
                // The angle of a sphere's spiral: evenly spread, with a little disorder.
                let height = 1 - 2 * (Double(spark) + 0.5) / Double(count), angle = 2.399963 * Double(spark)
                let around = (1 - height * height).squareRoot() * dice.from(0.92, to: 1.04)
                return SIMD2(around * cos(angle), height * 0.92 + 0.1 * around * sin(angle))
            }
            return Burst(
                birth: 0.42 * Double(number) - 0.1, middle: middle,
                start: SIMD2(middle.x + dice.from(-0.1, to: 0.1), field.height + 0.02),
                reach: dice.from(0.23, to: 0.32),
                painting: (number + dice.one(of: 2)) % Self.colours.count, ways: ways, life: dice.from(1.15, to: 1.35))
        }
    }

    func wash(at time: Double) -> ReactionWash? {
        let strength = Ease.visit(time, of: Self.life, in: 0.5, out: 0.7)
        return strength > 0 ? ReactionWash(colour: 0x080C1C, upper: 0.5 * strength, lower: 0.3 * strength) : nil
    }

    func show(at time: Double, in poses: inout [ReactionPose]) {
        for burst in bursts {
            let age = time - burst.birth
            if age > 0 && age < Self.rise { climb(burst, age, &poses) }
            if age >= Self.rise { flare(burst, age - Self.rise, &poses) }
        }
    }

    /// Shows the rocket.
    private func climb(_ burst: Burst, _ age: Double, _ poses: inout [ReactionPose]) {
        let share = age / Self.rise, way = burst.middle - burst.start
        // Slower and slower.
        let middle = burst.start + way * (share * (2 - share))
        poses.append(
            ReactionPose(
                painting: burst.painting, middle: middle, size: SIMD2(0.012, 0.03 + 0.09 * (1 - share)),
                turn: atan2(way.x, -way.y), opacity: 0.85, isBehind: true))
    }

    /// Shows its sparks.
    private func flare(_ burst: Burst, _ age: Double, _ poses: inout [ReactionPose]) {
        guard age < burst.life else { return }
        if age < 0.25 {
            poses.append(
                ReactionPose(
                    painting: burst.painting, middle: burst.middle, size: SIMD2(repeating: 0.1 + 0.5 * age),
                    opacity: 0.9 * (1 - age / 0.25), isBehind: true))
        }
        let spread = burst.reach * (1 - exp(-3.2 * age)), speed = burst.reach * 3.2 * exp(-3.2 * age)
        let drop = 0.075 * age * age, fade = 1 - Ease.rise(age, 0.45 * burst.life, burst.life)
        for (number, way) in burst.ways.enumerated() {
            let moved = way * speed + SIMD2(0, 0.15 * age), pace = (moved * moved).sum().squareRoot()
            let twinkle = age > 0.5 ? 0.75 + 0.25 * sin(22 * age + Double(number) * 2.4) : 1
            poses.append(
                ReactionPose(
                    painting: burst.painting, middle: burst.middle + way * spread + SIMD2(0, drop),
                    size: SIMD2(0.019, 0.019 + 0.13 * pace), turn: atan2(moved.x, -moved.y), opacity: fade * twinkle,
                    isBehind: true))
        }
    }

    /// A light that glows.
    private static func spark(_ core: UInt32, _ glow: UInt32, size: Float) -> Painting {
        var painting = Painting(halfWidth: 1, halfHeight: 1, scale: max(size, 12) / 2)
        painting.cover { place in
            let far = min(1, Shape.length(place)), soft = (1 - far) * (1 - far) * (1 + 2 * far)
            return Paint(glow, alpha: soft).under(Paint(core, alpha: exp(-9 * far * far)))
        }
        return painting
    }
}
