// SPDX-License-Identifier: MIT
// The files that movies can be, the codecs in them, and which go together.

import LivecapFrames

/// How the pictures of a movie are compressed.
public enum MovieCodec: String, Hashable, Codable, Sendable, CaseIterable {
    /// The camera's own JPEG pictures.
    case mjpeg
    /// H.264, also known as AVC.
    case h264
    /// VP9.
    case vp9
    /// AV1.
    case av1

    /// The name for people.
    public var name: String {
        switch self {
        case .mjpeg: "MJPEG"
        case .h264: "H.264"
        case .vp9: "VP9"
        case .av1: "AV1"
        }
    }

    /// The codec that frames of a format already have; nil if they are raw or of another one.
    init?(of format: PixelFormat) {
        if format.isJPEG { self = .mjpeg } else if format == .h264 { self = .h264 } else { return nil }
    }
}

/// The format of a movie's file.
public enum MovieContainer: String, Hashable, Codable, Sendable, CaseIterable {
    /// Matroska: holds everything; played by most programs, but not by browsers.
    case mkv
    /// MP4, in fragments until it is complete: played by browsers, phones and editors.
    case mp4
    /// WebM: played by browsers.
    case webm

    /// The container that a path's suffix selects; nil if it selects none.
    public init?(path: String) {
        let name = path.lowercased()
        guard let kind = Self.allCases.first(where: { name.hasSuffix(".\($0)") }) else { return nil }
        self = kind
    }

    /// The codecs that players of such files understand, best first.
    public var codecs: [MovieCodec] {
        switch self {
        case .mkv: [.mjpeg, .h264, .vp9, .av1]
        case .mp4: [.h264, .vp9, .av1]
        case .webm: [.vp9, .av1]
        }
    }

    /// The codec for frames of a format if none is asked for: their own if it fits, so that they stay as they are; else
    /// the first that fits and can be encoded.
    func usualCodec(for format: PixelFormat) -> MovieCodec {
        if let own = MovieCodec(of: format), codecs.contains(own) { return own }
        return encoded
    }

    /// The codec for pictures that must be encoded.
    var encoded: MovieCodec { codecs.first { $0 != .mjpeg }! }

    /// What libavformat calls it.
    var muxer: String {
        switch self {
        case .mkv: "matroska"
        case .mp4: "mp4"
        case .webm: "webm"
        }
    }
}

extension MovieContainer: CustomStringConvertible {
    /// The suffix of its files, without the dot.
    public var description: String { rawValue }
}

/// What kind of movie a file becomes, decided before anything is opened.
public struct MovieFormat: Hashable, Sendable {
    /// The format of the file.
    public let container: MovieContainer
    /// The codec of its pictures.
    public let codec: MovieCodec
    /// What their encoder aims at; nil for what suits most movies.
    public internal(set) var quality: MovieQuality?

    /// The kind for `path` and frames of `format`. Without `codec`, the usual one.
    /// - Throws: `unknownName` and `unplayable`, with what would fit; `notJPEG` and `unsuitable` if frames of that
    ///   format cannot become such pictures.
    public init(path: String, format: PixelFormat, codec: MovieCodec? = nil) throws(MovieError) {
        container = try Self.container(of: path, codec: codec)
        self.codec = codec ?? container.usualCodec(for: format)
        guard self.codec != MovieCodec(of: format) else { return }
        guard self.codec != .mjpeg else { throw .notJPEG("\(format)") }
        guard format.isReadable else { throw .unsuitable("\(format)") }
    }

    /// The container of `path`, before anything is known of the frames.
    /// - Throws: `unknownName`, and `unplayable` if `codec` does not belong there.
    public static func container(of path: String, codec: MovieCodec?) throws(MovieError) -> MovieContainer {
        guard let container = MovieContainer(path: path) else { throw .unknownName(path) }
        if let codec, !container.codecs.contains(codec) { throw .unplayable(codec, container) }
        return container
    }
}
