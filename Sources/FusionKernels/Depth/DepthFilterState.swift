// SPDX-License-Identifier: MIT
// The filters of one stream of depth, with what they remember of it.

import LivecapCFusionKernels
import LivecapFrames

/// Filters the frames of one stream, in their order. Memory is allocated once, and frames cost none. It is used by one
/// thread at a time.
package final class DepthFilterState: @unchecked Sendable {  // its owner decides which thread uses it
    /// What is done.
    package let filter: DepthFilter
    /// The size of frames.
    package let size: FrameSize
    private let kernels: UnsafePointer<fusion_kernels>
    private let reach: (least: UInt32, slope: UInt32)

    private let row: Scratch<UInt16>
    private let kept: Scratch<UInt32>
    private let seen: Scratch<UInt8>
    private let steady: Scratch<UInt16>
    private let places: Scratch<UInt32>
    private let marks: Scratch<UInt8>
    private let columns: Scratch<UInt32>
    /// Depth and luma with a margin, which has no depth.
    private let filled: Scratch<UInt16>
    private let luma: Scratch<UInt8>
    private let stride: Int
    private static let margin = 3

    /// Filters for frames of a size and unit. The level is chosen as for fusion.
    package init(
        _ filter: DepthFilter, size: FrameSize, unit: DepthUnit = .millimetre, level: KernelLevel? = nil
    ) throws(FusionError) {
        guard (1...16384).contains(size.width), (1...16384).contains(size.height) else {
            throw .unsupportedFormat(FrameFormat(pixelFormat: .z16, size: size))
        }
        self.filter = filter
        self.size = size
        kernels = try KernelLevel.kernels(of: level)
        reach = filter.reach.counts(unit)
        func samples(_ isNeeded: Bool) -> Int { isNeeded ? size.area : 0 }
        row = Scratch(size.width, filledWith: 0)
        kept = Scratch(samples(filter.isOverTime), filledWith: 0)
        seen = Scratch(samples(filter.isOverTime), filledWith: 0)
        steady = Scratch(samples(!filter.isOff), filledWith: 0)
        places = Scratch(samples(filter.largestHole > 0), filledWith: 0)
        marks = Scratch(samples(filter.largestHole > 0), filledWith: 0)
        columns = Scratch(size.width, filledWith: 0)
        stride = size.width + 2 * Self.margin
        let margined = filter.radius > 0 ? stride * (size.height + 2 * Self.margin) : 0
        filled = Scratch(margined, filledWith: 0)
        luma = Scratch(margined, filledWith: 0)
    }

    /// Forgets the frames so far: what comes next is another scene, or comes after a gap.
    package func reset() {
        kept.fill(0)
        seen.fill(0)
    }

    /// Filters a frame of little-endian words, `bytesPerLine` apart from row to row, and writes the result, `outStride`
    /// samples from row to row. 65535 becomes 0, which says that nothing is known.
    ///
    /// `guide` has brightness for each pixel of depth: the camera's own infrared light, or a picture that depth is
    /// registered to. Without it, smoothing goes by depth alone.
    package func apply(
        _ frame: UnsafeRawPointer, bytesPerLine: Int, guide: (luma: UnsafePointer<UInt8>, stride: Int)? = nil,
        into out: UnsafeMutablePointer<UInt16>, outStride: Int
    ) {
        let isSmooth = filter.radius > 0, isFilled = filter.largestHole > 0
        let start = Self.margin * stride + Self.margin
        let (plane, planeStride) = isSmooth ? (filled.base + start, stride) : (out, outStride)
        for y in 0..<size.height {
            let target = isFilled ? steady.base + y * size.width : plane + y * planeStride
            take(frame + y * bytesPerLine, row: y, into: target)
        }
        if isFilled { fill(into: plane, stride: planeStride) }
        guard isSmooth else { return }
        if let guide {
            for y in 0..<size.height {
                (luma.base + start + y * stride).update(from: guide.luma + y * guide.stride, count: size.width)
            }
        } else {
            luma.fill(0)
        }
        for y in 0..<size.height {
            var smoothed = fusion_depth_guide_parameters(
                depth: filled.base + start + y * stride, stride: stride, luma: luma.base + start + y * stride,
                luma_stride: stride, count: size.width, radius: UInt32(filter.radius), bound: UInt32(filter.contrast),
                least: reach.least, slope: reach.slope, own: Self.ownQuarters, out: out + y * outStride)
            kernels.pointee.depth.guide_depth(&smoothed)
        }
    }

    /// What a pixel's own group counts, in quarters: a pixel at an edge changes sides only if the picture is rather
    /// clear.
    private static let ownQuarters: UInt32 = 5

    /// Takes a row, and steadies it over time.
    private func take(_ words: UnsafeRawPointer, row y: Int, into target: UnsafeMutablePointer<UInt16>) {
        let bytes = words.assumingMemoryBound(to: UInt8.self)
        guard filter.isOverTime else {
            kernels.pointee.depth.take_depth(bytes, size.width, target)
            return
        }
        kernels.pointee.depth.take_depth(bytes, size.width, row.base)
        var steadied = fusion_depth_steady_parameters(
            fresh: row.base, count: size.width, least: reach.least, slope: reach.slope,
            share: UInt32(max(1, 256 / filter.memory)), hold: filter.hold == 0 ? 9 : UInt32(filter.hold),
            kept: kept.base + y * size.width, seen: seen.base + y * size.width, out: target)
        kernels.pointee.depth.steady_depth(&steadied)
    }

    private func fill(into plane: UnsafeMutablePointer<UInt16>, stride: Int) {
        var holes = fusion_depth_holes_parameters(
            depth: steady.base, stride: size.width, width: UInt32(size.width), height: UInt32(size.height),
            limit: UInt32(filter.largestHole), least: reach.least, slope: reach.slope, places: places.base,
            marks: marks.base, columns: columns.base, out: plane, out_stride: stride)
        kernels.pointee.depth.fill_depth_holes(&holes)
    }
}
