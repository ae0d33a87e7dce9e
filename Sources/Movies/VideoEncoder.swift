// SPDX-License-Identifier: MIT
// Encodes pictures as they come, one packet each, with what FFmpeg's libraries have.

import Glibc
import LivecapCMovies
import LivecapCSystem
import LivecapFrames

/// An encoder. Its packets come in the order of its pictures, at once: no picture refers to a later one, so that little
/// is lost with a killed process. Used by one thread.
final class VideoEncoder {
    /// The pictures it takes: Y'CbCr 4:2:0 with 8 bits, with an even number of rows and columns.
    let size: FrameSize
    /// What FFmpeg calls it.
    let name: String
    private let library: MovieLibrary
    private let encoder: OpaquePointer

    /// Opens the first encoder of the codec of `format` that works. `picture` may have an odd size, whose last row or
    /// column is left out. - Throws: `noEncoder`, `tooSmall`.
    convenience init(
        _ format: MovieFormat, _ picture: inout lc_movie_picture, _ library: MovieLibrary
    ) throws(MovieError) {
        let choices = EncoderChoice.all(of: format.codec, rate: picture.rate, format.quality)
        try self.init(format.codec, among: choices, &picture, library)
    }

    /// Opens the first of `choices`, encoders of `codec`, that works. `picture` may have an odd size, whose last row or
    /// column is left out. - Throws: `noEncoder`, `tooSmall`.
    init(
        _ codec: MovieCodec, among choices: [EncoderChoice], _ picture: inout lc_movie_picture,
        _ library: MovieLibrary
    ) throws(MovieError) {
        let asked = FrameSize(width: Int(picture.width), height: Int(picture.height))
        guard asked.width >= Self.smallest, asked.height >= Self.smallest else { throw .tooSmall("\(asked)") }
        size = FrameSize(width: asked.width & ~1, height: asked.height & ~1)
        picture.width = Int32(size.width)
        picture.height = Int32(size.height)
        if picture.rate_numerator < 1 { (picture.rate_numerator, picture.rate_denominator) = (30, 1) }
        self.library = library
        var why = [CChar](repeating: 0, count: 256)
        var reasons: [String] = []
        for choice in choices {
            var encoder: OpaquePointer?
            let result = choice.withOptions { options in
                lc_encoder_open(library.functions, choice.name, &picture, options, &encoder, &why, why.count)
            }
            if result >= 0, let encoder {
                self.encoder = encoder
                name = choice.name
                return
            }
            reasons.append("\(choice.name): \(MovieLibrary.text(why))")
        }
        throw .noEncoder(codec, detail: reasons.joined(separator: "; "))
    }

    deinit { lc_encoder_close(encoder) }

    /// What decoders need before the first packet. Complete once there is one.
    var extradata: [UInt8] {
        var count = 0
        let bytes = lc_encoder_extradata(encoder, &count)
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    /// Lends the planes of the next picture to `fill`, then encodes it: as one that needs no other, if it `isKey` and
    /// the encoder can. `time` must be after that of the last one.
    func encode(
        at time: Duration, isKey: Bool = false, _ fill: (_ planes: [UnsafeMutableRawPointer], _ strides: [Int]) -> Void,
        _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) {
        var planes: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?)
        planes = (nil, nil, nil)
        var strides: (Int32, Int32, Int32) = (0, 0, 0)
        let result = withUnsafeMutableBytes(of: &planes) { planes in
            withUnsafeMutableBytes(of: &strides) { strides in
                lc_encoder_planes(
                    encoder, planes.baseAddress!.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self),
                    strides.baseAddress!.assumingMemoryBound(to: Int32.self))
            }
        }
        try check(result)
        guard let luma = planes.0, let cb = planes.1, let cr = planes.2 else { return }
        fill(
            [UnsafeMutableRawPointer(luma), UnsafeMutableRawPointer(cb), UnsafeMutableRawPointer(cr)],
            [Int(strides.0), Int(strides.1), Int(strides.2)])
        try check(lc_encoder_send(encoder, time.nanoseconds / 1000, isKey))
        try receive(take)
    }

    /// Encodes what is left.
    func finish(_ take: (MoviePacket) throws(MovieError) -> Void) throws(MovieError) {
        try check(lc_encoder_end(encoder))
        try receive(take)
    }

    private func receive(_ take: (MoviePacket) throws(MovieError) -> Void) throws(MovieError) {
        var packet = lc_encoded()
        while true {
            let result = lc_encoder_receive(encoder, &packet)
            try check(result)
            guard result > 0 else { return }
            try take(
                MoviePacket(
                    bytes: UnsafeRawBufferPointer(start: packet.bytes, count: packet.count),
                    time: .nanoseconds(packet.time * 1000), isKey: packet.is_key))
        }
    }

    private func check(_ result: Int32) throws(MovieError) { try library.check(result, "a picture cannot be encoded") }

    private static let smallest = 16
}

/// An encoder of FFmpeg's, and how it is set: fast enough for a camera, without a delay, at a constant quality unless
/// something else is asked for.
struct EncoderChoice: Hashable {
    /// What FFmpeg calls it.
    let name: String
    /// Its options.
    let options: [String: String]

    /// The encoders of a codec, best first. `rate` is in pictures per second. A picture that can be decoded by itself
    /// comes every second.
    static func all(of codec: MovieCodec, rate: Double, _ quality: MovieQuality? = nil) -> [EncoderChoice] {
        let threads = min(lc_processor_count(), 8)
        let common = ["g": "\(max(1, Int(rate.rounded())))", "threads": "\(threads)"]
        let choices: [(String, [String: String])] =
            switch codec {
            case .mjpeg: []
            case .h264:
                [
                    ("libx264", ["preset": "superfast", "tune": "zerolatency", "crf": "20"]),
                    ("libopenh264", ["b": "8000000"]),
                ]
            case .vp9:
                [
                    (
                        "libvpx-vp9",
                        [
                            "deadline": "realtime", "cpu-used": "8", "lag-in-frames": "0", "row-mt": "1",
                            "tile-columns": "2", "crf": "28", "b": "0",
                        ]
                    )
                ]
            case .av1:
                [
                    (
                        "libaom-av1",
                        [
                            "usage": "realtime", "cpu-used": "8", "lag-in-frames": "0", "row-mt": "1", "crf": "34",
                            "b": "0",
                        ]
                    )
                ]
            }
        return choices.compactMap { name, options in
            var options = common.merging(options) { $1 }
            switch quality {
            case nil: break
            case .bitrate(let rate):
                options["crf"] = nil
                options["b"] = "\(rate)"
            case .constant(let factor):
                // OpenH264 knows bit rates only.
                guard options["crf"] != nil else { return nil }
                options["crf"] = "\(factor)"
            }
            return EncoderChoice(name: name, options: options)
        }
    }

    /// Lends the options as a list of C that ends with a name of NULL.
    func withOptions<Result>(_ body: (UnsafePointer<lc_encoder_option>) -> Result) -> Result {
        let texts = options.sorted { $0.key < $1.key }.map { (strdup($0.key), strdup($0.value)) }
        defer {
            for (name, value) in texts {
                free(name)
                free(value)
            }
        }
        let list = texts.map { lc_encoder_option(name: $0.0, value: $0.1) } + [lc_encoder_option(name: nil, value: nil)]
        return list.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}

extension lc_movie_picture {
    /// Pictures per second: 30 where it is not known.
    fileprivate var rate: Double {
        rate_numerator < 1 ? 30 : Double(rate_numerator) / Double(max(1, rate_denominator))
    }
}
