// SPDX-License-Identifier: MIT
// The larger things in the scene: a picture on the wall, books, a colour chart.

/// How much of a pixel is covered at a signed distance inside an edge.
func coverage(_ distance: Float, _ pixel: Float) -> Float { SceneMath.clamped(distance / pixel + 0.5) }

/// A framed landscape: sky, sun and three ridges.
struct WallPicture: Sendable {
    let seed: UInt64
    let pixel: Float

    func paint(_ u: Float, _ v: Float, _ color: inout SIMD4<Float>) {
        let (x, y) = (u + 0.52, v - 0.29)
        let inside = min(0.27 - abs(x), 0.19 - abs(y))
        // Its shadow on the wall, then the frame, the mat and the picture.
        let under = min(0.27 - abs(x - 0.012), 0.19 - abs(y - 0.018))
        color *= 1 - 0.4 * SceneMath.smoothstep(-0.012, 0.01, under)
        guard inside > -pixel else { return }
        let bevel: Float = abs(x) / 0.27 > abs(y) / 0.19 ? (x < 0 ? 1.2 : 0.75) : (y < 0 ? 1.35 : 0.65)
        let grain = 1 + 0.5 * SceneMath.texture(x * 60, y * 60, octaves: 3, pixel: 60 * pixel, seed &+ 31)
        color = SceneMath.mix(color, SceneMath.color(0x4A2F1B) * (bevel * grain), coverage(inside, pixel))
        color = SceneMath.mix(color, SceneMath.color(0xE6E0D2), coverage(inside - 0.022, pixel))
        color = SceneMath.mix(color, landscape(x, y), coverage(inside - 0.045, pixel))
    }

    private func landscape(_ x: Float, _ y: Float) -> SIMD4<Float> {
        let height = (y + 0.145) / 0.29
        var color = SceneMath.mix(SceneMath.color(0x3F74B8), SceneMath.color(0xF3C58C), SceneMath.clamped(height * 1.5))
        let clouds = SceneMath.texture(x * 9, y * 26, octaves: 5, pixel: 26 * pixel, seed &+ 32)
        color = SceneMath.mix(color, SceneMath.color(0xFFF4E6), 0.8 * SceneMath.smoothstep(0.02, 0.30, clouds))
        let (sx, sy) = (x - 0.09, y + 0.02)
        let sun = 0.028 - (sx * sx + sy * sy).squareRoot()
        color = SceneMath.mix(color, SceneMath.color(0xFFF3C0), coverage(sun, pixel))
        for (ridge, code) in [(0, 0x6B7F97), (1, 0x3E5A3A), (2, 0x22361F)] as [(Int, UInt32)] {
            let scale = Float(5 + 3 * ridge)
            let line = SceneMath.texture(x * scale, Float(ridge) * 7.3, octaves: 7, pixel: scale * pixel, seed &+ 33)
            let top = 0.035 + 0.035 * Float(ridge) - line * (0.22 - 0.05 * Float(ridge))
            let wood = SceneMath.texture(x * 70, y * 70, octaves: 3, pixel: 70 * pixel, seed &+ 34)
            color = SceneMath.mix(color, SceneMath.color(code) * (1 + 0.8 * wood), coverage(y - top, pixel))
        }
        return color
    }
}

/// A shelf with books of all colours and sizes.
struct Bookshelf: Sendable {
    private struct Book {
        let left, width, top: Float
        let cover, label: SIMD4<Float>
        let bands: Int
    }
    private let books: [Book]
    private let seed: UInt64
    private let pixel: Float

    private static let (left, right, floor): (Float, Float, Float) = (0.02, 0.86, 0.44)
    private static let covers: [UInt32] = [
        0x7B1E22, 0x1F3A5F, 0x2F5D3A, 0xC9A227, 0x3B3B3F, 0xD8CDB8, 0x5C3566, 0x1C6E7D, 0xB4552D, 0x8A8D91,
    ]

    init(seed: UInt64, pixel: Float) {
        self.seed = seed
        self.pixel = pixel
        var (books, left): ([Book], Float) = ([], Self.left + 0.01)
        while left < Self.right - 0.03 {
            func random(_ what: Int) -> Float { SceneMath.random(books.count, what, seed &+ 41) }
            let width = 0.022 + 0.034 * random(0)
            books.append(
                Book(
                    left: left, width: width, top: Self.floor - 0.20 - 0.10 * random(1),
                    cover: SceneMath.color(Self.covers[Int(random(2) * 9.99)]),
                    label: SceneMath.color(random(3) < 0.5 ? 0xE2C36B : 0xF2EEE4), bands: Int(random(4) * 4)))
            left += width + (random(5) < 0.12 ? 0.05 : 0.0015)
        }
        self.books = books
    }

