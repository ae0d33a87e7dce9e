// SPDX-License-Identifier: MIT
// Which frame of a synthetic scene a JPEG shows, read from its pixels.

import LivecapFrames
import LivecapJPEG

/// The number that a synthetic scene has drawn into a picture.
///
/// It is the number of the frame within the scene, which begins with 0 and never skips: a frame's time is the first
/// frame's plus number divided by rate. The counter in a frame's id counts what was published, so both are the same
/// only while the scene loses no frame. `SceneSchedule` says which number a frame of a given time has.
package enum StillMark {
    /// Reads the number in an upright JPEG; nil if it has none that is whole. `drawn` is the size in which the scene
    /// drew it, if the JPEG was made smaller or larger since then.
    package static func read(_ jpeg: [UInt8], drawnAt drawn: FrameSize? = nil) throws -> UInt32? {
        var decoder = try JPEGDecoder()
        let header = try decoder.header(jpeg.span.bytes)
        guard let layout = PlanarLayout(size: header.size, sampling: header.sampling) else { return nil }
        var planes = [UInt8](repeating: 0, count: layout.byteCount)
        let flaw = try planes.withUnsafeMutableBytes { try decoder.decode(jpeg.span.bytes, to: layout, in: $0) }
        guard flaw == nil else { return nil }
        guard let drawn, drawn != header.size else {
            return FrameMark(fitting: header.size)?.read(planes.span.bytes, format: layout.luma)
        }
        let stretched = stretch(planes, layout.luma, to: drawn)
        let format = FrameFormat(pixelFormat: .grey, size: drawn)
        return FrameMark(fitting: drawn)?.read(stretched.span.bytes, format: format)
    }

    /// The nearest sample for each: a mark's boxes are wide enough for that.
    private static func stretch(_ samples: [UInt8], _ format: FrameFormat, to size: FrameSize) -> [UInt8] {
        let stride = format.bytesPerLine
        return [UInt8](unsafeUninitializedCapacity: size.area) { stretched, count in
            for y in 0..<size.height {
                let row = (2 * y + 1) * format.size.height / (2 * size.height) * stride
                for x in 0..<size.width {
                    stretched[y * size.width + x] = samples[row + (2 * x + 1) * format.size.width / (2 * size.width)]
                }
            }
            count = size.area
        }
    }
}

/// When a synthetic scene shows which number.
package struct SceneSchedule {
    private let rate: FrameRate
    private let number: Int64
    private let time: Timestamp

    /// Learns the schedule from one frame: its number, read from its pixels, and its time.
    package init(_ rate: FrameRate, number: UInt32, at time: Timestamp) {
        (self.rate, self.number, self.time) = (rate, Int64(number), time)
    }

    /// The number of the frame with a time; nil if no frame of the scene has that time.
    package func number(at time: Timestamp) -> UInt32? {
        let interval = Double(rate.denominator) * 1e9 / Double(rate.numerator)
        let frames = Double(self.time.duration(to: time).nanoseconds) / interval
        // Times are whole nanoseconds.
        guard abs(frames - frames.rounded()) * interval < 2 else { return nil }
        return UInt32(exactly: number + Int64(frames.rounded()))
    }
}
