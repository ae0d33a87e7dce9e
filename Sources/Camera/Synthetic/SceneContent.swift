// SPDX-License-Identifier: MIT
// The synthetic camera's subject: a wall with a picture and books, and a table with objects to measure by.

/// A still life as a function of position. It can be evaluated anywhere, including between pixels and outside the
/// picture.
///
/// Positions are in units of the picture's height: v runs from 0 at the top to 1, u from the middle to the right. The
/// result is light per channel, about 0 to 1.
struct SceneContent: Sendable {
    private let seed: UInt64
    /// The width of a pixel in these units. Edges are this wide, and finer texture is omitted.
    private let pixel: Float
    private let books: Bookshelf
    private let page: Page
    private let chart: ColorChart
    private let picture: WallPicture

    init(seed: UInt64, pixel: Float) {
        self.seed = seed
        self.pixel = pixel
        books = Bookshelf(seed: seed, pixel: pixel)
        page = Page(pixel: pixel)
        chart = ColorChart(pixel: pixel)
        picture = WallPicture(seed: seed, pixel: pixel)
    }

    private static let horizon: Float = 0.60

    func light(_ u: Float, _ v: Float) -> SIMD4<Float> {
        var color = background(u, v)
        paintForeground(u, v, &color)
        return color
    }

    /// The things in front of the wall and the table: their light times their coverage, and in the fourth channel that
    /// coverage.
    func foreground(_ u: Float, _ v: Float) -> SIMD4<Float> {
        // Painted on black and on white, they differ by what shows through.
        var (onBlack, onWhite) = (SIMD4<Float>(repeating: 0), SIMD4<Float>(repeating: 1))
        paintForeground(u, v, &onBlack)
        paintForeground(u, v, &onWhite)
        onBlack.w = SceneMath.clamped(1 - (onWhite.x - onBlack.x))
        return onBlack
    }

    /// The wall and the table, with what lies flat on them.
    func background(_ u: Float, _ v: Float) -> SIMD4<Float> {
        var color = v < Self.horizon ? wall(u, v) : table(u, v)
        color = SceneMath.mix(color, v < Self.horizon ? table(u, Self.horizon) : color, edge(v - Self.horizon))
        picture.paint(u, v, &color)
        books.paint(u, v, &color)
        cast(u, v, &color)
        return color
    }

    private func paintForeground(_ u: Float, _ v: Float, _ color: inout SIMD4<Float>) {
        chart.paint(u, v, &color)
        star(u, v, &color)
        page.paint(u, v, &color)
        fruit(u: u, v: v, at: (-0.66, 0.80), radius: 0.085, code: 0xE8801C, color: &color)
        fruit(u: u, v: v, at: (-0.51, 0.87), radius: 0.075, code: 0x7DA52E, color: &color)
        fruit(u: u, v: v, at: (0.66, 0.90), radius: 0.065, code: 0xB5261E, color: &color)
    }

    /// A ramp from 0 to 1 over the width of the pixel around `distance` 0.
    private func edge(_ distance: Float) -> Float { SceneMath.clamped(distance / pixel + 0.5) }

    private func wall(_ u: Float, _ v: Float) -> SIMD4<Float> {
        let plaster = SceneMath.texture(u * 9, v * 9, octaves: 6, pixel: 9 * pixel, seed &+ 11)
        let (du, dv) = (u + 0.35, v + 0.1)
        let lamp = 1.05 - 0.42 * (du * du + dv * dv)
        let corner = SceneMath.smoothstep(Self.horizon, Self.horizon - 0.07, v) * 0.25 + 0.75
        return SceneMath.color(0xCFC6B4) * (lamp * corner * (1 + 0.10 * plaster))
    }

