// SPDX-License-Identifier: MIT
// Converts frames from the driver's layout to planes.

import CFusionKernels
import Frames

/// Unpacks frames one band of rows at a time.
struct Unpacker: @unchecked Sendable {
    private let samples: SampleLayout
    /// Where each component's samples lie in a frame.
    private let grids: [SampleGrid]
    private let kernels: UnsafePointer<fusion_kernels>

    /// Creates an unpacker for frames of `format`, whose samples are laid out as `samples`.
    init(_ format: FrameFormat, _ samples: SampleLayout, _ kernels: UnsafePointer<fusion_kernels>) {
        (self.samples, self.kernels) = (samples, kernels)
        grids = SampleGrid.all(of: format)
    }

    /// Unpacks rows of brightness and the chroma that belongs to them.
    func unpack(_ bytes: UnsafePointer<UInt8>, _ rows: Range<Int>, into frame: FusionFrame) {
        let planes = frame.planes
        switch samples.packing {
        case .planes:
            for place in planes.indices { copy(bytes, place, rows, into: planes[place]) }
        case .chromaPairs:
            copy(bytes, 0, rows, into: planes[0])
            let (first, second) = chromaOrder
            for y in gridRows(1, rows) {
                kernels.pointee.unpack.split_pairs(
                    bytes + grids[first].offset(0, y), planes[1].width, planes[first].row(y), planes[second].row(y))
            }
        case .lumaAndChroma:
            let (first, second) = chromaOrder, firstLuma = samples.component(0).offset
            for y in rows {
                kernels.pointee.unpack.split_packed422(
                    bytes + grids[0].offset(0, y) - firstLuma, firstLuma, planes[1].width, planes[0].row(y),
                    planes[first].row(y), planes[second].row(y))
            }
        case .pixels:
            preconditionFailure("the fuser refuses such formats")
        }
    }

    /// The chroma plane whose samples come first, and the other one.
    private var chromaOrder: (first: Int, second: Int) {
        samples.component(1).offset < samples.component(2).offset ? (1, 2) : (2, 1)
    }

    /// The rows of a component that belong to these rows of pixels.
    private func gridRows(_ component: Int, _ rows: Range<Int>) -> Range<Int> {
        let grid = grids[component]
        return rows.lowerBound / grid.down..<min(grid.rows, (rows.upperBound + grid.down - 1) / grid.down)
    }

    private func copy(_ bytes: UnsafePointer<UInt8>, _ place: Int, _ rows: Range<Int>, into plane: SamplePlane) {
        for y in gridRows(place, rows) {
            plane.row(y).update(from: bytes + grids[place].offset(0, y), count: plane.width)
        }
    }
}