    func paint(_ u: Float, _ v: Float, _ color: inout SIMD4<Float>) {
        guard u > Self.left - 0.05, u < Self.right + 0.05, v > 0.08, v < 0.53 else { return }
        let side = SceneMath.smoothstep(-0.045, 0.02, min(u - Self.left, Self.right - u))
        color *= 1 - 0.5 * side * SceneMath.smoothstep(0.08, 0, v - Self.floor - 0.02) * coverage(v - Self.floor, pixel)
        for book in books where u > book.left - 2 * pixel && u < book.left + book.width + 2 * pixel {
            let (x, y) = ((u - book.left) / book.width, v - book.top)
            let inside = min(u - book.left, book.left + book.width - u, y, Self.floor - v)
            let round = 0.45 + 2.2 * x * (1 - x)
            let cloth = 1 + 0.35 * SceneMath.texture(u * 160, v * 160, octaves: 2, pixel: 160 * pixel, seed &+ 42)
            var spine = book.cover * (round * cloth)
            for band in 0..<book.bands {
                let distance = 0.0022 - abs(y - 0.03 - 0.055 * Float(band))
                spine = SceneMath.mix(spine, book.label * round, coverage(distance, pixel))
            }
            if book.bands == 0 {
                // A title in small marks down the spine.
                let place = Int(((y - 0.03) / 0.009).rounded(.down))
                let isMark = place >= 0 && place < 14 && SceneMath.random(place, Int(book.left * 1000), seed) < 0.7
                let mark = min(0.2 - abs(x - 0.5), isMark ? 0.3 - abs((y - 0.03) / 0.009 - Float(place) - 0.5) : -1)
                spine = SceneMath.mix(spine, book.label * round, SceneMath.clamped(mark * 0.009 / pixel + 0.5))
            }
            color = SceneMath.mix(color, spine, coverage(inside, pixel))
        }
        let board = min(u - Self.left + 0.02, Self.right + 0.02 - u, v - Self.floor, Self.floor + 0.022 - v)
        let grain = 1 + 0.6 * SceneMath.texture(u * 14, v * 160, octaves: 3, pixel: 160 * pixel, seed &+ 43)
        let lit: Float = v - Self.floor < 0.004 ? 1.5 : 1
        color = SceneMath.mix(color, SceneMath.color(0x6E4A2C) * (grain * lit), coverage(board, pixel))
    }
}

/// Six by four patches of known colours on black.
struct ColorChart: Sendable {
    let pixel: Float
    private static let patches: [UInt32] = [
        0x735244, 0xC29682, 0x627A9D, 0x576C43, 0x8580B1, 0x67BDAA, 0xD67E2C, 0x505BA6, 0xC15A63, 0x5E3C6C, 0x9DBC40,
        0xE0A32E, 0x383D96, 0x469449, 0xAF363C, 0xE7C71F, 0xBB5695, 0x0885A1, 0xF3F3F2, 0xC8C8C8, 0xA0A0A0, 0x7A7A79,
        0x555555, 0x343434,
    ]
    private static let lights = patches.map(SceneMath.color)

    func paint(_ u: Float, _ v: Float, _ color: inout SIMD4<Float>) {
        let (x, y) = (u - 0.14, v - 0.565)
        let (width, height): (Float, Float) = (0.324, 0.216)
        let inside = min(min(x, width - x), min(y, height - y)) + 0.008
        guard inside > -pixel else { return }
        color = SceneMath.mix(color, SIMD4(repeating: 0.012), coverage(inside, pixel))
        let side: Float = 0.054
        let (column, row) = (Int((x / side).rounded(.down)), Int((y / side).rounded(.down)))
        guard (0..<6).contains(column), (0..<4).contains(row) else { return }
        let (px, py) = (x - (Float(column) + 0.5) * side, y - (Float(row) + 0.5) * side)
        let patch = 0.023 - max(abs(px), abs(py))
        color = SceneMath.mix(color, Self.lights[6 * row + column] * 0.9, coverage(patch, pixel))
    }
}
