// SPDX-License-Identifier: MIT
// Draws a backdrop and light into a still, in the precision of its samples.

import Fusion
import LivecapDetection
import LivecapFrames

/// What is drawn into a still, and where. Bands of its rows may be drawn at the same time.
struct StillPainter {
    private let picture: FusedPicture
    /// How people are cut out: for each cell, the slope and offset of a line of brightness.
    private let lines: QuadMap
    private let backdrop: Backdrop.Image?
    private let light: LightMap?
    private let black: Float
    private let span: Float
    /// How many rows of brightness share one of chroma, and how many samples of a row.
    private let shared: Int
    private let across: Int
    private let columns: CellTaps
    private let rows: CellTaps
    private let chromaColumns: CellTaps
    private let chromaRows: CellTaps

    /// Samples of a code.
    private static let code: Float = 256
    /// Bands for each thread: more even out their work.
    private static let bandsPerThread = 4

    /// Draws `backdrop` behind the people that `lines` cut out, and lights the picture; each if it is given.
    init(
        _ picture: FusedPicture, _ grid: StillGrid, _ kind: PictureKind, people lines: QuadMap,
        backdrop: Backdrop.Image?, light: LightMap?
    ) {
        self.picture = picture
        self.lines = lines
        self.backdrop = backdrop
        self.light = light
        black = Float(kind.range.black)
        span = Float(kind.range.white - kind.range.black)
        shared = picture.chroma.down
        across = picture.chroma.across
        let (width, height, side) = (picture.size.width, picture.size.height, grid.side)
        columns = CellTaps(width, shared: 1, cells: lines.width, side: side)
        rows = CellTaps(height, shared: 1, cells: lines.height, side: side)
        chromaColumns = CellTaps(picture.chroma.width(of: width), shared: across, cells: lines.width, side: side)
        chromaRows = CellTaps(picture.chroma.height(of: height), shared: shared, cells: lines.height, side: side)
    }

    /// Draws all of it.
    func paint(on pool: any FusionPool) {
        let count = (picture.size.height + shared - 1) / shared
        let bands = min(count, pool.threads * Self.bandsPerThread)
        // Bands write different rows, and what they read does not change.
        nonisolated(unsafe) let painter = self
        pool.run(bands) { band in
            let rows = PaintedRows(width: painter.picture.size.width, cells: painter.lines.width)
            for group in count * band / bands..<count * (band + 1) / bands { painter.paint(group, with: rows) }
        }
    }

    /// Draws the rows of brightness that share one of chroma, and that one.
    private func paint(_ group: Int, with memory: PaintedRows) {
        let first = shared * group, last = min(first + shared, picture.size.height) - 1
        for y in first...last { cut(y, into: memory.alphas[y - first], with: memory) }
        let alphas = (memory.alphas[0], memory.alphas[last - first])
        if picture.chroma != .none { meanAlphas(alphas, into: memory.chromaAlpha) }
        if let backdrop {
            for y in first...last {
                draw(backdrop, 0, y, with: memory)
                blend(row(0, y), memory.alphas[y - first], over: memory.a, picture.size.width)
            }
            for lane in 1..<picture.planes.count {
                draw(backdrop, lane, group, with: memory)
                blend(row(lane, group), memory.chromaAlpha, over: memory.a, picture.planes[lane].width)
            }
        }
        guard let light else { return }
        // Chroma has to know the brightness before.
        if picture.planes.count > 1 {
            chromaColumns.enlarge(
                light.people, lane: 0, at: chromaRows.rows(at: group), line: memory.line, into: memory.a)
            let count = picture.planes[1].width
            dim(memory.a, beyond: memory.chromaAlpha, count, to: Float(light.behind))
            lightChroma(row: group, (row(0, first), row(0, last)), memory.a, count)
        }
        for y in first...last {
            columns.enlarge(light.people, lane: 0, at: rows.rows(at: y), line: memory.line, into: memory.a)
            dim(memory.a, beyond: memory.alphas[y - first], picture.size.width, to: Float(light.behind))
            lightLuma(row(0, y), memory.a, picture.size.width)
        }
    }

    /// Draws what is behind people in a row of a plane.
    private func draw(_ backdrop: Backdrop.Image, _ plane: Int, _ y: Int, with memory: PaintedRows) {
        switch backdrop {
        case .cells(let cells):
            let (columns, rows) = plane == 0 ? (columns, rows) : (chromaColumns, chromaRows)
            columns.enlarge(cells, lane: plane, at: rows.rows(at: y), line: memory.line, into: memory.a)
        case .planes(let planes):
            // A still whose chroma has all rows has two for each of these.
            let samples = planes.all[plane].row(plane == 0 || shared == 2 ? y : y / 2)
            let count = picture.planes[plane].width
            if plane > 0, across == 1 { return spread(samples, into: memory.a, count) }
            for x in 0..<count { memory.a[x] = Float(samples[x]) }
        }
    }

    /// Interpolates a row of chroma of which two pixels share a sample, for a still in which each has its own: a pixel
    /// is a quarter of the way from its sample to the next.
    private func spread(_ samples: UnsafeMutablePointer<UInt8>, into row: UnsafeMutablePointer<Float>, _ count: Int) {
        let last = (count - 1) / 2
        for x in 0..<count {
            let own = x / 2, next = min(max(x % 2 == 0 ? own - 1 : own + 1, 0), last)
            row[x] = 0.75 * Float(samples[own]) + 0.25 * Float(samples[next])
        }
    }

