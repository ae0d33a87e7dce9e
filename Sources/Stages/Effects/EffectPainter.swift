// SPDX-License-Identifier: MIT
// Draws a backdrop and light into a picture.

import Fusion
import LivecapCFusionKernels
import LivecapDetection
import LivecapFrames

/// Draws effects into planes, two rows at a time. It owns its working memory.
final class EffectPainter {
    private let kernels: UnsafePointer<fusion_kernels>
    private let range: (black: Int32, white: Int32)
    private let width: Int
    private let memory: UnsafeMutablePointer<UInt8>
    /// Two rows of a matte, one of the pairs of both, what is behind a row, the light on it, and how dim what is behind
    /// is.
    private let alphas: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>)
    private let pairs: UnsafeMutablePointer<UInt8>
    private let behind: UnsafeMutablePointer<UInt8>
    private let light: UnsafeMutablePointer<UInt8>
    private let dimness: UnsafeMutablePointer<UInt8>

    /// For pictures of a kind.
    init(_ kind: PictureKind) {
        kernels = kind.kernels
        range = kind.range
        width = kind.size.width
        let row = (width + 63) & ~63
        memory = .allocate(capacity: 6 * row)
        memory.initialize(repeating: 0, count: 6 * row)
        alphas = (memory, memory + row)
        pairs = memory + 2 * row
        behind = memory + 3 * row
        light = memory + 4 * row
        dimness = memory + 5 * row
    }

    deinit { memory.deallocate() }

    /// Draws `backdrop` behind the people that `lines` cut out, and lights the picture; each if it is given. `mask`
    /// keeps where people are.
    func draw(
        _ planes: PicturePlanes, people lines: QuadMap, backdrop: Backdrop.Image?, light map: LightMap?,
        keeping mask: PeopleMask? = nil
    ) {
        if let map { dimness.update(repeating: map.behind, count: width) }
        for y in 0..<planes.cb.height {
            cut(planes, y, lines)
            mask?.keep(y, alphas.0, alphas.1, pairs: pairs)
            if let backdrop { blend(planes, y, backdrop) }
            if let map { light(planes, y, map.people) }
        }
    }

    /// Finds where people are in two rows of brightness, and one of chroma.
    private func cut(_ planes: PicturePlanes, _ y: Int, _ lines: QuadMap) {
        for (place, alpha) in [(2 * y, alphas.0), (2 * y + 1, alphas.1)] {
            let at = lines.rows(at: place)
            kernels.pointee.effects.matte_row(
                planes.luma.row(place), lines.row(at.upper), lines.row(at.lower), at.fraction, lines.width, width,
                alpha)
        }
        kernels.pointee.effects.pair_alphas(alphas.0, alphas.1, width / 2, pairs)
    }

    /// Blends two rows of brightness, and one of chroma.
    private func blend(_ planes: PicturePlanes, _ y: Int, _ backdrop: Backdrop.Image) {
        for (place, alpha) in [(2 * y, alphas.0), (2 * y + 1, alphas.1)] {
            let row = planes.luma.row(place)
            var back = UnsafePointer(behind)
            switch backdrop {
            case .cells(let cells): enlarge(cells, at: cells.rows(at: place), step: 4, to: behind)
            case .planes(let picture): back = UnsafePointer(picture.luma.row(place))
            }
            kernels.pointee.effects.blend_bytes(row, back, alpha, width, row)
        }
        for (plane, lane) in [(planes.cb, 1), (planes.cr, 2)] {
            var back = UnsafePointer(behind)
            switch backdrop {
            case .cells(let cells):
                enlarge(cells, lane: lane, at: cells.rows(at: y, shared: 2), step: 2, to: behind)
            case .planes(let picture): back = UnsafePointer((lane == 1 ? picture.cb : picture.cr).row(y))
            }
            kernels.pointee.effects.blend_bytes(plane.row(y), back, pairs, width / 2, plane.row(y))
        }
    }

    /// Lights two rows of brightness, and one of chroma, which has to know the brightness before.
    private func light(_ planes: PicturePlanes, _ y: Int, _ people: QuadMap) {
        let (upper, lower) = (planes.luma.row(2 * y), planes.luma.row(2 * y + 1)), half = width / 2
        enlarge(people, at: people.rows(at: y, shared: 2), step: 2, to: light)
        dim(half, beyond: pairs)
        for plane in [planes.cb, planes.cr] {
            kernels.pointee.effects.light_chroma(
                plane.row(y), upper, lower, light, half, range.black, range.white, plane.row(y))
        }
        for (place, row, alpha) in [(2 * y, upper, alphas.0), (2 * y + 1, lower, alphas.1)] {
            enlarge(people, at: people.rows(at: place), step: 4, to: light)
            dim(width, beyond: alpha)
            kernels.pointee.effects.light_luma(row, light, width, range.black, range.white, row)
        }
    }

    /// Leaves the light on people, by the square of their matte: their edges also show something of what is behind,
    /// which would shine.
    private func dim(_ count: Int, beyond alpha: UnsafeMutablePointer<UInt8>) {
        for _ in 0..<2 { kernels.pointee.effects.blend_bytes(light, dimness, alpha, count, light) }
    }

    /// Enlarges one of a map's numbers to a row of brightness (`step` 4) or chroma (2).
    private func enlarge(
        _ map: QuadMap, lane: Int = 0, at place: (upper: Int, lower: Int, fraction: Float), step: Int,
        to out: UnsafeMutablePointer<UInt8>
    ) {
        kernels.pointee.effects.enlarge_row(
            map.row(place.upper), map.row(place.lower), lane, place.fraction, step, map.width,
            width * step / QuadMap.side, out)
    }
}
