// SPDX-License-Identifier: MIT
// The layout in memory of the planes of a picture, decoded or to be encoded.

import LivecapCturbojpeg
import LivecapFrames

/// Planes of 8-bit samples in one block of memory: Y', Cb and Cr, or Y' alone.
///
/// The codec works on whole chroma samples. At odd sizes the luma plane therefore has one more column or row than the
/// picture, which a decoder fills and an encoder reads.
package struct PlanarLayout: Hashable, Sendable {
    /// The picture's size in pixels.
    package let size: FrameSize
    /// The chroma sampling.
    package let sampling: ChromaSampling
    /// The planes, contiguous or as laid out in a frame.
    package let planes: [Plane]

    /// Creates a layout without padding; nil for sizes that JPEG does not allow.
    package init?(size: FrameSize, sampling: ChromaSampling) {
        guard (1...65500).contains(size.width), (1...65500).contains(size.height) else { return nil }
        self.size = size
        self.sampling = sampling
        var (planes, offset): ([Plane], Int) = ([], 0)
        for component in 0..<(sampling == .grey ? 1 : 3) {
            let width = Int(tjPlaneWidth(Int32(component), Int32(size.width), sampling.rawValue))
            let rows = Int(tjPlaneHeight(Int32(component), Int32(size.height), sampling.rawValue))
            planes.append(Plane(offset: offset, stride: width, rowBytes: width, rows: rows))
            offset += width * rows
        }
        self.planes = planes
    }

    /// Creates a layout that matches the planes of an uncompressed frame. Nil for formats without three planes (or one
    /// grey plane), and at odd sizes if there is no room for the codec's extra column or row (padding at the end of a
    /// row is room enough).
    package init?(_ format: FrameFormat) {
        let sampling: ChromaSampling
        switch format.pixelFormat {
        case .i420, .yv12: sampling = .s420
        case .yuv422p: sampling = .s422
        case .grey: sampling = .grey
        default: return nil
        }
        guard format.problem == nil, let packed = PlanarLayout(size: format.size, sampling: sampling),
            zip(packed.planes, format.planes).allSatisfy({ $0.rowBytes <= $1.stride && $0.rows == $1.rows })
        else { return nil }
        size = format.size
        self.sampling = sampling
        planes = zip(packed.planes, format.planes).map {
            Plane(offset: $1.offset, stride: $1.stride, rowBytes: $0.rowBytes, rows: $0.rows)
        }
    }

    /// Bytes from the beginning of the first plane to the end of the last one.
    package var byteCount: Int { planes.map(\.usedEnd).max() ?? 0 }

    /// The luma plane as a grey frame of the picture's size, for code that reads only brightness.
    package var luma: FrameFormat {
        FrameFormat(
            pixelFormat: .grey, size: size, bytesPerLine: planes[0].stride, byteCount: planes[0].usedEnd,
            colorimetry: .grey)
    }

    /// Calls `body` with the planes' addresses and strides in the codec's form: three of each, the last two null for
    /// grey.
    func withPointers<Result>(
        in memory: UnsafeMutableRawBufferPointer,
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<Int32>) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<UInt8>?.self, capacity: 3) { pointers in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: 3) { strides in
                pointers.initialize(repeating: nil)
                strides.initialize(repeating: 0)
                for (index, plane) in planes.enumerated() {
                    pointers[index] = (memory.baseAddress! + plane.offset).assumingMemoryBound(to: UInt8.self)
                    strides[index] = Int32(plane.stride)
                }
                return body(pointers.baseAddress!, strides.baseAddress!)
            }
        }
    }
}
