// SPDX-License-Identifier: MIT
// A bubble beside the face, with a thumb in it.

import Glibc

/// Where a bubble goes: beside the face, up from it.
struct BubblePlace {
    let middle: SIMD2<Double>
    /// Where its tail comes from.
    let mouth: SIMD2<Double>

    /// `size`: of the bubble.
    init(_ field: ReactionField, size: Double) {
        // Without a face, where one mostly is.
        let face = field.face ?? (middle: SIMD2(0.5 * field.width, 0.45 * field.height), reach: 0.2)
        let reach = face.reach + 0.62 * size
        // On the side with more room; never outside, as far as there is room at all.
        let side: Double = face.middle.x <= field.width / 2 ? 1 : -1
        let half = 0.6 * size
        func held(_ place: Double, _ end: Double) -> Double { min(max(place, half), max(half, end - half)) }
        middle = SIMD2(
            held(face.middle.x + side * reach, field.width), held(face.middle.y - 0.75 * reach, field.height))
        mouth = SIMD2(face.middle.x + side * face.reach * 0.6, face.middle.y - 0.3 * face.reach)
    }
}

/// A bubble that pops up with a thumb in it.
struct BubbleScene: ReactionScene {
    private static let life = 2.5
    private static let size = 0.34
    private let place: BubblePlace
    private let isDown: Bool

    static func paintings(unit: Float) -> [Painting] {
        let size = Float(size) * unit
        return [BubblePaintings.bubble(size: size), BubblePaintings.thumb(size: 0.66 * size)]
    }

    init(_ field: ReactionField, _ dice: inout ReactionDice) { self.init(field, isDown: false) }

    init(_ field: ReactionField, isDown: Bool) {
        place = BubblePlace(field, size: Self.size)
        self.isDown = isDown
    }

    func show(at time: Double, in poses: inout [ReactionPose]) {
        let leaving = Ease.rise(time, Self.life - 0.4, Self.life)
        let opacity = Ease.visit(time, of: Self.life, in: 0.08, out: 0.4)
        let lift = SIMD2(0, -0.03 * leaving - 0.006 * sin(2.4 * time))
        func add(_ painting: Int, at middle: SIMD2<Double>, size: Double, age: Double, turn: Double = 0) {
            guard age > 0 else { return }
            poses.append(
                ReactionPose(
                    painting: painting, middle: middle + lift,
                    size: SIMD2(repeating: size * Ease.spring(age) * (1 - 0.12 * leaving)), turn: turn,
                    opacity: opacity))
        }
        // Two small bubbles lead from the face to the large one.
        let way = place.middle - place.mouth
        add(0, at: place.mouth + way * 0.18, size: 0.045, age: time)
        add(0, at: place.mouth + way * 0.40, size: 0.08, age: time - 0.08)
        add(0, at: place.middle, size: Self.size, age: time - 0.16)
        // The thumb swings as it comes, and comes to rest.
        let age = time - 0.24, swing = -0.55 * exp(-3.2 * max(age, 0)) * cos(9 * age)
        let nod = 0.05 * sin(.pi * 2 * (age - 1)) * Ease.visit(age - 1, of: 1, in: 0.2, out: 0.3)
        let turn = isDown ? .pi - swing - nod : swing + nod
        add(1, at: place.middle, size: 0.66 * Self.size, age: age, turn: turn)
    }
}

/// The same with the thumb down.
struct ThumbsDownScene: ReactionScene {
    private let bubble: BubbleScene

    static func paintings(unit: Float) -> [Painting] { BubbleScene.paintings(unit: unit) }

    init(_ field: ReactionField, _ dice: inout ReactionDice) { bubble = BubbleScene(field, isDown: true) }

    func show(at time: Double, in poses: inout [ReactionPose]) { bubble.show(at: time, in: &poses) }
}