    private func table(_ u: Float, _ v: Float) -> SIMD4<Float> {
        // Boards run along the picture's width, with their grain stretched the same way.
        let depth = (v - Self.horizon) / (1.6 - v)
        let board = (depth * 9).rounded(.down)
        let shift = SceneMath.random(Int(board), 3, seed) * 40
        let grain = SceneMath.texture(u * 4 + shift, depth * 120, octaves: 5, pixel: 60 * pixel, seed &+ 21)
        let rings = SceneMath.texture(u * 1.2 + shift, depth * 30, octaves: 3, pixel: 30 * pixel, seed &+ 22)
        let wood = SceneMath.mix(
            SceneMath.color(0x7A5230), SceneMath.color(0xB98A58), SceneMath.clamped(0.5 + 0.9 * grain + 0.9 * rings))
        let inBoard = depth * 9 - board
        let groove = SceneMath.smoothstep(0, 0.04, min(inBoard, 1 - inBoard)) * 0.45 + 0.55
        let tone = 0.85 + 0.3 * SceneMath.random(Int(board), 4, seed)
        return wood * (groove * tone * (0.72 + 0.35 * (v - Self.horizon) / 0.4))
    }

    /// The soft shadows of the objects on the table.
    private func cast(_ u: Float, _ v: Float, _ color: inout SIMD4<Float>) {
        func shade(cu: Float, cv: Float, ru: Float, rv: Float) {
            let (du, dv) = ((u - cu) / ru, (v - cv) / rv)
            color *= 1 - 0.55 * SceneMath.smoothstep(1, 0.2, du * du + dv * dv)
        }
        shade(cu: -0.61, cv: 0.885, ru: 0.15, rv: 0.04)
        shade(cu: -0.47, cv: 0.945, ru: 0.13, rv: 0.035)
        shade(cu: 0.70, cv: 0.965, ru: 0.12, rv: 0.03)
        shade(cu: -0.13, cv: 0.945, ru: 0.30, rv: 0.04)
        shade(cu: 0.30, cv: 0.80, ru: 0.26, rv: 0.05)
        shade(cu: 0.68, cv: 0.80, ru: 0.20, rv: 0.05)
    }

    /// A white card with a 32-spoke star, which shows how fine a detail is resolved.
    private func star(_ u: Float, _ v: Float, _ color: inout SIMD4<Float>) {
        let (x, y) = (u - 0.66, v - 0.655)
        let card = edge(0.15 - max(abs(x), abs(y)))
        guard card > 0 else { return }
        let radius = (x * x + y * y).squareRoot()
        // The sine of 32 times the angle, computed by squaring a complex number five times.
        var (re, im) = radius > 0 ? (x / radius, y / radius) : (1, 0)
        for _ in 0..<5 { (re, im) = (re * re - im * im, 2 * re * im) }
        let spoke = SceneMath.clamped(0.5 + im * radius / (32 * pixel))
        let ink = edge(0.13 - radius) * spoke
        let paper = SceneMath.color(0xECEAE4) * (1 - 0.12 * (y + 0.15))
        color = SceneMath.mix(color, SceneMath.mix(paper, SceneMath.color(0x18181A), ink), card)
    }

    /// A single-coloured ball lit by the lamp.
    private func fruit(
        u: Float, v: Float, at middle: (Float, Float), radius: Float, code: UInt32, color: inout SIMD4<Float>
    ) {
        let (x, y) = ((u - middle.0) / radius, (v - middle.1) / radius)
        let square = x * x + y * y
        guard square < 1.2 else { return }
        let cover = edge((1 - square.squareRoot()) * radius)
        let z = max(0, 1 - square).squareRoot()
        let peel = SceneMath.texture(x * 14, y * 14, octaves: 3, pixel: 14 * pixel / radius, seed &+ UInt64(code))
        let facing = max(0, -0.45 * x - 0.60 * y + 0.66 * z + 0.10 * peel)
        var shine = max(0, -0.28 * x - 0.38 * y + 0.88 * z + 0.02 * peel)
        for _ in 0..<6 { shine *= shine }
        let body = SceneMath.color(code) * (0.12 + 0.95 * facing) + SIMD4(repeating: 0.5 * shine)
        color = SceneMath.mix(color, body, cover)
    }
}
