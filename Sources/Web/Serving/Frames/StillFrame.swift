// SPDX-License-Identifier: MIT
// One frame, made a JPEG by itself.

import LivecapFrames
import LivecapPictures

/// A copy of a frame that leaves the ring to others.
struct StillFrame: Sendable {
    private let bytes: [UInt8]
    private let format: FrameFormat
    private let time: Timestamp
    private let clock: FrameClock

    /// A frame of `time`, by the `clock` of its source.
    init(_ bytes: [UInt8], _ format: FrameFormat, at time: Timestamp, by clock: FrameClock = .machine) {
        self.bytes = bytes
        self.format = format
        self.time = time
        self.clock = clock
    }

    /// The frame as a JPEG of a width, or of its own, with its date; nil if it cannot be decoded.
    func jpeg(width: Int?, date: PictureDate? = nil) -> [UInt8]? {
        let size = width.map { width in
            FrameSize(width: width, height: max(2, (format.size.height * width / format.size.width + 1) & ~1))
        }
        let settings = PictureSettings(format: .jpeg(quality: 80), size: size, view: PictureView(date: date))
        guard let converter = try? PictureConverter(format, [settings], clock: clock) else { return nil }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: converter.formats[0].byteCount, alignment: 64)
        defer { memory.deallocate() }
        PictureConverter.clear(memory, converter.formats[0])
        guard bytes.withUnsafeBytes({ converter.take($0.bytes) }), let count = converter.draw(0, into: memory, at: time)
        else {
            return nil
        }
        return Array(memory[..<count])
    }
}