/// The paintings of a bubble and a thumb.
enum BubblePaintings {
    /// A light disc with a soft shadow.
    static func bubble(size: Float) -> Painting {
        var painting = Painting(halfWidth: 1.12, halfHeight: 1.12, scale: size / 2.24)
        painting.fill(
            softness: 0.13, { Shape.disc($0, at: Place(0, 0.03), radius: 0.97) },
            with: { _ in Paint(0x101828, alpha: 0.30) })
        painting.fill({ Shape.disc($0, radius: 0.96) }) { place in
            Paint(0xFFFFFF, alpha: 0.94).mixed(with: Paint(0xDDE6F2, alpha: 0.94), (place.y + 0.9) / 1.8)
        }
        painting.fill({ abs(Shape.disc($0, radius: 0.93)) - 0.018 }, with: { _ in Paint(0xFFFFFF, alpha: 0.8) })
        return painting
    }

    /// A hand with its thumb up.
    static func thumb(size: Float) -> Painting {
        var painting = Painting(halfWidth: 1, halfHeight: 1, scale: size / 2)
        let edge = Paint(0xB8680A)
        painting.fill({ cuff($0) }, with: { Paint(0x3E8BFF).mixed(with: Paint(0x1F5FD0), $0.y) })
        painting.fill({ hand($0) }) { place in
            let body = Paint(0xFFDB57).mixed(with: Paint(0xFFB024), (place.y + 0.75) / 1.5)
            // Darker towards the edge below, lighter above.
            let depth = hand(place), rim = max(0, 1 + depth / 0.13)
            return body.mixed(with: edge, rim * (0.24 + 0.22 * place.y))
        }
        // Where fingers meet.
        for y: Float in [-0.02, 0.25, 0.51] {
            painting.fill(softness: 0.022, { crease($0, y) }, with: { _ in edge * 0.55 })
        }
        painting.fill(softness: 0.03, { fold($0) }, with: { _ in edge * 0.5 })
        painting.fill(softness: 0.07, { shine($0) }, with: { _ in Paint(0xFFFFFF, alpha: 0.5) })
        return painting
    }

    private static func cuff(_ place: Place) -> Float {
        Shape.box(place, at: Place(-0.72, 0.30), half: Place(0.16, 0.46), corner: 0.09)
    }

    /// The palm, the thumb and four fingers.
    private static func hand(_ place: Place) -> Float {
        let palm = Shape.box(place, at: Place(-0.12, 0.27), half: Place(0.36, 0.45), corner: 0.2)
        let lower = Shape.taper(place, from: Place(-0.24, 0.12), to: Place(-0.06, -0.30), radii: (0.26, 0.20))
        let upper = Shape.taper(place, from: Place(-0.06, -0.30), to: Place(0.02, -0.72), radii: (0.20, 0.155))
        var hand = Shape.joined(palm, Shape.joined(lower, upper, blend: 0.1), blend: 0.12)
        let fingers: [(y: Float, end: Float)] = [(-0.14, 0.56), (0.115, 0.62), (0.375, 0.57), (0.60, 0.46)]
        for finger in fingers {
            let shape = Shape.taper(
                place, from: Place(0, finger.y), to: Place(finger.end, finger.y), radii: (0.13, 0.132))
            hand = Shape.joined(hand, shape, blend: 0.035)
        }
        return hand
    }

    private static func crease(_ place: Place, _ y: Float) -> Float {
        Shape.taper(place, from: Place(0.24, y), to: Place(0.60, y), radii: (0.003, 0.012))
    }

    /// Between the thumb and the fingers.
    private static func fold(_ place: Place) -> Float {
        Shape.taper(place, from: Place(0.06, -0.10), to: Place(0.14, -0.24), radii: (0.004, 0.012))
    }

    private static func shine(_ place: Place) -> Float {
        Shape.taper(place, from: Place(-0.13, -0.32), to: Place(-0.07, -0.66), radii: (0.02, 0.035))
    }
}
