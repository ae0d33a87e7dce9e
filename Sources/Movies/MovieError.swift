// SPDX-License-Identifier: MIT
// Why a movie cannot be made, or ended early.

import LivecapFrameFiles
import LivecapThreads

/// A movie cannot be made, or ended early.
public enum MovieError: ExplainedError, Hashable, Sendable {
    /// The name says nothing of a movie.
    case unknownName(String)
    /// Players of such files do not understand the codec.
    case unplayable(MovieCodec, MovieContainer)
    /// JPEG pictures are passed through and never made, and the frames are none.
    case notJPEG(String)
    /// Frames of this pixel format cannot be decoded.
    case unsuitable(String)
    /// The pictures are too small to be encoded.
    case tooSmall(String)
    /// The movie would need this share of a processor, by far more than the machine has.
    case tooSlow(share: Double, processors: Int)
    /// FFmpeg's libraries are not installed, or incomplete.
    case noLibrary(detail: String)
    /// FFmpeg's libraries are of a release whose structures are not known.
    case unknownRelease(detail: String)
    /// FFmpeg's libraries have no encoder for this codec that works.
    case noEncoder(MovieCodec, detail: String)
    /// FFmpeg's libraries have no encoder of sound for this container.
    case noSoundEncoder(SoundCodec, detail: String)
    /// The file is not a movie that FFmpeg's libraries can read.
    case notAMovie(String, detail: String)
    /// The name of a mark is longer than files can have it, in bytes.
    case markTooLong(limit: Int)
    /// The movie has no room for another mark.
    case tooManyMarks
    /// The settings exclude each other.
    case contradiction(String, hint: String)
    /// The moments around a still had left the history before its movie could begin.
    case momentsGone
    /// The file in which a still's movie is made was removed from this folder.
    case temporaryGone(folder: String)
    /// FFmpeg's libraries failed in a way that no other case describes.
    case failed(String, detail: String)
    /// The file cannot be written.
    case file(FrameFileError)

    /// A one-line description of the failure, without a full stop.
    public var message: String {
        switch self {
        case .unknownName(let path): "the name of \(path) is not that of a movie"
        case .unplayable(let codec, let container): "\(codec.name) does not play in .\(container) files"
        case .notJPEG(let format): "\(format) frames are not JPEG, and movies do not make JPEG of others"
        case .unsuitable(let format): "\(format) frames cannot be decoded, and so not encoded for a movie"
        case .tooSmall(let size): "frames of \(size) are too small to be encoded"
        case .tooSlow(let share, let processors):
            "the movie would need \(Int((share * 100).rounded())) % of a processor, and the machine has \(processors)"
        case .noLibrary(let detail): "FFmpeg's libraries cannot be loaded: \(detail)"
        case .unknownRelease(let detail): "FFmpeg's libraries cannot be used: \(detail)"
        case .noEncoder(let codec, let detail): "\(codec.name) cannot be encoded: \(detail)"
        case .noSoundEncoder(let codec, let detail): "\(codec.name) cannot be encoded: \(detail)"
        case .notAMovie(let path, let detail): "\(path) is not a movie that can be read: \(detail)"
        case .markTooLong(let limit): "the name of the mark is longer than \(limit) bytes"
        case .tooManyMarks: "the movie has no room for another mark"
        case .contradiction(let what, _): what
        case .momentsGone: "the moments around the picture had left the history before its movie could begin"
        case .temporaryGone(let folder): "another program removed the unfinished movie of a picture from \(folder)"
        case .failed(let what, let detail): "\(what): \(detail)"
        case .file(let error): error.message
        }
    }

    /// A one-line suggestion of what to do next.
    public var hint: String {
        switch self {
        case .unknownName: "name it .mkv, .mp4 or .webm"
        case .unplayable(let codec, let container):
            ".\(container) files take \(list(container.codecs.map(\.name))); \(codec.name) fits "
                + list(MovieContainer.allCases.filter { $0.codecs.contains(codec) }.map { ".\($0)" })
        case .notJPEG: "choose h264, vp9 or av1, or the camera's format MJPG"
        case .unsuitable("H264"):
            "name the movie .mkv or .mp4, which take H.264 as it is, or choose the camera's format MJPG or YUYV"
        case .unsuitable: "choose another format of the camera, such as YUYV or MJPG"
        case .tooSmall: "choose frames of at least 16x16"
        case .tooSlow: "choose smaller pictures, a lower rate, H.264, or JPEG frames that pass through"
        case .noLibrary:
            "movies need the libraries of FFmpeg 5 to 9, which Debian's and Ubuntu's ffmpeg brings: "
                + "'sudo apt install ffmpeg'"
        case .unknownRelease: "install the libraries of FFmpeg 5 to 9 beside it, or a newer livecap"
        case .noEncoder: "choose another codec, or install FFmpeg's libraries with that encoder"
        case .noSoundEncoder: "choose another container, or make the movie without sound"
        case .notAMovie: "check the file; MP4, QuickTime, Matroska and WebM can be read"
        case .markTooLong: "choose a shorter name"
        case .tooManyMarks: "begin another movie; one has room for about 200 marks, fewer if their names are long"
        case .contradiction(_, let hint): hint
        case .momentsGone: "keep more history, or take pictures less often or at a lower quality"
        case .temporaryGone: "take the picture again, and name a folder of your own with TMPDIR"
        case .failed: "choose another codec or container"
        case .file(let error): error.hint
        }
    }

    /// The error's name in JSON: words joined by hyphens. These names are stable.
    public var code: String {
        switch self {
        case .unknownName, .contradiction: "bad-settings"
        case .unplayable, .notJPEG: "unplayable"
        case .unsuitable, .tooSmall: "unsuitable-format"
        case .tooSlow: "too-slow"
        case .noLibrary, .unknownRelease: "no-ffmpeg"
        case .noEncoder, .noSoundEncoder: "no-encoder"
        case .notAMovie: "bad-file"
        case .markTooLong: "mark-too-long"
        case .tooManyMarks: "too-many-marks"
        case .momentsGone: "too-old"
        case .temporaryGone: "file-removed"
        case .failed: "movie-failed"
        case .file(let error): error.code
        }
    }

    /// The program's exit status, from `sysexits.h`.
    package var exitStatus: Int32 {
        switch self {
        case .unknownName, .unplayable, .notJPEG, .markTooLong, .contradiction: 64  // EX_USAGE
        case .unsuitable, .tooSmall, .tooSlow, .noLibrary, .unknownRelease: 69  // EX_UNAVAILABLE
        case .noEncoder, .noSoundEncoder, .tooManyMarks: 69
        case .notAMovie, .momentsGone: 65  // EX_DATAERR
        case .temporaryGone: 74  // EX_IOERR
        case .failed: 70  // EX_SOFTWARE
        case .file(let error): error.exitStatus
        }
    }

    /// Runs what fails as any file of frames can.
    static func wrapping<Result: ~Copyable>(
        _ body: () throws(FrameFileError) -> Result
    ) throws(MovieError) -> Result {
        do throws(FrameFileError) { return try body() } catch { throw .file(error) }
    }
}

/// Words joined as in "a, b or c".
private func list(_ words: [String]) -> String {
    words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " or " + words.last!
}
