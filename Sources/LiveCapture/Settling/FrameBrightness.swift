// SPDX-License-Identifier: MIT
// Estimates the brightness of a frame from a sparse grid of its pixels.

import LivecapDeveloping
import LivecapFrames
import LivecapJPEG

/// Measures the brightness of frames of one format. It takes microseconds and no allocation for uncompressed frames. A
/// JPEG frame has to be read as a whole, but only an eighth of its width and height is decoded. Only one thread at a
/// time may use it.
package struct FrameBrightness {
    private let grid: LumaGrid
    /// For JPEG frames only.
    private let thumbnail: GreyThumbnail?

    /// For frames of `format`; nil if their bytes cannot be interpreted (opaque formats, or a format with a `problem`).
    package init?(_ format: FrameFormat) {
        guard format.problem == nil else { return nil }
        if format.pixelFormat.isJPEG {
            var small = FrameFormat(pixelFormat: .grey, size: JPEGDecoder.eighth(of: format.size))
            small.colorimetry.range = format.colorimetry.range
            guard let grid = LumaGrid(small), let thumbnail = GreyThumbnail(of: format.size) else { return nil }
            self.grid = grid
            self.thumbnail = thumbnail
        } else {
            guard let grid = LumaGrid(format) else { return nil }
            self.grid = grid
            thumbnail = nil
        }
    }

    /// The mean from 0 for black to 1 for white, of the gamma-encoded samples; nil for a frame that is too short or
    /// does not decode.
    package func mean(of frame: RawSpan) -> Double? {
        guard let thumbnail else { return grid.mean(of: frame) }
        guard let pixels = thumbnail.make(of: frame) else { return nil }
        return grid.mean(of: pixels.bytes)
    }

    /// The same of parts of a frame, each counting by its area; nil also if all lie outside.
    package func mean(of frame: RawSpan, in boxes: [PictureBox]) -> Double? {
        if let thumbnail {
            guard let pixels = thumbnail.make(of: frame) else { return nil }
            return mean(of: pixels.bytes, onGridIn: boxes)
        }
        return mean(of: frame, onGridIn: boxes)
    }

    private func mean(of frame: RawSpan, onGridIn boxes: [PictureBox]) -> Double? {
        var sum = 0.0, weight = 0.0
        for box in boxes {
            guard let mean = grid.mean(of: frame, in: box) else { continue }
            let area = Double(box.width) * Double(box.height)
            sum += area * mean
            weight += area
        }
        return weight > 0 ? sum / weight : nil
    }
}

/// A grid of at most 64 by 36 pixels spread over frames of an uncompressed format.
private struct LumaGrid {
    private static let (maxColumns, maxRows) = (64, 36)

    private let size: FrameSize
    private let neededBytes: Int
    /// Luma alone, or red; and then green and blue.
    private let first: SampleGrid
    private let others: (green: SampleGrid, blue: SampleGrid)?
    private let black: Double
    private let white: Double

    /// Nil for compressed and unknown formats.
    init?(_ format: FrameFormat) {
        guard let samples = format.pixelFormat.samples else { return nil }
        first = SampleGrid(format, samples, 0)
        others = samples.model == .rgb ? (SampleGrid(format, samples, 1), SampleGrid(format, samples, 2)) : nil
        size = format.size
        neededBytes = format.neededBytes
        let range = ColorDecoder(format.colorimetry).range
        let (codes, offset) = samples.codes(ofComponent: 0, range)
        black = ((range == .full ? 0 : 16) - offset) / codes
        white = ((range == .full ? 255 : 235) - offset) / codes
    }

    func mean(of frame: RawSpan) -> Double? {
        mean(of: frame, columns: 0..<size.width, rows: 0..<size.height)
    }

    /// The mean of a part, in shares of the frame; nil if it lies outside.
    func mean(of frame: RawSpan, in box: PictureBox) -> Double? {
        func pixels(_ start: Float, _ length: Float, of whole: Int) -> Range<Int>? {
            guard start.isFinite, length.isFinite, length > 0, start < 1, start + length > 0 else { return nil }
            let first = Int(max(start, 0) * Float(whole))
            return first..<min(max(Int(min(start + length, 1) * Float(whole)), first + 1), whole)
        }
        guard let columns = pixels(box.origin.x, box.width, of: size.width),
            let rows = pixels(box.origin.y, box.height, of: size.height), !columns.isEmpty, !rows.isEmpty
        else { return nil }
        return mean(of: frame, columns: columns, rows: rows)
    }

    private func mean(of frame: RawSpan, columns across: Range<Int>, rows down: Range<Int>) -> Double? {
        guard frame.byteCount >= neededBytes else { return nil }
        let (columns, rows) = (min(across.count, Self.maxColumns), min(down.count, Self.maxRows))
        var sum = 0
        for row in 0..<rows {
            // The centre of each cell of the grid.
            let y = down.lowerBound + (2 * row + 1) * down.count / (2 * rows)
            for column in 0..<columns {
                sum += brightness(across.lowerBound + (2 * column + 1) * across.count / (2 * columns), y, frame)
            }
        }
        let code = Double(sum) / Double(256 * columns * rows)
        return min(max((code - black) / (white - black), 0), 1)
    }

    /// The luma in 256ths of a sample's steps.
    private func brightness(_ x: Int, _ y: Int, _ frame: RawSpan) -> Int {
        let sample = first.sample(x, y, in: frame)
        guard let others else { return 256 * sample }
        // BT.709's weights.
        return 54 * sample + 183 * others.green.sample(x, y, in: frame) + 19 * others.blue.sample(x, y, in: frame)
    }
}
