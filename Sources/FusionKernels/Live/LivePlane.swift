// SPDX-License-Identifier: MIT
// What is remembered of a plane of a stream.

import LivecapCFusionKernels
import LivecapFrames

/// Remembered samples (codes in Q6) with their doubt, the same of the frame before, and room for those that have moved
/// since. All have margins like those of `SamplePlane`.
final class LivePlane: @unchecked Sendable {
    let width: Int
    let height: Int
    let stride: Int
    /// Cells of 8x8 samples.
    let across: Int
    let down: Int
    /// Blocks of 16 samples in a row.
    let blocks: Int
    private(set) var past: UnsafeMutablePointer<Int16>
    private(set) var doubt: UnsafeMutablePointer<UInt8>
    /// What was remembered before the present frame.
    private(set) var before: UnsafeMutablePointer<Int16>
    private(set) var beforeDoubt: UnsafeMutablePointer<UInt8>
    private let moved: UnsafeMutablePointer<Int16>
    private let movedDoubt: UnsafeMutablePointer<UInt8>
    /// For each row of cells, 1 if nothing in it has moved. What was remembered of it is used where it is.
    let rests: Scratch<UInt8>
    /// Three sums for each cell: see `live_spread`. Rows of an even number of cells.
    let spread: Scratch<Int32>
    /// For each cell, what turns differences into eighths of a standard deviation. Rows of an even number of cells.
    let scale: Scratch<Int16>
    /// For each cell, by how much its past is doubted because it was moved by a part of a sample: see `live_blend`.
    /// Rows as of `scale`.
    let excess: Scratch<UInt16>
    /// For each cell, the same for the differences of neighbours in one picture.
    let neighbourScale: Scratch<Int16>
    let scaleStride: Int
    private let memory: PlaneMemory

    init(_ plane: SamplePlane) {
        width = plane.width
        height = plane.height
        stride = plane.stride
        across = (width + 7) / 8
        down = (height + 7) / 8
        blocks = (width + 15) / 16
        scaleStride = 2 * blocks
        rests = Scratch(down, filledWith: 0)
        spread = Scratch(3 * scaleStride * down, filledWith: 0)
        scale = Scratch(scaleStride * down, filledWith: .max)
        neighbourScale = Scratch(scaleStride * down, filledWith: .max)
        excess = Scratch(scaleStride * down, filledWith: 0)
        let margin = SamplePlane.margin, samples = stride * (height + 2 * margin) + 64
        let memory = PlaneMemory([2 * samples, samples, 2 * samples, samples, 2 * samples, samples])
        let first = margin * stride + margin
        func take<Sample>(_ type: Sample.Type) -> UnsafeMutablePointer<Sample> {
            memory.take(samples * MemoryLayout<Sample>.size).bindMemory(to: Sample.self, capacity: samples) + first
        }
        past = take(Int16.self)
        doubt = take(UInt8.self)
        before = take(Int16.self)
        beforeDoubt = take(UInt8.self)
        moved = take(Int16.self)
        movedDoubt = take(UInt8.self)
        self.memory = memory
    }

    /// Bytes of its memory.
    var mappedBytes: Int { memory.byteCount }

    /// A row of what was remembered, where it is in the new frame, and its doubt.
    @inline(__always)
    func present(_ y: Int) -> (samples: UnsafeMutablePointer<Int16>, doubt: UnsafeMutablePointer<UInt8>) {
        let at = y * stride
        return rests[y / 8] != 0 ? (before + at, beforeDoubt + at) : (moved + at, movedDoubt + at)
    }

    /// Makes room for what is to be remembered after another frame.
    func turn() {
        swap(&past, &before)
        swap(&doubt, &beforeDoubt)
    }

    /// Remembers nothing but a frame.
    func begin(_ frame: SamplePlane) {
        for y in 0..<height {
            let (from, to) = (frame.row(y), past + y * stride)
            for x in 0..<width { to[x] = Int16(from[x]) << 6 }
            (doubt + y * stride).update(repeating: 255, count: width)
        }
        fillMargins(besides: 0..<height)
        fillMarginRows()
    }

    /// Repeats the first and last sample of rows in the margins beside them.
    func fillMargins(besides rows: Range<Int>) {
        for y in rows {
            (past + y * stride).repeatEnds(width: width, margin: SamplePlane.margin)
            (doubt + y * stride).repeatEnds(width: width, margin: SamplePlane.margin)
        }
    }

    /// Repeats the first and the last row above and below the plane.
    func fillMarginRows() {
        past.repeatRows(width: width, height: height, stride: stride, margin: SamplePlane.margin)
        doubt.repeatRows(width: width, height: height, stride: stride, margin: SamplePlane.margin)
    }
}
