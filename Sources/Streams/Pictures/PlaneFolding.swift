// SPDX-License-Identifier: MIT
// Planes of any chroma sampling to 4:2:0, which all players take.

import LivecapFrames

/// Copies planes of 8-bit samples to 4:2:0 of an even size: chroma is the rounded mean of the samples that share a
/// place. A last odd row or column is left out.
package struct PlaneFolding {
    private let planes: [Plane]
    private let sampling: PlanarSampling
    private let size: FrameSize

    /// The format of frames as planes of 4:2:0: of an even size.
    package static func pictures(of frames: FrameFormat) -> FrameFormat {
        FrameFormat(
            pixelFormat: .i420, size: FrameSize(width: frames.size.width & ~1, height: frames.size.height & ~1),
            colorimetry: PlanarConverter.colorimetry(of: frames))
    }

    /// `frames` is the size of the frames, `size` that of the result.
    package init(_ sampling: PlanarSampling, _ frames: FrameSize, to size: FrameSize) {
        planes = sampling.planes(frames)
        self.sampling = sampling
        self.size = size
    }

    /// Fills three planes whose rows lie `strides` bytes apart.
    package func fold(_ samples: UnsafeRawBufferPointer, to targets: [UnsafeMutableRawPointer], _ strides: [Int]) {
        fold(to: targets, strides) { (samples.baseAddress! + planes[$0].offset, planes[$0].stride) }
    }

    /// The same for planes that lie anywhere: `source` says where each begins, and how many bytes apart its rows are.
    package func fold(
        to targets: [UnsafeMutableRawPointer], _ strides: [Int],
        from source: (_ plane: Int) -> (samples: UnsafeRawPointer, stride: Int)
    ) {
        let luma = source(0)
        for row in 0..<size.height {
            (targets[0] + row * strides[0]).copyMemory(
                from: luma.samples + row * luma.stride, byteCount: size.width)
        }
        for plane in 1...2 {
            let (width, height) = (size.width / 2, size.height / 2)
            let chroma = sampling.shared == nil ? nil : source(plane)
            for row in 0..<height {
                let target = targets[plane] + row * strides[plane]
                guard let (samples, stride) = chroma, let (across, down) = sampling.shared else {
                    // Grey.
                    target.initializeMemory(as: UInt8.self, repeating: 128, count: width)
                    continue
                }
                let first = samples + row * (2 / down) * stride
                if across == 2, down == 2 {
                    target.copyMemory(from: first, byteCount: width)
                } else {
                    let second = first + (down == 1 ? stride : 0)
                    Self.mean(first, second, step: 2 / across, to: target, count: width)
                }
            }
        }
    }

    /// Means of two rows, and with a step of 2 of two columns as well.
    private static func mean(
        _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, step: Int, to target: UnsafeMutableRawPointer, count: Int
    ) {
        let first = first.assumingMemoryBound(to: UInt8.self)
        let second = second.assumingMemoryBound(to: UInt8.self)
        let target = target.assumingMemoryBound(to: UInt8.self)
        if step == 1 {
            for x in 0..<count { target[x] = UInt8((UInt16(first[x]) &+ UInt16(second[x]) &+ 1) >> 1) }
        } else {
            for x in 0..<count {
                let above = UInt16(first[2 * x]) &+ UInt16(first[2 * x + 1])
                let below = UInt16(second[2 * x]) &+ UInt16(second[2 * x + 1])
                target[x] = UInt8((above &+ below &+ 2) >> 2)
            }
        }
    }
}
