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
        let size = format.size
        let luma = SamplePlane(width: size.width, height: size.height)
        let (across, down) = (chroma.width(of: size.width), chroma.height(of: size.height))
        var (width, height, levels) = (size.width / 2, size.height / 2, [LevelPlane]())
        while levels.count < 3 || (width >= 12 && height >= 12 && levels.count < 6) {
            levels.append(LevelPlane(width: width, height: height))
            (width, height) = (width / 2, height / 2)
        }
        self.levels = levels
        tileSets = levels.makeTileSets()
        let (tilesAcross, tilesDown) = (max(1, size.width / 16), max(1, size.height / 16))
        tints = (0..<(chroma == .none ? 0 : 2)).map { _ in LevelPlane(width: tilesAcross, height: tilesDown) }
        planes = chroma == .none ? [luma] : [luma] + (0..<2).map { _ in SamplePlane(width: across, height: down) }
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
    private let memory: UnsafeMutableRawPointer

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        stride = (width + 2 * Self.margin + 63) & ~63
        let bytes = stride * (height + 2 * Self.margin) + 64
        memory = .allocate(byteCount: bytes, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        base = (memory + Self.margin * stride + Self.margin).assumingMemoryBound(to: UInt8.self)
    }

    deinit { memory.deallocate() }

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
