// SPDX-License-Identifier: MIT
// Sound as packets of Opus for those who listen now, not for a file.

import LivecapFrames
import LivecapSound

/// Encodes a track of sound at 48 kHz: each packet is there as soon as its last sample is. Used by one thread.
package final class LiveSoundEncoder {
    /// 20 ms of sound, which can be decoded together with the packets before it.
    package struct Packet: Hashable, Sendable {
        /// When the first sample that a decoder makes of it is heard, since the track's beginning. That of the first
        /// packet is a little before it.
        package let time: Duration
        /// One packet of Opus (RFC 6716).
        package let bytes: [UInt8]
    }

    /// The number of samples of each channel in a packet.
    package static let samples = 960
    private let encoder: SoundEncoder

    /// `channels`: 1 or 2.
    /// - Throws: `noLibrary`, `unknownRelease`, `noSoundEncoder`.
    package init(channels: Int) throws(MovieError) {
        let encoder = try SoundEncoder(.opus, channels: channels, try MovieLibrary(), isLive: true)
        guard encoder.block == Self.samples else {
            throw .noSoundEncoder(.opus, detail: "packets of \(encoder.block) samples instead of \(Self.samples)")
        }
        self.encoder = encoder
    }

    /// Adds interleaved samples, and hands on the packets that are ready.
    /// - Throws: `failed`, after which it is of no more use.
    package func encode(_ samples: UnsafeBufferPointer<Float>, _ take: (Packet) -> Void) throws(MovieError) {
        try encoder.encode(samples) { packet throws(MovieError) in
            take(Packet(time: packet.time, bytes: Array(packet.bytes)))
        }
    }
}
