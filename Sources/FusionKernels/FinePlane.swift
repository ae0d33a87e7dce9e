// SPDX-License-Identifier: MIT
// Samples with the fractions that 8-bit codes cannot hold.

import LivecapFrames

/// A plane of samples in Q6 (codes times 64), with a margin on all sides that repeats the edge samples.
///
/// Frames of more than 8 bits, and R'G'B' frames, whose conversion to Y'CbCr has fractions, have one beside each plane
/// of bytes. Whatever decides (motion, noise, weights, colours) reads the bytes, whose rounding adds a twelfth of a
/// squared code to the noise. Whatever goes into the picture is read here: 12 bits are exact.
final class FinePlane: @unchecked Sendable {
    static let margin = SamplePlane.margin
    let width: Int
    let height: Int
    /// Samples from row to row.
    let stride: Int
    /// The first sample of the first row, inside the margins.
    let base: UnsafeMutablePointer<Int16>
    private let memory: PlaneMemory

    /// Places a plane in the next piece of `memory`.
    init(_ size: FrameSize, in memory: PlaneMemory) {
        width = size.width
        height = size.height
        stride = Self.stride(size)
        self.memory = memory
        let bytes = Self.bytes(size), samples = memory.take(bytes).bindMemory(to: Int16.self, capacity: bytes / 2)
        base = samples + Self.margin * stride + Self.margin
    }

    /// Bytes that a plane needs. Kernels may read up to 64 bytes past the last margin.
    static func bytes(_ size: FrameSize) -> Int { 2 * stride(size) * (size.height + 2 * margin) + 64 }

    private static func stride(_ size: FrameSize) -> Int { (size.width + 2 * margin + 31) & ~31 }

    func row(_ y: Int) -> UnsafeMutablePointer<Int16> { base + y * stride }

    /// Repeats the edge samples throughout the margins.
    func fillMargins() { base.repeatEdges(width: width, height: height, stride: stride, margin: Self.margin) }

    /// Takes over the bytes of a plane of the same size.
    func widen(_ plane: SamplePlane) {
        for y in 0..<height {
            let (codes, row) = (plane.row(y), row(y))
            for x in 0..<width { row[x] = Int16(codes[x]) << 6 }
        }
        fillMargins()
    }
}

extension SampleLayout {
    /// Whether bytes of Y'CbCr would lose fractions of the samples.
    var hasFractions: Bool { bits > 8 || model == .rgb }
}
