// SPDX-License-Identifier: MIT
// A frame with the work done on it that every shot of it shares.

import Frames
import Glibc

/// A frame, prepared for fusion: its planes, and what was computed of them. Prepared once; any number of fusions may
/// read it then, also at once.
public final class FusionFrame: @unchecked Sendable {
    /// What the frame was prepared from.
    public let format: FrameFormat
    /// How sharp it is: comparable between frames of one burst, more is sharper.
    public internal(set) var sharpness: Double = 0
    /// Its mean brightness in codes.
    public internal(set) var brightness: Double = 0
    /// Bytes of its planes, which do not lie in the heap.
    package let mappedBytes: Int
    let chroma: ChromaGrid
    /// A number no other frame, and no other content of this one, has: made when it is prepared.
    var identity: UInt64 = 0
    /// Y', and Cb and Cr where there is chroma.
    let planes: [SamplePlane]
    /// Brightness at a half, a quarter ... of the size, an eighth, and on while it is 12 samples wide and high.
    let levels: [LevelPlane]
    /// Tiles by which motion is found: see `makeTileSets`.
    let tileSets: [TileSet]
    /// Cb and Cr as means of 16x16 pixels, Q4.
    let tints: [LevelPlane]

    /// Whether every sample of half the size is another frame's: noise alone makes that certain never to happen to frames
    /// that were taken one after the other.
    func isSame(as other: FusionFrame) -> Bool {
        guard brightness == other.brightness, sharpness == other.sharpness else { return false }
        let (a, b) = (levels[0], other.levels[0])
        return (0..<a.height).allSatisfy { memcmp(a.row($0), b.row($0), 2 * a.width) == 0 }
    }

    init(_ format: FrameFormat, _ chroma: ChromaGrid) {
        (self.format, self.chroma) = (format, chroma)
        let size = format.size, chromaPlanes = chroma == .none ? 0 : 2
        var (width, height, levelSizes) = (size.width / 2, size.height / 2, [FrameSize]())
        while levelSizes.count < 3 || (width >= 12 && height >= 12 && levelSizes.count < 6) {
            levelSizes.append(FrameSize(width: width, height: height))
            (width, height) = (width / 2, height / 2)
        }
        let chromaSize = FrameSize(width: chroma.width(of: size.width), height: chroma.height(of: size.height))
        let planeSizes = [size] + Array(repeating: chromaSize, count: chromaPlanes)
        let tintSize = FrameSize(width: max(1, size.width / 16), height: max(1, size.height / 16))
        let tintSizes = Array(repeating: tintSize, count: chromaPlanes)
        let memory = PlaneMemory(
            planeSizes.map(SamplePlane.bytes) + levelSizes.map(LevelPlane.bytes) + tintSizes.map(LevelPlane.bytes))
        planes = planeSizes.map { SamplePlane($0, in: memory) }
        levels = levelSizes.map { LevelPlane($0, in: memory) }
        tileSets = levels.makeTileSets()
        tints = tintSizes.map { LevelPlane($0, in: memory) }
        mappedBytes = memory.byteCount
    }
}

/// A plane of bytes with a margin on all sides, which repeats the edge.
final class SamplePlane: @unchecked Sendable {
    /// Samples beyond every edge.
    static let margin = 32
    let width: Int
    let height: Int
    /// Bytes from row to row.
    let stride: Int
    /// The first sample of the first row, within the margins.
    let base: UnsafeMutablePointer<UInt8>
    private let memory: PlaneMemory

    /// A plane in the next piece of `memory`.
    init(_ size: FrameSize, in memory: PlaneMemory) {
        (width, height, stride) = (size.width, size.height, Self.stride(size))
        self.memory = memory
        let bytes = Self.bytes(size), samples = memory.take(bytes).bindMemory(to: UInt8.self, capacity: bytes)
        base = samples + Self.margin * stride + Self.margin
    }

    /// Bytes a plane takes: some are read behind the last margin.
    static func bytes(_ size: FrameSize) -> Int { stride(size) * (size.height + 2 * margin) + 64 }

    private static func stride(_ size: FrameSize) -> Int { (size.width + 2 * margin + 63) & ~63 }

    func row(_ y: Int) -> UnsafeMutablePointer<UInt8> { base + y * stride }

    /// Repeats the edge samples through the margins.
    func fillMargins() { base.repeatEdges(width: width, height: height, stride: stride, margin: Self.margin) }

    /// Repeats the samples at either end of rows through the margins beside them.
    func fillMargins(besides rows: Range<Int>) {
        for y in rows { row(y).repeatEnds(width: width, margin: Self.margin) }
    }

    /// Repeats the first and the last row, with their margins, above and below the plane.
    func fillMarginRows() { base.repeatRows(width: width, height: height, stride: stride, margin: Self.margin) }
}
