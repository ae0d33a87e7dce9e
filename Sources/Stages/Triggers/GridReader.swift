// SPDX-License-Identifier: MIT
// Reads frames of every format as coarse maps of brightness.

import LivecapFrames
import LivecapJPEG

/// Makes maps of the frames of one format. Uncompressed frames are read where they are; JPEG frames are decoded at an
/// eighth of their width and height, without chroma. Used by one thread.
package final class GridReader {
    /// How frames are divided.
    package let shape: GridShape
    private let neededBytes: Int
    private let samples: SampleGrid
    /// JPEG frames only.
    private let thumbnail: GreyThumbnail?
    /// Samples on a side of a cell.
    private let side: Int
    /// Turns the mean of a cell's samples into brightness from 0 to 255.
    private let scale: Float
    private let black: Float
    /// The map of the last frame, row after row: 0 is black, 255 white.
    package private(set) var map: [Float]

    /// Nil for frames that cannot be read, such as H.264, or that are smaller than a cell.
    package init?(_ format: FrameFormat) {
        guard format.problem == nil, let shape = GridShape(format.size) else { return nil }
        var read = format
        if format.pixelFormat.isJPEG {
            let eighth = JPEGDecoder.eighth(of: format.size)
            read = FrameFormat(pixelFormat: .grey, size: eighth)
            read.colorimetry.range = format.colorimetry.range
            guard let thumbnail = GreyThumbnail(of: format.size) else { return nil }
            self.thumbnail = thumbnail
            side = shape.side / 8
        } else {
            thumbnail = nil
            side = shape.side
        }
        guard let layout = read.pixelFormat.samples else { return nil }
        // Of R'G'B', green: the largest part of brightness by far.
        let component = layout.model == .rgb ? 1 : 0
        samples = SampleGrid(read, layout, component)
        self.shape = shape
        neededBytes = read.neededBytes
        let isFull = ColorDecoder(read.colorimetry).range == .full
        let (codes, offset) = layout.codes(ofComponent: component, ColorDecoder(read.colorimetry).range)
        let darkest: Double = isFull ? 0 : 16
        let span: Double = isFull ? 255 : 219
        black = Float((darkest - offset) / codes)
        scale = Float(255 * codes / span)
        map = [Float](repeating: 0, count: shape.count)
    }

    /// Whether frames of a format can be read, as far as is known without one.
    package static func reads(_ format: FrameFormat) -> Bool { GridReader(format) != nil }

    /// Fills `map` with a frame's brightness. Returns false for a frame that is too short or does not decode.
    package func read(_ frame: RawSpan) -> Bool {
        guard let thumbnail else {
            guard frame.byteCount >= neededBytes else { return false }
            frame.withUnsafeBytes { fill(from: $0) }
            return true
        }
        guard let pixels = thumbnail.make(of: frame) else { return false }
        fill(from: pixels)
        return true
    }

    private func fill(from bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        // Every other row of large cells: their noise is small enough.
        let down = side >= 16 ? 2 : 1
        let count = Float(side * (side / down))
        for row in 0..<shape.rows {
            for column in 0..<shape.columns {
                var sum = 0
                for y in stride(from: row * side, to: (row + 1) * side, by: down) {
                    sum += self.sum(base, column * side, y)
                }
                let value = (Float(sum) / count - black) * scale
                map[row * shape.columns + column] = min(max(value, 0), 255)
            }
        }
    }

    /// The sum of a cell's samples in a row.
    private func sum(_ base: UnsafeRawPointer, _ x: Int, _ y: Int) -> Int {
        var sum = 0
        if samples.sampleBytes == 2 {
            for column in x..<x + side { sum += samples.sample(column, y, in: base) }
            return sum
        }
        let first = (base + samples.offset(x, y)).assumingMemoryBound(to: UInt8.self)
        let step = samples.step
        for column in 0..<side { sum &+= Int(first[column &* step]) }
        return sum
    }
}
