// SPDX-License-Identifier: MIT
// Draws sprites into planes, at any place, size and turn.

import Glibc
import LivecapCFusionKernels
import LivecapDetection

/// Where a sprite is drawn, in samples of luma.
struct SpritePlace {
    /// Its middle.
    var middle: SIMD2<Double>
    /// Its width and height, both above 0.
    var size: SIMD2<Double>
    /// How far it is turned, clockwise, in radians.
    var turn: Double
    /// From 0, which is invisible, to 1.
    var opacity: Double

    /// The same in samples of chroma.
    var halved: SpritePlace {
        SpritePlace(middle: middle / 2, size: size / 2, turn: turn, opacity: opacity)
    }
}

/// Draws sprites, sampled between their own samples, so that they move smoothly. It owns its working memory.
final class SpriteDrawer {
    private let kernels: UnsafePointer<fusion_kernels>
    /// A row that hides nothing.
    private let open: UnsafeMutablePointer<UInt8>

    init(_ kind: PictureKind) {
        kernels = kind.kernels
        open = .allocate(capacity: kind.size.width)
        open.initialize(repeating: 0, count: kind.size.width)
    }

    deinit { open.deallocate() }

    /// Draws `sprite` into a picture, behind the people of `people`, if those are given.
    func draw(_ sprite: Sprite, at place: SpritePlace, into planes: PicturePlanes, behind people: PeopleMask?) {
        let opacity = Int32((min(max(place.opacity, 0), 1) * 256).rounded())
        guard opacity > 0, place.size.min() > 0 else { return }
        let rows = SpriteRows(sprite, place, width: planes.luma.width, height: planes.luma.height)
        for y in rows.range {
            guard let span = rows.span(at: y) else { continue }
            draw(span, of: rows.level, rows.level.luma, opacity, behind: people?.row(y), into: planes.luma.row(y))
        }
        let fewer = SpriteRows(sprite, place.halved, width: planes.cb.width, height: planes.cb.height)
        for y in fewer.range {
            guard let span = fewer.span(at: y) else { continue }
            let (level, mask) = (fewer.level, people?.chromaRow(y))
            draw(span, of: level, level.cb, opacity, behind: mask, into: planes.cb.row(y))
            draw(span, of: level, level.cr, opacity, behind: mask, into: planes.cr.row(y))
        }
    }

    private func draw(
        _ span: SpriteSpan, of level: SpriteLevel, _ samples: UnsafePointer<UInt32>, _ opacity: Int32,
        behind mask: UnsafePointer<UInt8>?, into row: UnsafeMutablePointer<UInt8>
    ) {
        var row = fusion_sprite_row_parameters(
            samples: samples, stride: level.stride, x: span.x, y: span.y, step_x: span.stepX, step_y: span.stepY,
            opacity: opacity, mask: (mask ?? UnsafePointer(open)) + span.start, count: span.count,
            out: row + span.start)
        kernels.pointee.effects.draw_sprite(&row)
    }
}

/// A part of a plane's row that a sprite covers, and where in the sprite it is.
private struct SpriteSpan {
    let start: Int
    let count: Int
    /// The place of its first sample in the level, whose transparent edge begins at 0, in 65536ths.
    let x: Int32
    let y: Int32
    /// How far apart its samples are there.
    let stepX: Int32
    let stepY: Int32
}

/// Which rows of a plane a sprite covers, and which parts of them.
private struct SpriteRows {
    let level: SpriteLevel
    let range: Range<Int>
    private let width: Int
    /// Where the plane's first sample is in the level, and how far apart samples are there, across and down the plane.
    private let origin: SIMD2<Double>
    private let across: SIMD2<Double>
    private let down: SIMD2<Double>

    /// So many parts of a sample are told apart.
    private static let unit = 65536.0
    /// A level is used up to this enlargement.
    private static let largest = 1.25

    init(_ sprite: Sprite, _ place: SpritePlace, width: Int, height: Int) {
        self.width = width
        level =
            sprite.levels.last {
                Double($0.width) * Self.largest >= place.size.x && Double($0.height) * Self.largest >= place.size.y
            } ?? sprite.levels[0]
        let turn = SIMD2(cos(place.turn), sin(place.turn))
        let scale = SIMD2(Double(level.width), Double(level.height)) / place.size
        across = SIMD2(turn.x, -turn.y) * scale
        down = SIMD2(turn.y, turn.x) * scale
        // Half a sample from the plane's corner to its first sample; the same less in the level; one for its edge.
        let corner = across * (0.5 - place.middle.x) + down * (0.5 - place.middle.y)
        origin = corner + SIMD2(Double(level.width), Double(level.height)) / 2 + 0.5
        // Half of a sample of the level beyond its edge is still visible.
        let reach = (abs(turn.y) * (place.size.x + 1 / scale.x) + abs(turn.x) * (place.size.y + 1 / scale.y)) / 2
        let first = min(max(place.middle.y - reach - 1, 0), Double(height))
        range = Int(first)..<max(Int(first), Int(min(max(place.middle.y + reach + 1, 0), Double(height))))
    }

    /// The part of a row that lies in the level; nil if none does.
    func span(at y: Int) -> SpriteSpan? {
        let start = origin + down * Double(y)
        guard abs(start.x) < 1e9, abs(start.y) < 1e9, abs(across.x) < 1e9, abs(across.y) < 1e9 else { return nil }
        let (x, stepX) = (Int(start.x * Self.unit), Int(across.x * Self.unit))
        let (v, stepY) = (Int(start.y * Self.unit), Int(across.y * Self.unit))
        var covered = 0..<width
        covered = covered.clamped(to: Self.steps(from: x, by: stepX, below: (level.width + 1) << 16, most: width))
        covered = covered.clamped(to: Self.steps(from: v, by: stepY, below: (level.height + 1) << 16, most: width))
        guard !covered.isEmpty else { return nil }
        let skipped = covered.lowerBound
        return SpriteSpan(
            start: skipped, count: covered.count, x: Int32(x + skipped * stepX), y: Int32(v + skipped * stepY),
            stepX: Int32(clamping: stepX), stepY: Int32(clamping: stepY))
    }

    /// The steps from 0 to `most` that lead to a place from 0 to below `end`.
    private static func steps(from start: Int, by step: Int, below end: Int, most: Int) -> Range<Int> {
        if step == 0 { return 0 <= start && start < end ? 0..<most : 0..<0 }
        // Seen from the other end, steps down are steps up.
        let (start, step) = step > 0 ? (start, step) : (end - 1 - start, -step)
        let first = start >= 0 ? 0 : (-start + step - 1) / step
        let past = start >= end ? 0 : (end - 1 - start) / step + 1
        return min(first, most)..<max(min(first, most), min(past, most))
    }
}
