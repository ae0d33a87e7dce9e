// SPDX-License-Identifier: MIT
// Encodes pictures as H.264 to be looked at while they are made: each leaves at once, and decoders show it at once.

import LivecapCMovies
import LivecapFrames

/// Encodes pictures as H.264 for viewers that are connected now. Used by one thread.
///
/// Each picture becomes one packet in the byte stream of ITU-T H.264, Annex B, before the next one is taken. None
/// refers to a later one, and the stream says so (`max_num_reorder_frames` is 0), so that decoders hold none back.
/// Packets that need no other begin with the parameters that decoders need. The rate is bounded within a fifth of a
/// second, so that a line of that rate is never far behind.
package final class LiveEncoder {
    /// How pictures are encoded.
    package struct Settings: Hashable, Sendable {
        /// The pictures' format: Y'CbCr 4:2:0 in three planes with 8 bits. The last row or column of an odd size is
        /// left out.
        package var pictures: FrameFormat
        /// How many come, as far as known.
        package var rate: FrameRate?
        /// The highest rate in bits per second. Simple pictures take less.
        package var bitsPerSecond: Int

        /// Creates settings.
        package init(pictures: FrameFormat, rate: FrameRate?, bitsPerSecond: Int) {
            self.pictures = pictures
            self.rate = rate
            self.bitsPerSecond = bitsPerSecond
        }
    }

    /// A picture that was encoded.
    package struct Packet: Sendable {
        /// The frame it shows.
        package let frame: FrameMetadata
        /// Whether it can be decoded without any other.
        package let isKey: Bool
        /// Annex B. With the parameters first, if it `isKey`.
        package let bytes: [UInt8]
    }

    /// How it is set.
    package let settings: Settings
    private let library: MovieLibrary
    private let planes: [Plane]
    private var encoder: VideoEncoder
    private var first: Timestamp?
    private var last = Duration.microseconds(-1)
    /// The frames whose packets have not come, with the times that were given to the encoder.
    private var pending: [(time: Duration, frame: FrameMetadata)] = []

    /// Opens the first encoder that works.
    /// - Throws: `noLibrary`, `unknownRelease`, `noEncoder`, `tooSmall`, `unsuitable`.
    package init(_ settings: Settings) throws(MovieError) {
        guard settings.pictures.pixelFormat == .i420 else { throw .unsuitable("\(settings.pictures.pixelFormat)") }
        self.settings = settings
        library = try MovieLibrary()
        encoder = try Self.open(settings, library)
        planes = settings.pictures.planes
    }

    /// What FFmpeg calls the encoder.
    package var name: String { encoder.name }
    /// The size of what is encoded.
    package var size: FrameSize { encoder.size }

    /// Encodes the picture of a frame. `picture` has the bytes of the settings' format. One that `isKey` can be decoded
    /// without any other; the first one always can.
    /// - Throws: `failed`, after which it is of no more use.
    package func encode(
        _ picture: RawSpan, of frame: FrameMetadata, isKey: Bool, _ take: (Packet) -> Void
    ) throws(MovieError) {
        var packets = try packets(picture, frame, isKey: isKey)
        if isKey, let packet = packets.last, packet.frame.id == frame.id, !packet.isKey {
            // This encoder does not do what it is asked, but begins with such a picture.
            encoder = try Self.open(settings, library)
            pending = []
            packets = try self.packets(picture, frame, isKey: true)
        }
        packets.forEach(take)
    }

    private func packets(
        _ picture: RawSpan, _ frame: FrameMetadata, isKey: Bool
    ) throws(MovieError) -> [Packet] {
        let begin = first ?? frame.time
        first = begin
        // Encoders take no two of the same time, and a scene that begins again goes back.
        last = max(.microseconds((frame.time - begin).nanoseconds / 1000), last + .microseconds(1))
        pending.append((last, frame))
        var packets: [Packet] = []
        try encoder.encode(
            at: last, isKey: isKey, { targets, strides in copy(picture, targets, strides) },
            { packet throws(MovieError) in
                guard let index = pending.firstIndex(where: { $0.time == packet.time }) else { return }
                let frame = pending[index].frame
                pending.removeSubrange(...index)
                packets.append(Packet(frame: frame, isKey: packet.isKey, bytes: Array(packet.bytes)))
            })
        return packets
    }

    private func copy(_ picture: RawSpan, _ targets: [UnsafeMutableRawPointer], _ strides: [Int]) {
        let halves = [1, 2, 2]
        picture.withUnsafeBytes { bytes in
            for (component, plane) in planes.enumerated() {
                let columns = encoder.size.width / halves[component]
                for row in 0..<encoder.size.height / halves[component] {
                    (targets[component] + row * strides[component]).copyMemory(
                        from: bytes.baseAddress! + plane.offset + row * plane.stride, byteCount: columns)
                }
            }
        }
    }

    private static func open(_ settings: Settings, _ library: MovieLibrary) throws(MovieError) -> VideoEncoder {
        var picture = lc_movie_picture(
            size: settings.pictures.size, rate: settings.rate, colorimetry: settings.pictures.colorimetry)
        return try VideoEncoder(.h264, among: EncoderChoice.live(settings), &picture, library)
    }
}

extension EncoderChoice {
    /// Encoders of H.264 for viewers, best first: on one thread, because that takes the least time of all processors
    /// together, and without extradata, so that parameters come with the pictures that need them.
    static func live(_ settings: LiveEncoder.Settings) -> [EncoderChoice] {
        let rate = settings.bitsPerSecond
        let fps = max(1, settings.rate?.framesPerSecond ?? 30)
        let common = [
            "flags": "-global_header", "bf": "0", "threads": "1", "g": "\(Int(fps * keySeconds))",
            "maxrate": "\(rate)",
        ]
        let choices: [(String, [String: String])] = [
            (
                "libx264",
                [
                    "preset": "ultrafast", "tune": "zerolatency", "crf": "23", "forced-idr": "1",
                    "bufsize": "\(rate / 5)", "rc_init_occupancy": "\(rate / 5)",
                ]
            ),
            ("libopenh264", ["b": "\(rate)", "rc_mode": "bitrate", "allow_skip_frames": "0"]),
        ]
        return choices.map { EncoderChoice(name: $0.0, options: common.merging($0.1) { $1 }) }
    }

    /// How often a picture comes that needs no other, if no viewer asks for one earlier.
    private static let keySeconds = 10.0
}
