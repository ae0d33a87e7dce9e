// SPDX-License-Identifier: MIT
// What stands around each JPEG on its way to a viewer.

import LivecapFrames

/// How a viewer gets frames.
enum FrameWrapping: Sendable {
    /// For the page: a head of 32 bytes with the frame's id before each JPEG.
    case records
    /// For programs and `<img>`: `multipart/x-mixed-replace`.
    case parts

    static let boundary = "livecap-frame"

    var type: String {
        switch self {
        case .records: "application/octet-stream"
        case .parts: "multipart/x-mixed-replace;boundary=\(Self.boundary)"
        }
    }

    /// What comes before a frame's JPEG.
    func head(_ frame: FeedFrame) -> [UInt8] {
        switch self {
        case .records: Self.record(frame.frame.id, frame.frame.time, frame.byteCount, frame.size)
        case .parts:
            Array(
                ("--\(Self.boundary)\r\nContent-Type: image/jpeg\r\nContent-Length: \(frame.byteCount)\r\n"
                    + "X-Timestamp: \(Double(frame.frame.time.nanoseconds) / 1e9)\r\nX-Livecap-Frame: \(frame.frame.id)\r\n\r\n")
                    .utf8)
        }
    }

    /// What comes after it.
    var tail: [UInt8] { self == .parts ? [0x0D, 0x0A] : [] }

    /// What shows a viewer without a new frame that the connection lives; nil to send the last frame again.
    var heartbeat: [UInt8]? {
        self == .records
            ? Self.record(FrameID(epoch: 0, counter: 0), .zero, 0, FrameSize(width: 0, height: 0)) : nil
    }

    /// All numbers are little endian: "LCF1", epoch, counter, nanoseconds, count of bytes, width, height.
    private static func record(_ id: FrameID, _ time: Timestamp, _ byteCount: Int, _ size: FrameSize) -> [UInt8] {
        var record: [UInt8] = Array("LCF1".utf8)
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { record.append(contentsOf: $0) }
        }
        append(id.epoch)
        append(id.counter)
        append(time.nanoseconds)
        append(UInt32(clamping: byteCount))
        append(UInt16(clamping: size.width))
        append(UInt16(clamping: size.height))
        return record
    }
}
