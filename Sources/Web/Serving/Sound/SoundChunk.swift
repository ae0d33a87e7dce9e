// SPDX-License-Identifier: MIT
// A packet of sound as listeners get it, and when it was heard.

import LivecapFrames
import LivecapMovies

/// 20 ms of sound in Opus. All listeners share it, so a slow one holds no copy of its own.
final class SoundChunk: Sendable {
    /// When its first sample was heard, by the clock of frames' times.
    let time: Timestamp
    /// The head of a record, and the packet.
    let record: [UInt8]

    /// The bytes before a packet.
    static let headerBytes = 24
    static let type = "application/octet-stream"

    /// `number` counts the packets of a channel, from 1 on.
    init(_ bytes: [UInt8], time: Timestamp, number: UInt32, channels: Int) {
        self.time = time
        record = Self.head(time, byteCount: bytes.count, number: number, channels: channels) + bytes
    }

    /// A record without a packet, which shows that the connection lives.
    static let heartbeat = head(.zero, byteCount: 0, number: 0, channels: 0)

    /// All numbers are little endian: "LCS1", the packet's number, by which a listener sees that others are missing
    /// before it, nanoseconds, count of bytes, samples of each channel, and channels.
    private static func head(_ time: Timestamp, byteCount: Int, number: UInt32, channels: Int) -> [UInt8] {
        var head: [UInt8] = Array("LCS1".utf8)
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { head.append(contentsOf: $0) }
        }
        append(number)
        append(time.nanoseconds)
        append(UInt32(clamping: byteCount))
        append(UInt16(byteCount == 0 ? 0 : LiveSoundEncoder.samples))
        append(UInt16(clamping: channels))
        return head
    }
}
