// SPDX-License-Identifier: MIT
// What stands around each picture on its way to a viewer.

import LivecapFrames

/// How a viewer gets frames.
enum FrameWrapping: Sendable {
    /// For the page: a head of 36 bytes with the frame's id before each JPEG.
    case records
    /// For programs and `<img>`: `multipart/x-mixed-replace`.
    case parts

    /// What a record has after its head, as the first four bytes of the head name it.
    enum Kind: String, Sendable {
        /// A JPEG, or nothing: a heartbeat.
        case jpeg = "LCF1"
        /// A frame of H.264 that needs no other, with its parameters before it.
        case key = "LCK1"
        /// A frame of H.264 that builds on the one before it.
        case dependent = "LCD1"
    }

    static let boundary = "livecap-frame"

    var type: String {
        switch self {
        case .records: "application/octet-stream"
        case .parts: "multipart/x-mixed-replace;boundary=\(Self.boundary)"
        }
    }

    /// What comes before a frame's JPEG. `number` counts the frames that its channel published.
    func head(_ frame: FrameMetadata, _ size: FrameSize, _ byteCount: Int, number: UInt32) -> [UInt8] {
        switch self {
        case .records:
            Self.record(.jpeg, frame.id, time: frame.time, byteCount: byteCount, size: size, number: number)
        case .parts: Self.part(frame, byteCount)
        }
    }

    /// The bytes that follow the JPEG.
    var tail: [UInt8] { self == .parts ? [0x0D, 0x0A] : [] }

    /// What shows a viewer without a new frame that the connection lives; nil to send the last frame again.
    var heartbeat: [UInt8]? {
        self == .records
            ? Self.record(
                .jpeg, FrameID(epoch: 0, counter: 0), time: .zero, byteCount: 0, size: FrameSize(width: 0, height: 0),
                number: 0)
            : nil
    }

    /// Whether the server turns pictures upright. The page turns them itself.
    var isUpright: Bool { self == .parts }

    private static let partBegin = Array(
        "--\(boundary)\r\nContent-Type: image/jpeg\r\nContent-Length: ".utf8)

    // Appended piece by piece, because string interpolation takes longer than the copy of the JPEG.
    private static func part(_ frame: FrameMetadata, _ byteCount: Int) -> [UInt8] {
        let (seconds, rest) = frame.time.nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        var part = partBegin
        part.reserveCapacity(partBegin.count + 128)
        part += String(byteCount).utf8
        part += "\r\nX-Timestamp: ".utf8
        if frame.time < .zero { part += "-".utf8 }
        part += String(seconds).utf8
        part += ".".utf8
        // Padded to nine digits.
        part += String(1_000_000_000 + rest).utf8.dropFirst()
        part += "\r\nX-Livecap-Frame: ".utf8
        part += String(frame.id.epoch).utf8
        part += ":".utf8
        part += String(frame.id.counter).utf8
        part += "\r\n\r\n".utf8
        return part
    }

    /// All numbers are little endian: the kind, epoch, counter, nanoseconds, count of bytes, width, height, and the
    /// number among those that the channel published: a viewer sees by it which ones it was too slow for.
    static func record(
        _ kind: Kind, _ id: FrameID, time: Timestamp, byteCount: Int, size: FrameSize, number: UInt32
    ) -> [UInt8] {
        var record: [UInt8] = Array(kind.rawValue.utf8)
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { record.append(contentsOf: $0) }
        }
        append(id.epoch)
        append(id.counter)
        append(time.nanoseconds)
        append(UInt32(clamping: byteCount))
        append(UInt16(clamping: size.width))
        append(UInt16(clamping: size.height))
        append(number)
        return record
    }
}
