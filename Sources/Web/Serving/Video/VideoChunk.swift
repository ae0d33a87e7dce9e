// SPDX-License-Identifier: MIT
// A frame as viewers of H.264 get it, and which frame it shows.

import LivecapFrames
import LivecapMovies

/// A frame of H.264. All viewers of one size share it, so a slow one holds no copy of its own.
final class VideoChunk: Sendable {
    /// The frame it shows.
    let frame: FrameMetadata
    /// Whether it can be decoded without any other.
    let isKey: Bool
    /// The head of a record, and the frame in the byte stream of ITU-T H.264, Annex B.
    let record: [UInt8]

    /// `number` counts the frames of its channel.
    init(_ frame: FrameMetadata, number: UInt32, isKey: Bool, size: FrameSize, bytes: [UInt8]) {
        self.frame = frame
        self.isKey = isKey
        let kind = isKey ? FrameWrapping.Kind.key : .dependent
        record =
            FrameWrapping.record(
                kind, frame.id, time: frame.time, byteCount: bytes.count, size: size, number: number) + bytes
    }

    convenience init(_ packet: LiveEncoder.Packet, number: UInt32, size: FrameSize) {
        self.init(packet.frame, number: number, isKey: packet.isKey, size: size, bytes: packet.bytes)
    }
}
