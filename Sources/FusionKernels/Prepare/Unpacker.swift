// SPDX-License-Identifier: MIT
// Converts frames from the driver's layout to planes.

import LivecapCFusionKernels
import LivecapFrames

/// Unpacks frames one band of rows at a time.
struct Unpacker: @unchecked Sendable {
    private let samples: SampleLayout
    /// Where each component's samples lie in a frame.
    private let grids: [SampleGrid]
    private let kernels: UnsafePointer<fusion_kernels>
    /// How each component's words become codes, for formats of more than 8 bits.
    private let words: [fusion_words]
    /// How pixels become Y'CbCr, for R'G'B'.
    private let pixels: fusion_pixels

    /// Creates an unpacker for frames of `format`, whose samples are laid out as `samples`.
    init(_ format: FrameFormat, _ samples: SampleLayout, _ kernels: UnsafePointer<fusion_kernels>) {
        self.samples = samples
        self.kernels = kernels
        grids = SampleGrid.all(of: format)
        let range = ColorDecoder(format.colorimetry).range
        words = grids.indices.map { fusion_words(samples, component: $0, range) }
        pixels = fusion_pixels(samples, range)
    }

    /// Unpacks rows of brightness and the chroma that belongs to them.
    func unpack(_ bytes: UnsafePointer<UInt8>, _ rows: Range<Int>, into frame: FusionFrame) {
        let planes = frame.planes
        guard !samples.hasFractions else { return unpackFine(bytes, rows, into: frame) }
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
            preconditionFailure("such samples have fractions")
        }
    }

    /// Unpacks to Q6, and rounds that to bytes.
    private func unpackFine(_ bytes: UnsafePointer<UInt8>, _ rows: Range<Int>, into frame: FusionFrame) {
        switch samples.packing {
        case .planes, .chromaPairs, .lumaAndChroma:
            for (place, grid) in grids.enumerated() {
                for y in gridRows(place, rows) {
                    let fine = frame.fine[place].row(y)
                    withUnsafePointer(to: words[place]) {
                        kernels.pointee.unpack.unpack_words(
                            bytes + grid.offset(0, y), grid.step / 2, grid.columns, $0, fine)
                    }
                }
            }
        case .pixels:
            let start = (0..<3).map { grids[$0].offset(0, 0) }.min()!
            for y in rows {
                withUnsafePointer(to: pixels) {
                    kernels.pointee.unpack.unpack_pixels(
                        bytes + start + y * grids[0].stride, grids[0].columns, $0, frame.fine[0].row(y),
                        frame.fine[1].row(y), frame.fine[2].row(y))
                }
            }
        }
        for (place, (plane, fine)) in zip(frame.planes, frame.fine).enumerated() {
            for y in samples.packing == .pixels ? rows : gridRows(place, rows) {
                kernels.pointee.unpack.round_codes(fine.row(y), plane.width, plane.row(y))
            }
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

extension fusion_words {
    /// How words of a component become codes.
    fileprivate init(_ samples: SampleLayout, component: Int, _ range: Colorimetry.Range) {
        let (scale, offset) = samples.codes(ofComponent: component, range)
        let unit = 64.0 * 65536
        self.init(
            shift: UInt32(samples.shift), mask: 1 << UInt32(samples.bits) - 1, factor: Int32((scale * unit).rounded()),
            offset: Int32((offset * unit).rounded()) + 32768)
    }
}

extension fusion_pixels {
    /// BT.601. White becomes exactly white, and grey has exactly no colour. In limited range, chroma spans 224 codes
    /// where red, green and blue span 219.
    fileprivate init(_ samples: SampleLayout, _ range: Colorimetry.Range) {
        let (kr, kb) = (0.299, 0.114)
        let unit = 64.0 * 65536, stretch = range == .full ? 1 : 224.0 / 219
        let neutral = Int32(128 * 64 * 65536 + 32768)
        func whole(_ number: Double) -> Int32 { Int32((number * unit).rounded()) }
        /// Half of the sum of two pixels.
        func chroma(_ red: Double, _ blue: Double, _ span: Double) -> (Int32, Int32) {
            (whole(red * stretch / (4 * span)), whole(blue * stretch / (4 * span)))
        }
        let luma = (whole(kr), whole(kb))
        let cb = chroma(-kr, 1 - kb, 1 - kb), cr = chroma(1 - kr, -kb, 1 - kr)
        let isBlueFirst = samples.component(0).offset > samples.component(2).offset
        func row(_ parts: (red: Int32, blue: Int32), sum: Int32, _ constant: Int32) -> (Int32, Int32, Int32, Int32) {
            let green = sum - parts.red - parts.blue
            return isBlueFirst
                ? (parts.blue, green, parts.red, constant) : (parts.red, green, parts.blue, constant)
        }
        self.init(
            luma: row(luma, sum: 64 * 65536, 32768), cb: row(cb, sum: 0, neutral), cr: row(cr, sum: 0, neutral))
    }
}
