// SPDX-License-Identifier: MIT
// Brings the samples of a picture into one order, whatever its format.

import LivecapFrameFiles
import LivecapFrames

/// Lays samples out plane by plane, Y', Cb, Cr, with rows unpadded, for checksums and for encoding.
///
/// Two frames with the same samples have the same checksum in YUYV, UYVY, YVYU, VYUY, NV16 and YUV422P, and in NV12,
/// NV21, I420 and YV12; RGB24 and BGR24 agree as well. It allocates once.
struct SampleGatherer: ~Copyable {
    private let grids: [SampleGrid]
    private let neededBytes: Int
    private let gathered: UnsafeMutableRawBufferPointer

    init(_ format: FrameFormat) {
        grids = SampleGrid.all(of: format)
        neededBytes = format.neededBytes
        gathered = .allocate(byteCount: grids.reduce(1) { $0 + $1.columns * $1.rows * $1.sampleBytes }, alignment: 16)
    }

    deinit { gathered.deallocate() }

    /// The checksum of a frame's samples; nil for formats without plain samples, and for frames that are too short.
    mutating func checksum(of frame: UnsafeRawBufferPointer) -> UInt64? { gather(frame).map { Checksum.of($0) } }

    /// A frame's samples, valid until the next call; nil for formats without plain samples, and for frames that are too
    /// short.
    mutating func gather(_ frame: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard !grids.isEmpty, frame.count >= neededBytes else { return nil }
        var count = 0
        for grid in grids {
            for y in 0..<grid.rows {
                let start = grid.offset(0, y), length = grid.columns * grid.sampleBytes
                if grid.step == grid.sampleBytes {
                    UnsafeMutableRawBufferPointer(rebasing: gathered[count...])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: frame[start..<(start + length)]))
                } else {
                    for x in 0..<grid.columns {
                        for byte in 0..<grid.sampleBytes {
                            gathered[count + x * grid.sampleBytes + byte] = frame[start + x * grid.step + byte]
                        }
                    }
                }
                count += length
            }
        }
        return UnsafeRawBufferPointer(rebasing: gathered[..<count])
    }
}
