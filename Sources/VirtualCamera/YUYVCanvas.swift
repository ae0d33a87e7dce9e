// SPDX-License-Identifier: MIT
// Frames of every format as YUYV pictures of one size, which every program that takes a camera understands.

import LiveCapture
import LivecapFrames

/// A picture that frames are drawn into: 8-bit YUYV in limited range, without padding.
final class YUYVCanvas {
    let size: FrameSize
    /// Bytes from one row to the next: two pixels share four bytes.
    var stride: Int { (size.width + 1) / 2 * 4 }
    /// The picture; black at first.
    private(set) var pixels: [UInt8]
    private let format: FrameFormat
    private var converter: PlanarConverter?

    init(_ format: FrameFormat) {
        self.format = format
        size = format.size
        pixels = []
        pixels = [UInt8](repeating: 128, count: stride * size.height)
        for offset in Swift.stride(from: 0, to: pixels.count, by: 2) { pixels[offset] = 16 }
    }

    /// Whether frames of the format can be drawn. JPEG frames always can, as long as they can be decoded.
    static func canDraw(_ format: FrameFormat) -> Bool {
        guard !format.pixelFormat.isJPEG else { return true }
        return (try? PlanarConverter(format, first: RawSpan())) != nil
    }

    /// Draws a frame. Returns false, with the picture unchanged, if it cannot be decoded.
    func draw(_ frame: RawSpan) -> Bool {
        if converter == nil { converter = (try? PlanarConverter(format, first: frame)) ?? nil }
        guard let converter, converter.convert(frame) else { return false }
        let planes = converter.sampling.planes(size)
        let isFull = converter.colorimetry.range == .full
        pixels.withUnsafeMutableBufferPointer { pixels in
            converter.samples.withUnsafeBufferPointer { samples in
                pack(samples, planes, converter.sampling.shared, isFull, into: pixels)
            }
        }
        return true
    }

    private func pack(
        _ samples: UnsafeBufferPointer<UInt8>, _ planes: [Plane], _ shared: (across: Int, down: Int)?, _ isFull: Bool,
        into pixels: UnsafeMutableBufferPointer<UInt8>
    ) {
        let (luma, chroma) = (isFull ? Self.limitedLuma : Self.same, isFull ? Self.limitedChroma : Self.same)
        let last = size.width - 1
        for y in 0..<size.height {
            var to = y * stride
            let row = planes[0].offset + y * planes[0].stride
            for x in Swift.stride(from: 0, to: size.width, by: 2) {
                pixels[to] = luma[Int(samples[row + x])]
                pixels[to + 2] = luma[Int(samples[row + min(x + 1, last)])]
                if let shared {
                    let place = y / shared.down * planes[1].stride + x / shared.across
                    pixels[to + 1] = chroma[Int(samples[planes[1].offset + place])]
                    pixels[to + 3] = chroma[Int(samples[planes[2].offset + place])]
                } else {
                    (pixels[to + 1], pixels[to + 3]) = (128, 128)
                }
                to += 4
            }
        }
    }

    private static let same = [UInt8](0...255)
    /// From 0...255 to 16...235, and to 16...240 around 128.
    private static let limitedLuma = (0...255).map { UInt8((Double($0) * 219 / 255 + 16).rounded()) }
    private static let limitedChroma = (0...255).map { UInt8(((Double($0) - 128) * 224 / 255 + 128).rounded()) }
}
