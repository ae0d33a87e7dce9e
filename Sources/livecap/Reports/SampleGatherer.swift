// SPDX-License-Identifier: MIT
// Brings the samples of a picture into one order, whatever its format.

import FrameFiles
import Frames

/// Lays samples out plane by plane, Y', Cb, Cr, with rows unpadded, for checksums and for encoding.
///
/// Two frames with the same samples have the same checksum in YUYV, UYVY, YVYU, VYUY, NV16 and YUV422P, and in NV12,
/// NV21, I420 and YV12; RGB24 and BGR24 agree as well. It allocates once.
struct SampleGatherer: ~Copyable {
    private let format: FrameFormat
    private let planes: [Plane]
    private let gathered: UnsafeMutableRawBufferPointer

    init(_ format: FrameFormat) {
        self.format = format
        planes = format.planes
        gathered = .allocate(byteCount: planes.reduce(1) { $0 + $1.rowBytes * $1.rows }, alignment: 16)
    }

    deinit { gathered.deallocate() }

    /// The checksum of a frame's samples; nil for formats without plain samples, and for frames that are too short.
    mutating func checksum(of frame: UnsafeRawBufferPointer) -> UInt64? { gather(frame).map { Checksum.of($0) } }

    /// A frame's samples, valid until the next call; nil for formats without plain samples, and for frames that are too
    /// short.
    mutating func gather(_ frame: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard !planes.isEmpty, frame.count >= planes.map(\.usedEnd).max()! else { return nil }
        var count = 0
        let (width, height) = (format.size.width, format.size.height)
        switch format.pixelFormat.layout {
        case .packed422(let luma, let cb, let cr):
            take(planes[0], from: frame, first: luma, step: 2, samples: width, &count)
            for offset in [cb, cr] {
                take(planes[0], from: frame, first: offset, step: 4, samples: (width + 1) / 2, &count)
            }
        case .semiPlanar(_, _, let crFirst):
            take(planes[0], from: frame, first: 0, step: 1, samples: width, &count)
            for offset in crFirst ? [1, 0] : [0, 1] {
                take(planes[1], from: frame, first: offset, step: 2, samples: planes[1].rowBytes / 2, &count)
            }
        case .planar, .grey:
            for plane in planes { take(plane, from: frame, first: 0, step: 1, samples: plane.rowBytes, &count) }
        case .rgb(let red, let blue):
            for offset in [red, 1, blue] {
                take(planes[0], from: frame, first: offset, step: 3, samples: width, &count)
            }
        case .jpeg, .opaque: return nil
        }
        precondition(count <= gathered.count && height > 0, "the planes were measured for this format")
        return UnsafeRawBufferPointer(rebasing: gathered[..<count])
    }

    /// Takes every `step`th byte of a plane's rows.
    private func take(
        _ plane: Plane, from frame: UnsafeRawBufferPointer, first: Int, step: Int, samples: Int, _ count: inout Int
    ) {
        for row in 0..<plane.rows {
            let start = plane.offset + row * plane.stride + first
            if step == 1 {
                let bytes = UnsafeRawBufferPointer(rebasing: frame[start..<(start + samples)])
                UnsafeMutableRawBufferPointer(rebasing: gathered[count...]).copyMemory(from: bytes)
            } else {
                for sample in 0..<samples { gathered[count + sample] = frame[start + step * sample] }
            }
            count += samples
        }
    }
}
