// SPDX-License-Identifier: MIT
// Frames to packets: unchanged, or encoded.

import LivecapCMovies
import LivecapFrames
import LivecapJPEG
import LivecapPictures

/// What a track makes of a frame.
enum TrackVerdict {
    /// It can become a picture.
    case suitable
    /// It is none.
    case undecodable
    /// It builds on frames that are missing.
    case waitsForKey
}

/// Turns frames into the packets of a movie's track. Used by one thread.
protocol MovieTrack: AnyObject {
    /// What the file says of the packets. Complete once there is one.
    var stream: MovieStream { get }
    /// Takes a frame, at a time since the first one, and hands on the packets that are ready. Returns false if it
    /// cannot be decoded and is left out.
    func add(
        _ frame: FrameMetadata, _ bytes: RawSpan, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) -> Bool
    /// Hands on the remaining packets.
    func finish(_ take: (MoviePacket) throws(MovieError) -> Void) throws(MovieError)
    /// After `finish`: begins another file. Its first packet can be decoded by itself.
    func begin() throws(MovieError)
    /// Hands on the packets that wait for frames to come, because none may come for a while.
    func rest(_ take: (MoviePacket) throws(MovieError) -> Void) throws(MovieError)
    /// The time of the oldest frame whose packet is still to come; nil if there is none.
    var oldest: Duration? { get }
    /// The number of packets that are still to come.
    var waitingCount: Int { get }
    /// Looks at a frame from before the movie's beginning. Returns whether the movie could begin with it.
    func look(at bytes: RawSpan) -> Bool
    /// What becomes of the next frame. Asked once for each, in their order, before it is added.
    func verdict(on frame: FrameMetadata, _ bytes: RawSpan) -> TrackVerdict
    /// Whether another file can begin with the frame that `verdict` was asked about.
    var canBegin: Bool { get }
    /// Notes that frames are missing before the next one.
    func interrupt()
    /// The JPEG frames that follow are of the stream of `planes`.
    func follow(_ planes: SharedPlanes)
}

extension MovieTrack {
    /// Most tracks make a packet of each frame at once.
    var oldest: Duration? { nil }
    var waitingCount: Int { 0 }
    func rest(_ take: (MoviePacket) throws(MovieError) -> Void) {}
    /// Most frames need no others.
    func look(at bytes: RawSpan) -> Bool { true }
    func verdict(on frame: FrameMetadata, _ bytes: RawSpan) -> TrackVerdict { .suitable }
    var canBegin: Bool { true }
    func interrupt() {}
    /// Many do not look into frames.
    func follow(_ planes: SharedPlanes) {}
}

/// JPEG frames as the camera delivered them. Those without Huffman tables get the standard ones, which only some
/// players know.
final class UnchangedTrack: MovieTrack {
    let stream: MovieStream

    init(_ format: MovieFormat, _ source: SourceDescription) {
        stream = MovieStream(
            format: format,
            picture: lc_movie_picture(
                size: source.format.size, rate: source.rate, colorimetry: source.format.colorimetry))
    }

    func add(
        _ frame: FrameMetadata, _ bytes: RawSpan, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) -> Bool {
        if frame.flags.contains(.standardHuffmanTables) {
            let whole = StandardHuffmanTables.inserted(into: bytes)
            try whole.span.bytes.withUnsafeBytes { (bytes) throws(MovieError) in
                try take(MoviePacket(bytes: bytes, time: time, isKey: true))
            }
        } else {
            try bytes.withUnsafeBytes { (bytes) throws(MovieError) in
                try take(MoviePacket(bytes: bytes, time: time, isKey: true))
            }
        }
        return true
    }

    func finish(_ take: (MoviePacket) throws(MovieError) -> Void) {}
    func begin() {}
}

/// Frames of any format that can be decoded, encoded.
final class EncodedTrack: MovieTrack {
    private let format: MovieFormat
    private let picture: lc_movie_picture
    private var encoder: VideoEncoder
    private let library: MovieLibrary
    private let source: SourceDescription
    private let reader = PlaneReader()
    private var converter: PlanarConverter?
    private var folding: PlaneFolding?
    /// The last picture's time: encoders take no two of the same time.
    private var last = Duration.microseconds(-1)

    /// - Throws: `noEncoder`, `tooSmall`.
    init(_ format: MovieFormat, _ source: SourceDescription, _ library: MovieLibrary) throws(MovieError) {
        self.format = format
        self.source = source
        self.library = library
        let isRGB = source.format.pixelFormat.samples?.model == .rgb
        var picture = lc_movie_picture(
            size: source.format.size, rate: source.rate, colorimetry: isRGB ? .jpeg : source.format.colorimetry)
        encoder = try VideoEncoder(format, &picture, library)
        self.picture = picture
    }

    var stream: MovieStream {
        MovieStream(format: format, picture: picture, extradata: encoder.extradata, encoder: encoder.name)
    }

    func add(
        _ frame: FrameMetadata, _ bytes: RawSpan, at time: Duration, _ take: (MoviePacket) throws(MovieError) -> Void
    ) throws(MovieError) -> Bool {
        if converter == nil {
            // The first frame that can be decoded shows how chroma is shared.
            do throws(PictureError) { converter = try PlanarConverter(source.format, first: bytes, by: reader) } catch {
                throw .unsuitable("\(source.format.pixelFormat)")
            }
            folding = converter.map { PlaneFolding($0.sampling, source.format.size, to: encoder.size) }
        }
        guard let converter, let folding, converter.convert(bytes, frame.id) else { return false }
        last = max(time, last + .microseconds(1))
        try encoder.encode(
            at: last,
            { planes, strides in converter.withSamples { folding.fold($0, to: planes, strides) } }, take)
        return true
    }

    func follow(_ planes: SharedPlanes) { reader.follow(planes) }

    func finish(_ take: (MoviePacket) throws(MovieError) -> Void) throws(MovieError) { try encoder.finish(take) }

    func begin() throws(MovieError) {
        var picture = picture
        encoder = try VideoEncoder(format, &picture, library)
    }
}
