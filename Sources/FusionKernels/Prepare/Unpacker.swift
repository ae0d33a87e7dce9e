// SPDX-License-Identifier: MIT
// Converts frames from the driver's layout to planes.

import CFusionKernels
import Frames

/// Unpacks frames one band of rows at a time.
struct Unpacker: @unchecked Sendable {
    private let format: FrameFormat
    private let places: [Plane]
    private let kernels: UnsafePointer<fusion_kernels>

    init(_ format: FrameFormat, _ kernels: UnsafePointer<fusion_kernels>) {
        (self.format, self.kernels) = (format, kernels)
        places = format.planes
    }

    /// Unpacks rows of brightness and the chroma that belongs to them.
    func unpack(_ bytes: UnsafePointer<UInt8>, _ rows: Range<Int>, into frame: FusionFrame) {
        let planes = frame.planes
        switch format.pixelFormat.layout {
        case .packed422(let first, let cb, let cr):
            let (a, b) = cb < cr ? (1, 2) : (2, 1)
            for y in rows {
                kernels.pointee.unpack.split_packed422(
                    bytes + places[0].offset + y * places[0].stride, first, (format.size.width + 1) / 2,
                    planes[0].row(y), planes[a].row(y), planes[b].row(y))
            }
        case .semiPlanar(_, let down, let crFirst):
            copy(bytes, 0, rows, into: planes[0])
            let (a, b) = crFirst ? (2, 1) : (1, 2)
            for y in rows.lowerBound / down..<min(planes[1].height, (rows.upperBound + down - 1) / down) {
                kernels.pointee.unpack.split_pairs(
                    bytes + places[1].offset + y * places[1].stride, planes[1].width, planes[a].row(y), planes[b].row(y)
                )
            }
        case .planar(_, let down, _):
            copy(bytes, 0, rows, into: planes[0])
            for plane in 1...2 {
                copy(bytes, plane, rows.lowerBound / down..<(rows.upperBound + down - 1) / down, into: planes[plane])
            }
        default:
            copy(bytes, 0, rows, into: planes[0])
        }
    }

    private func copy(_ bytes: UnsafePointer<UInt8>, _ place: Int, _ rows: Range<Int>, into plane: SamplePlane) {
        for y in rows.lowerBound..<min(rows.upperBound, plane.height) {
            plane.row(y).update(from: bytes + places[place].offset + y * places[place].stride, count: plane.width)
        }
    }
}
