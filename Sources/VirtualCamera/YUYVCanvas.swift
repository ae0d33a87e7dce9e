// SPDX-License-Identifier: MIT
// Frames of every format as YUYV pictures of one size, which every program that takes a camera understands.

import LiveCapture
import LivecapFrames

/// A picture that frames are drawn into: 8-bit YUYV in limited range, without padding.
final class YUYVCanvas {
    /// The picture's size.
    let size: FrameSize
    /// Bytes from one row to the next: two pixels share four bytes.
    var stride: Int { (size.width + 1) / 2 * 4 }
    /// The picture; black at first.
    private(set) var pixels: [UInt8]
    private let format: FrameFormat
    private let view: PictureView
    private var converter: PlanarConverter?
    /// Where the samples of a picture that is not the whole frame come from, once its planes are known.
    private var taps: Taps?

    /// For one plane of brightness and, with colours, two alike.
    private struct Taps {
        let luma: (across: [Tap], down: [Tap])
        let chroma: (across: [Tap], down: [Tap])?
    }

    init(_ format: FrameFormat, _ view: PictureView = .whole) {
        (self.format, self.view) = (format, view)
        size = view.size(of: format.size)
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
        let planes = converter.sampling.planes(format.size)
        if view != .whole, taps == nil { taps = makeTaps(planes) }
        let isFull = converter.colorimetry.range == .full
        pixels.withUnsafeMutableBufferPointer { pixels in
            converter.samples.withUnsafeBufferPointer { samples in
                if let taps {
                    show(samples, planes, taps, isFull, into: pixels)
                } else {
                    pack(samples, planes, converter.sampling.shared, isFull, into: pixels)
                }
            }
        }
        return true
    }

    private func makeTaps(_ planes: [Plane]) -> Taps {
        Taps(
            luma: view.taps(in: planes[0], across: size.width, down: size.height),
            chroma: planes.count == 1
                ? nil : view.taps(in: planes[1], across: (size.width + 1) / 2, down: size.height))
    }

    /// Draws the picture that a view selects, interpolated between the nearest samples.
    private func show(
        _ samples: UnsafeBufferPointer<UInt8>, _ planes: [Plane], _ taps: Taps, _ isFull: Bool,
        into pixels: UnsafeMutableBufferPointer<UInt8>
    ) {
        let (luma, chroma) = (isFull ? Self.limitedLuma : Self.same, isFull ? Self.limitedChroma : Self.same)
        for y in 0..<size.height {
            let row = taps.luma.down[y]
            var to = y * stride
            for tap in taps.luma.across {
                pixels[to] = luma[sample(samples, planes[0].offset, tap, row)]
                to += 2
            }
            // An odd width has a last pair of its own.
            if size.width % 2 == 1 { pixels[to] = pixels[to - 2] }
            to = y * stride + 1
            guard let shared = taps.chroma else {
                for place in Swift.stride(from: to, to: to + stride, by: 2) { pixels[place] = 128 }
                continue
            }
            let sharedRow = shared.down[y]
            for tap in shared.across {
                pixels[to] = chroma[sample(samples, planes[1].offset, tap, sharedRow)]
                pixels[to + 2] = chroma[sample(samples, planes[2].offset, tap, sharedRow)]
                to += 4
            }
        }
    }

    @inline(__always)
    private func sample(
        _ samples: UnsafeBufferPointer<UInt8>, _ plane: Int, _ across: Tap, _ down: Tap
    ) -> Int {
        let (above, below) = (plane + down.first, plane + down.second)
        let upper =
            Int(samples[above + across.first]) * (256 - across.weight)
            + Int(samples[above + across.second]) * across.weight
        let lower =
            Int(samples[below + across.first]) * (256 - across.weight)
            + Int(samples[below + across.second]) * across.weight
        return (upper * (256 - down.weight) + lower * down.weight + 1 << 15) >> 16
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
