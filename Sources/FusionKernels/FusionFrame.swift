// SPDX-License-Identifier: MIT
// A prepared frame: the work that all shots of a frame share.

import Glibc
import LivecapFrames

/// A frame prepared for fusion: its planes, and what was computed from them. It is prepared once; after that, any
/// number of fusions may read it at the same time.
public final class FusionFrame: @unchecked Sendable {
    /// The format the frame was prepared from.
    public let format: FrameFormat
    /// Its sharpness. Higher is sharper; values are comparable between frames of one burst.
    public internal(set) var sharpness: Double = 0
    /// Its mean brightness in codes.
    public internal(set) var brightness: Double = 0
    /// Bytes of its planes. They are mapped memory, not heap memory.
    package let mappedBytes: Int
    /// How many pixels share a chroma sample.
    package let chroma: ChromaGrid
    /// A random number, drawn when the frame is prepared, that identifies this content of the frame.
    var identity: UInt64 = 0
    /// Y', then Cb and Cr unless the format is grey.
    package let planes: [SamplePlane]
    /// The same planes in Q6, for formats whose samples have fractions of codes; empty for the others.
    let fine: [FinePlane]
    /// Brightness at 1/2, 1/4 and 1/8 of the size, and further halvings (up to six levels) while both sides are at
    /// least 12 samples.
    let levels: [LevelPlane]
    /// The tiles used to find motion: see `makeTileSets`.
    let tileSets: [TileSet]
    /// Cb and Cr as means of 16x16 pixels, Q4 (codes times 16).
    let tints: [LevelPlane]

    /// Whether every half-size sample equals that of the other frame. Noise alone makes sure that this never happens
    /// for two frames that were captured one after the other.
    func isSame(as other: FusionFrame) -> Bool {
        guard brightness == other.brightness, sharpness == other.sharpness else { return false }
        let (a, b) = (levels[0], other.levels[0])
        return (0..<a.height).allSatisfy { memcmp(a.row($0), b.row($0), 2 * a.width) == 0 }
    }

    /// How sharp a part of it is. Higher is sharper; values are comparable between the same part of frames of one
    /// burst. 0 for a part that lies outside.
    package func sharpness(in box: PictureBox) -> Double {
        let half = levels[0]
        func samples(_ start: Float, _ length: Float, of whole: Int) -> Range<Int> {
            guard start.isFinite, length.isFinite else { return 0..<0 }
            let first = Int(min(max(start, 0), 1) * Float(whole - 1))
            return first..<max(Int(min(max(start + length, 0), 1) * Float(whole - 1)), first)
        }
        let columns = samples(box.origin.x, box.width, of: half.width)
        let rows = samples(box.origin.y, box.height, of: half.height)
        var slopes: Int64 = 0, sum: Int64 = 0
        for y in rows {
            let row = half.row(y), below = half.row(y + 1)
            for x in columns {
                let here = Int64(row[x]), across = Int64(row[x + 1]) - here, down = Int64(below[x]) - here
                slopes += across * across + down * down
                sum += here
            }
        }
        guard sum > 0 else { return 0 }
        let count = Double(columns.count * rows.count)
        // Relative to the brightness, as exposure may change between frames.
        return (Double(slopes) / count).squareRoot() / (Double(sum) / count)
    }

    init(_ format: FrameFormat, _ chroma: ChromaGrid) {
        self.format = format
        self.chroma = chroma
        let size = format.size, chromaPlanes = chroma == .none ? 0 : 2
        var (width, height, levelSizes) = (size.width / 2, size.height / 2, [FrameSize]())
        while levelSizes.count < 3 || (width >= 12 && height >= 12 && levelSizes.count < 6) {
            levelSizes.append(FrameSize(width: width, height: height))
            width = width / 2
            height = height / 2
        }
        let chromaSize = FrameSize(width: chroma.width(of: size.width), height: chroma.height(of: size.height))
        let planeSizes = [size] + Array(repeating: chromaSize, count: chromaPlanes)
        let tintSize = FrameSize(width: max(1, size.width / 16), height: max(1, size.height / 16))
        let tintSizes = Array(repeating: tintSize, count: chromaPlanes)
        let fineSizes = format.pixelFormat.samples?.hasFractions == true ? planeSizes : []
        let memory = PlaneMemory(
            planeSizes.map(SamplePlane.bytes) + fineSizes.map(FinePlane.bytes) + levelSizes.map(LevelPlane.bytes)
                + tintSizes.map(LevelPlane.bytes))
        planes = planeSizes.map { SamplePlane($0, in: memory) }
        fine = fineSizes.map { FinePlane($0, in: memory) }
        levels = levelSizes.map { LevelPlane($0, in: memory) }
        tileSets = levels.makeTileSets()
        tints = tintSizes.map { LevelPlane($0, in: memory) }
        mappedBytes = memory.byteCount
    }
}

/// A plane of bytes with a margin on all sides that repeats the edge samples.
package final class SamplePlane: @unchecked Sendable {
    /// Samples beyond every edge.
    package static let margin = 32
    package let width: Int
    package let height: Int
    /// Bytes from row to row.
    package let stride: Int
    /// The first sample of the first row, inside the margins.
    package let base: UnsafeMutablePointer<UInt8>
    private let memory: PlaneMemory

    /// Places a plane in the next piece of `memory`.
    package init(_ size: FrameSize, in memory: PlaneMemory) {
        width = size.width
        height = size.height
        stride = Self.stride(size)
        self.memory = memory
        let bytes = Self.bytes(size), samples = memory.take(bytes).bindMemory(to: UInt8.self, capacity: bytes)
        base = samples + Self.margin * stride + Self.margin
    }

    /// Bytes that a plane needs. Kernels may read up to 64 bytes past the last margin.
    package static func bytes(_ size: FrameSize) -> Int { stride(size) * (size.height + 2 * margin) + 64 }

    private static func stride(_ size: FrameSize) -> Int { (size.width + 2 * margin + 63) & ~63 }

    package func row(_ y: Int) -> UnsafeMutablePointer<UInt8> { base + y * stride }

    /// Repeats the edge samples throughout the margins.
    package func fillMargins() { base.repeatEdges(width: width, height: height, stride: stride, margin: Self.margin) }

    /// Repeats the first and last sample of each of `rows` in the margins on its left and right.
    func fillMargins(besides rows: Range<Int>) {
        for y in rows { row(y).repeatEnds(width: width, margin: Self.margin) }
    }

    /// Repeats the first and the last row, margins included, above and below the plane.
    func fillMarginRows() { base.repeatRows(width: width, height: height, stride: stride, margin: Self.margin) }
}
