// SPDX-License-Identifier: MIT
// The depth of several frames of one moment, as one that is better than each.

import LivecapCFusionKernels
import LivecapFrames

/// Frames of depth that show the same things at the same places, such as those around a photo's moment, fused pixel by
/// pixel: the mean of the depths near their median, and a hole where fewer than half of the frames have one. Memory is
/// allocated once. It is used by one thread at a time.
package final class DepthBurst: @unchecked Sendable {  // its owner decides which thread uses it
    /// The most frames of a burst.
    package static let limit = 32
    /// The size of frames.
    package let size: FrameSize
    /// The most frames that it takes.
    package let capacity: Int
    /// The frames that it has.
    package private(set) var count = 0
    private let kernels: UnsafePointer<fusion_kernels>
    private let reach: (least: UInt32, slope: UInt32)
    private let frames: Scratch<UInt16>

    /// Room for up to `capacity` frames, at most `limit`.
    package init(
        capacity: Int, size: FrameSize, unit: DepthUnit = .millimetre, reach: DepthReach = DepthReach(),
        level: KernelLevel? = nil
    ) throws(FusionError) {
        guard (1...Self.limit).contains(capacity) else { throw .frameCount(capacity, most: Self.limit) }
        self.size = size
        self.capacity = capacity
        kernels = try KernelLevel.kernels(of: level)
        self.reach = reach.counts(unit)
        frames = Scratch(capacity * size.area, filledWith: 0)
    }

    /// Takes a frame of little-endian words, `bytesPerLine` apart from row to row.
    /// - Throws: `frameCount` if there is no room.
    package func add(_ frame: UnsafeRawPointer, bytesPerLine: Int) throws(FusionError) {
        guard count < capacity else { throw .frameCount(count + 1, most: capacity) }
        for y in 0..<size.height {
            let bytes = (frame + y * bytesPerLine).assumingMemoryBound(to: UInt8.self)
            kernels.pointee.depth.take_depth(bytes, size.width, frames.base + count * size.area + y * size.width)
        }
        count += 1
    }

    /// Forgets all frames.
    package func removeAll() { count = 0 }

    /// Writes the fused depth, `stride` samples from row to row; holes everywhere if there are no frames.
    package func fuse(into out: UnsafeMutablePointer<UInt16>, stride: Int) {
        for y in 0..<size.height {
            guard count > 0 else {
                (out + y * stride).update(repeating: DepthUnit.unknown, count: size.width)
                continue
            }
            kernels.pointee.depth.fuse_depth(
                frames.base + y * size.width, size.area, count, size.width, reach.least, reach.slope, out + y * stride)
        }
    }
}
