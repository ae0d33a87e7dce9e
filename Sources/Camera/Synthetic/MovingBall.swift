// SPDX-License-Identifier: MIT
// The moving object: a striped ball, drawn once and composited onto the scene at its position.

import LivecapFrames

/// A picture of the ball with its coverage in the fourth channel. The other channels are premultiplied by it.
struct MovingBall: Sendable {
    /// The ball's radius in pixels.
    let radius: Double
    private let side: Int
    private let pixels: [SIMD4<Float>]

    init(size: FrameSize, seed: UInt64) {
        let radius = max(4, Float(size.height) * 0.12)
        self.radius = Double(radius)
        let side = 2 * Int(radius.rounded(.up)) + 6
        self.side = side
        let colors = [0xC8322B, 0xF2EFE6, 0x2457A6, 0xF2EFE6, 0xE0B022, 0xF2EFE6].map { SceneMath.color($0) }
        let middle = Float(side - 1) / 2
        pixels = (0..<(side * side)).map { index in
            let (x, y) = ((Float(index % side) - middle) / radius, (Float(index / side) - middle) / radius)
            let square = x * x + y * y
            let cover = SceneMath.clamped((1 - square.squareRoot()) * radius + 0.5)
            guard cover > 0 else { return SIMD4(repeating: 0) }
            // Stripes are slices across a tilted axis, as on a beach ball seen from the side.
            let z = max(0, 1 - square).squareRoot()
            let along = 0.75 * x - 0.55 * y + 0.36 * z
            let slice = (along + 1.3) * 2.6
            let stripe = colors[Int(slice) % colors.count]
            let next = colors[(Int(slice) + 1) % colors.count]
            let blend = SceneMath.smoothstep(0.94, 1, slice - slice.rounded(.down))
            let leather = 1 + 0.4 * SceneMath.texture(x * 16, y * 16, octaves: 4, pixel: 16 / radius, seed &+ 51)
            let facing = max(0, -0.45 * x - 0.60 * y + 0.66 * z)
            var shine = max(0, -0.28 * x - 0.38 * y + 0.88 * z)
            for _ in 0..<5 { shine *= shine }
            var color = SceneMath.mix(stripe, next, blend) * ((0.15 + 0.9 * facing) * leather)
            color += SIMD4(repeating: 0.35 * shine)
            color = color.clamped(lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 1)) * cover
            color.w = cover
            return color
        }
    }

    /// The ball's light and coverage `dx` right of and `dy` below its centre.
    func at(_ dx: Double, _ dy: Double) -> SIMD4<Float> {
        let (x, y) = (dx + Double(side - 1) / 2, dy + Double(side - 1) / 2)
        let (left, top) = (x.rounded(.down), y.rounded(.down))
        guard left >= 0, top >= 0, Int(left) + 1 < side, Int(top) + 1 < side else { return SIMD4(repeating: 0) }
        let (tx, ty) = (Float(x - left), Float(y - top))
        let place = Int(top) * side + Int(left)
        let above = pixels[place] + (pixels[place + 1] - pixels[place]) * tx
        let below = pixels[place + side] + (pixels[place + side + 1] - pixels[place + side]) * tx
        return above + (below - above) * ty
    }

    /// Composites the ball onto a row of light. `middle` is its centre in that frame.
    func lay(over row: UnsafeMutablePointer<SIMD4<Float>>, row y: Int, width: Int, at middle: (x: Double, y: Double)) {
        let dy = Double(y) - middle.y
        guard abs(dy) < radius + 2 else { return }
        let first = max(0, Int((middle.x - radius - 2).rounded(.down)))
        let last = min(width - 1, Int((middle.x + radius + 2).rounded(.up)))
        guard first <= last else { return }
        for x in first...last {
            let ball = at(Double(x) - middle.x, dy)
            row[x] = row[x] * (1 - ball.w) + ball
        }
    }
}