    private func row(_ plane: Int, _ y: Int) -> UnsafeMutablePointer<UInt16> {
        picture.planes[plane].samples.baseAddress! + y * picture.planes[plane].width
    }

    /// Finds where people are in a row of brightness.
    private func cut(_ y: Int, into alpha: UnsafeMutablePointer<Float>, with memory: PaintedRows) {
        let place = rows.rows(at: y), luma = row(0, y), slopes = memory.a, lifts = memory.b
        columns.enlarge(lines, lane: 0, at: place, line: memory.line, into: slopes)
        columns.enlarge(lines, lane: 1, at: place, line: memory.line, into: lifts)
        for x in 0..<picture.size.width {
            alpha[x] = StillEffects.alpha(slopes[x] * (Float(luma[x]) * (1 / Self.code)) + lifts[x])
        }
    }

    /// The shares of people in samples of chroma.
    private func meanAlphas(
        _ alphas: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>),
        into out: UnsafeMutablePointer<Float>
    ) {
        let last = picture.size.width - 1
        for x in 0..<picture.planes[1].width {
            let (left, right) = (across * x, min(across * x + across - 1, last))
            out[x] = (alphas.0[left] + alphas.0[right] + alphas.1[left] + alphas.1[right]) * 0.25
        }
    }

    private func blend(
        _ row: UnsafeMutablePointer<UInt16>, _ alpha: UnsafeMutablePointer<Float>,
        over behind: UnsafeMutablePointer<Float>, _ count: Int
    ) {
        for x in 0..<count {
            let back = behind[x] * Self.code
            row[x] = Self.sample(back + (Float(row[x]) - back) * alpha[x])
        }
    }

    /// Leaves the light on people, by the square of their matte: their edges also show something of what is behind,
    /// which would shine.
    private func dim(
        _ light: UnsafeMutablePointer<Float>, beyond alpha: UnsafeMutablePointer<Float>, _ count: Int,
        to behind: Float
    ) {
        for x in 0..<count { light[x] = behind + (light[x] - behind) * (alpha[x] * alpha[x]) }
    }

    /// Brightness follows a curve that leaves black and white where they are; what is dimmed is scaled.
    private func lightLuma(_ row: UnsafeMutablePointer<UInt16>, _ light: UnsafeMutablePointer<Float>, _ count: Int) {
        for x in 0..<count {
            let own = Float(row[x]), lift = (light[x] - 128) * (1 / 128)
            let above = min(max(own * (1 / Self.code) - black, 0), span)
            let change = above * (lift > 0 ? 1 - above / span : 1)
            row[x] = Self.sample(own + Self.code * lift * change)
        }
    }

    /// Chroma is scaled by the same factor as brightness.
    private func lightChroma(
        row y: Int, _ luma: (UnsafeMutablePointer<UInt16>, UnsafeMutablePointer<UInt16>),
        _ light: UnsafeMutablePointer<Float>, _ count: Int
    ) {
        let (cb, cr, last, grey) = (row(1, y), row(2, y), picture.size.width - 1, 128 * Self.code)
        for x in 0..<count {
            let (left, right) = (across * x, min(across * x + across - 1, last))
            let sum = Float(luma.0[left]) + Float(luma.0[right]) + Float(luma.1[left]) + Float(luma.1[right])
            let above = min(max(sum * (0.25 / Self.code) - black, 0), span), lift = (light[x] - 128) * (1 / 128)
            let factor = 1 + lift * (lift > 0 ? 1 - above / span : 1)
            cb[x] = Self.sample(grey + (Float(cb[x]) - grey) * factor)
            cr[x] = Self.sample(grey + (Float(cr[x]) - grey) * factor)
        }
    }

    /// The nearest sample. A float of 2^23 and more has no fraction, so the sum's last bits are the whole number.
    /// Unlike a conversion, which checks for what cannot be here, this takes many at a time.
    private static func sample(_ value: Float) -> UInt16 {
        UInt16(truncatingIfNeeded: (min(max(value, 0), 65535) + 0x1p23).bitPattern)
    }
}

/// Memory for the rows of one band.
private final class PaintedRows {
    /// Two rows of a matte, and one for samples of chroma.
    let alphas: [UnsafeMutablePointer<Float>]
    let chromaAlpha: UnsafeMutablePointer<Float>
    /// Rows for anything, and one of cells.
    let a: UnsafeMutablePointer<Float>
    let b: UnsafeMutablePointer<Float>
    let line: UnsafeMutablePointer<Float>
    private let memory: UnsafeMutablePointer<Float>

    init(width: Int, cells: Int) {
        let count = 5 * width + cells + 1
        memory = .allocate(capacity: count)
        memory.initialize(repeating: 0, count: count)
        alphas = [memory, memory + width]
        chromaAlpha = memory + 2 * width
        a = memory + 3 * width
        b = memory + 4 * width
        line = memory + 5 * width
    }

    deinit { memory.deallocate() }
}
