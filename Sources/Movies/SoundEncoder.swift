// SPDX-License-Identifier: MIT
// Encodes a track of sound with what FFmpeg's libraries have.

import LivecapCMovies
import LivecapFrames
import LivecapSound

/// How the sound of a movie is compressed.
public enum SoundCodec: String, Hashable, Codable, Sendable, CaseIterable {
    /// AAC.
    case aac
    /// FLAC, which loses nothing.
    case flac
    /// Opus.
    case opus

    /// The name for people.
    public var name: String {
        switch self {
        case .aac: "AAC"
        case .flac: "FLAC"
        case .opus: "Opus"
        }
    }

    /// What FFmpeg calls its encoder, the samples that it takes, and how it is set. `channels`: 1 or 2.
    fileprivate func choice(channels: Int, isLive: Bool) -> (EncoderChoice, lc_movie_samples) {
        switch self {
        case .aac:
            (EncoderChoice(name: "aac", options: ["b": channels == 1 ? "96000" : "160000"]), LC_MOVIE_FLOAT_PLANES)
        // Blocks of 20 ms, which whole milliseconds describe exactly.
        case .flac:
            (EncoderChoice(name: "flac", options: ["frame_size": "960", "compression_level": "4"]), LC_MOVIE_S16)
        // 2.5 ms of delay instead of 6.5, beside the packet's own 20.
        case .opus where isLive:
            (
                EncoderChoice(
                    name: "libopus",
                    options: [
                        "b": channels == 1 ? "64000" : "96000", "application": "lowdelay", "vbr": "on",
                        "frame_duration": "20",
                    ]),
                LC_MOVIE_FLOAT
            )
        case .opus:
            (
                EncoderChoice(
                    name: "libopus",
                    options: ["b": channels == 1 ? "64000" : "112000", "application": "audio", "vbr": "on"]),
                LC_MOVIE_FLOAT
            )
        }
    }
}

extension MovieContainer {
    /// The codec of its sound: what all players of such files have; in Matroska files the one that loses nothing, as
    /// pictures are unchanged there, too.
    public var soundCodec: SoundCodec {
        switch self {
        case .mkv: .flac
        case .mp4: .aac
        case .webm: .opus
        }
    }
}

/// One compressed block of sound. Its bytes are lent.
struct SoundPacket {
    let bytes: UnsafeRawBufferPointer
    /// Since the movie's first frame. The first may be before it: it is not heard, decoders need it.
    let time: Duration
    let duration: Duration
}

/// An encoder of sound at 48 kHz. Used by one thread.
final class SoundEncoder {
    let codec: SoundCodec
    let channels: Int
    /// For the file's description.
    let handle: OpaquePointer
    private let library: MovieLibrary
    /// How many samples of each channel it takes at once.
    let block: Int
    private var rest: [Float] = []
    /// Samples that were encoded.
    private var place: Int64 = 0

    /// One that `isLive` has the least delay.
    /// - Throws: `noSoundEncoder`.
    init(
        _ codec: SoundCodec, channels: Int, _ library: MovieLibrary, isLive: Bool = false
    ) throws(MovieError) {
        self.codec = codec
        self.channels = channels
        self.library = library
        let (choice, samples) = codec.choice(channels: channels, isLive: isLive)
        var sound = lc_movie_sound(rate: Int32(SoundTimeline.rate), channels: Int32(channels), samples: samples)
        var why = [CChar](repeating: 0, count: 256)
        var encoder: OpaquePointer?
        let result = choice.withOptions { options in
            lc_encoder_open_sound(library.functions, choice.name, &sound, options, &encoder, &why, why.count)
        }
        guard result >= 0, let encoder else {
            throw .noSoundEncoder(codec, detail: "\(choice.name): \(MovieLibrary.text(why))")
        }
        handle = encoder
        block = lc_encoder_block(encoder)
        rest.reserveCapacity((block + SoundTimeline.rate / 10) * channels)
    }

    deinit { lc_encoder_close(handle) }

    /// Adds interleaved samples, and hands on the packets that are ready.
    func encode(
        _ samples: UnsafeBufferPointer<Float>, _ take: (SoundPacket) throws(MovieError) -> Void
    ) throws(MovieError) {
        rest.append(contentsOf: samples)
        let size = block * channels
        var begin = 0
        while rest.count - begin >= size {
            try send(from: begin, count: block)
            try receive(take)
            begin += size
        }
        rest.removeFirst(begin)
    }

    /// Encodes what is left.
    func finish(_ take: (SoundPacket) throws(MovieError) -> Void) throws(MovieError) {
        if !rest.isEmpty { try send(from: 0, count: rest.count / channels) }
        rest.removeAll()
        try receive(take)
        try check(lc_encoder_end(handle))
        try receive(take)
    }

    private func send(from begin: Int, count: Int) throws(MovieError) {
        let result = rest.withUnsafeBufferPointer {
            lc_encoder_send_sound(handle, $0.baseAddress! + begin, count, place)
        }
        try check(result)
        place += Int64(count)
    }

    private func receive(_ take: (SoundPacket) throws(MovieError) -> Void) throws(MovieError) {
        var packet = lc_encoded()
        while true {
            let result = lc_encoder_receive(handle, &packet)
            try check(result)
            guard result > 0 else { return }
            let begin = TrackTime.time(of: packet.time)
            let end = TrackTime.time(of: packet.time + max(packet.duration, 1))
            try take(
                SoundPacket(
                    bytes: UnsafeRawBufferPointer(start: packet.bytes, count: packet.count), time: begin,
                    duration: end - begin))
        }
    }

    private func check(_ result: Int32) throws(MovieError) { try library.check(result, "the sound cannot be encoded") }
}
