// SPDX-License-Identifier: MIT
// Samples of 10 bits: those of frames that have as many, and those of planes of 8.

import LivecapFrames

/// P010 pictures of frames of more than 8 bits, with 10 of them, where a picture shows each pixel of its frame once.
/// Used by one thread.
final class FinePlanes {
    private let components: [(grid: SampleGrid, levels: [UInt16])]
    private let format: FrameFormat
    private var samples: [UInt16]
    /// Draws the date, if pictures have one.
    private var stamp: DateStamp?

    /// Nil if frames have no more than 8 bits, or the picture is no copy of the frame.
    init?(_ frames: FrameFormat, _ picture: FrameFormat, _ geometry: PictureGeometry, stamp: DateStamp?) {
        guard picture.pixelFormat == .p010, let layout = frames.pixelFormat.samples, layout.bits > 8,
            layout.model != .rgb, geometry.isCopy(of: frames.size)
        else { return nil }
        let grids = SampleGrid.all(of: frames)
        guard grids.dropFirst().allSatisfy({ ($0.across, $0.down) == (2, 2) }) else { return nil }
        components = grids.enumerated().map { index, grid in
            let codes = layout.codes(ofComponent: index, frames.colorimetry.range)
            let levels = FineLevels(from: frames.colorimetry.range, to: picture.colorimetry.range, isChroma: index > 0)
            return (grid, (0..<1 << grid.bits).map { levels.stored(Double($0) * codes.scale + codes.offset) })
        }
        format = picture
        self.stamp = stamp
        // Without chroma, it stays neutral.
        samples = [UInt16](repeating: FineLevels.neutral, count: picture.byteCount / 2)
    }

    /// Takes a frame, which has been found to be long enough.
    func take(_ frame: RawSpan) {
        let planes = format.planes
        for (index, (grid, levels)) in components.enumerated() {
            let (plane, step) = (planes[min(index, 1)], index == 0 ? 1 : 2)
            let start = plane.offset / 2 + max(index - 1, 0)
            for y in 0..<grid.rows {
                var to = start + y * plane.stride / 2
                for x in 0..<grid.columns {
                    samples[to] = levels[grid.sample(x, y, in: frame)]
                    to += step
                }
            }
        }
    }

    /// Copies the picture of the frame that was taken, and draws the date of its `time` over it. Returns the number of
    /// bytes.
    func draw(into memory: UnsafeMutableRawBufferPointer, at time: Timestamp?) -> Int {
        samples.withUnsafeBytes { memory.copyMemory(from: $0) }
        if let time, stamp != nil { drawDate(of: time, into: memory.assumingMemoryBound(to: UInt16.self).baseAddress!) }
        return format.byteCount
    }

    private func drawDate(of time: Timestamp, into samples: UnsafeMutablePointer<UInt16>) {
        stamp?.show(time)
        let range = format.colorimetry.range, planes = format.planes
        let levels = FineLevels(from: range, to: range, isChroma: false)
        let white: Double = range == .limited ? 235 : 255
        let black: Double = range == .limited ? 16 : 0
        stamp?.draw(
            into: StampedPlane(
                samples, stride: planes[0].stride / 2, ink: levels.stored(white), outline: levels.stored(black)))
        for lane in 0..<2 {
            stamp?.draw(
                into: StampedPlane(
                    samples + planes[1].offset / 2 + lane, stride: planes[1].stride / 2, step: 2, shared: (2, 2),
                    ink: FineLevels.neutral, outline: FineLevels.neutral))
        }
    }
}

/// How codes of 8 bits, with fractions, become samples of 10.
struct FineLevels {
    /// No colour.
    static let neutral = UInt16(512) << shift
    /// P010 has its bits at the top.
    private static let shift = 6

    private let scale, offset: Double

    init(from source: Colorimetry.Range, to target: Colorimetry.Range, isChroma: Bool) {
        // In limited range, more bits only add fractions; in full range, the brightest sample is all ones.
        func black(_ range: Colorimetry.Range) -> Double { isChroma ? 128 : range == .limited ? 16 : 0 }
        func steps(_ range: Colorimetry.Range) -> Double { range == .full ? 255 : isChroma ? 224 : 219 }
        let factor = steps(target) / steps(source) * (target == .full ? 1023.0 / 255 : 4)
        let zero = isChroma ? 512 : target == .limited ? 64.0 : 0
        scale = factor
        offset = zero - black(source) * factor
    }

    /// For each code of 8 bits in a range, the sample as P010 stores it.
    static func table(_ range: Colorimetry.Range, isChroma: Bool) -> [UInt16] {
        let levels = FineLevels(from: range, to: range, isChroma: isChroma)
        return (0...255).map { levels.stored(Double($0)) }
    }

    /// The sample as P010 stores it.
    func stored(_ code: Double) -> UInt16 {
        UInt16(min(max((code * scale + offset).rounded(), 0), 1023)) << Self.shift
    }
}

extension PictureGeometry {
    /// Whether a picture shows all pixels of frames of a size as they are.
    fileprivate func isCopy(of frames: FrameSize) -> Bool {
        size == frames && mount == .upright
            && part == PixelRect(x: 0, y: 0, width: Double(frames.width), height: Double(frames.height))
            && place == PictureRect(x: 0, y: 0, width: frames.width, height: frames.height)
    }
}
