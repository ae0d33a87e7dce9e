// SPDX-License-Identifier: MIT
// The moments around a still, as a movie in the still's own file.

import FrameRing
import Glibc
import LivecapFrameFiles
import LivecapFrames
import LivecapSound
import LivecapStills
import LivecapThreads
import Synchronization

/// How much of the time around a still its movie shows.
public struct LivePhotoSettings: Hashable, Codable, Sendable {
    /// How long the movie begins before the still.
    public var before: Duration
    /// How long it goes on after the still.
    public var after: Duration
    /// How the still is turned when it is shown: the movie's pictures are turned like it.
    public var orientation = PhotoOrientation.up
    /// The part of the frames that the still enlarges, and so does the movie.
    public var zoom: DigitalZoom?
    /// The date that is drawn into the still, and so into the movie; nil for none.
    public var date: DateFormat?
    /// The bit rate or quality of the movie; nil for what suits most.
    public var quality: MovieQuality?
    /// The program that the movie names as its maker.
    public var software = "livecap"
    /// What the still's metadata has in common with the movie, if they are a pair of files: the movie is then
    /// QuickTime's.
    public var contentIdentifier: String?

    /// Creates settings; what is left out has its default.
    public init(before: Duration = .milliseconds(1500), after: Duration = .milliseconds(1500)) {
        self.before = before
        self.after = after
    }
}

/// A movie of the moments around a still, in the making. It is MP4 with H.264, which phones play.
///
/// It begins in the past, as far back as the ring's history reaches, and never shows both sides of an interruption:
/// where the stream stopped, or another camera took over, it is trimmed.
public final class LivePhotoMovie: Sendable {
    private let output: MovieFileOutput
    private let path: String
    private let settings: LivePhotoSettings

    /// Begins the movie around `frame`, which `source` published into `ring`. With `sound`, it has the sound of its
    /// time.
    /// - Throws: what is missing: FFmpeg's libraries, an encoder, room for the movie.
    package init(
        around frame: FrameMetadata, _ source: SourceDescription, ring: Ring,
        _ settings: LivePhotoSettings = LivePhotoSettings(), sound: SoundHistory? = nil
    ) throws(MovieError) {
        self.settings = settings
        path = Self.temporaryPath()
        var movie = MovieSettings(codec: .h264)
        movie.end = frame.time + settings.after
        movie.epoch = frame.id.epoch
        movie.isFragmented = false
        movie.contentIdentifier = settings.contentIdentifier
        movie.software = settings.software
        movie.mount = CameraMount(settings.orientation)
        movie.zoom = settings.zoom
        movie.date = settings.date
        movie.quality = settings.quality
        do throws(MovieError) {
            output = try MovieFileOutput(source, ring: ring, to: path, movie, sound: sound)
        } catch { throw Self.failure(error, of: path) }
        output.start(at: frame.time - settings.before)
    }

    deinit { unlink(path) }

    /// Begins the movie around `frame`.
    /// - Throws: what is missing: FFmpeg's libraries, an encoder, room for the movie.
    public static func open(
        around frame: FrameMetadata, _ source: SourceDescription, ring: Ring,
        _ settings: LivePhotoSettings = LivePhotoSettings()
    ) async throws(MovieError) -> LivePhotoMovie {
        try await open(around: frame, source, ring: ring, settings, sound: nil)
    }

    /// Begins the movie around `frame`, with the sound of its time if there is a history of it.
    package static func open(
        around frame: FrameMetadata, _ source: SourceDescription, ring: Ring, _ settings: LivePhotoSettings,
        sound: SoundHistory?
    ) async throws(MovieError) -> LivePhotoMovie {
        try await onThread(named: "open") { () throws(MovieError) in
            try LivePhotoMovie(around: frame, source, ring: ring, settings, sound: sound)
        }
    }

    /// Asks the movie to end now.
    public func stop() { output.stop() }

    /// Waits for the movie's end, and returns it. Cancelling the task does not shorten this.
    /// - Throws: why there is none.
    public func clip() async throws(MovieError) -> LivePhotoClip {
        try await onThread(named: "finish") { () throws(MovieError) in try self.clip() }
    }

    /// Waits for the movie's end on the calling thread.
    package func clip() throws(MovieError) -> LivePhotoClip {
        while !output.waitForEnd(until: .now + .seconds(1)) {}
        let result = output.finish()
        if let failure = result.failure { throw own(failure) }
        // Without a frame, there is no file.
        guard let first = result.summary.first, let last = result.summary.last else { throw .momentsGone }
        let bytes: [UInt8]
        do throws(FrameFileError) { bytes = try wholeFile(path, atMost: 1 << 29) ?? [] } catch {
            throw own(.file(error))
        }
        return LivePhotoClip(
            bytes: bytes, begin: first, length: last - first, frames: result.summary.frames, sound: result.sound)
    }

    /// The failure in words for people who do not know of the movie's own file.
    private func own(_ failure: MovieError) -> MovieError { Self.failure(failure, of: path) }

    static func failure(_ failure: MovieError, of path: String) -> MovieError {
        let place = "\(folder)/livecap-live.mp4, the unfinished movie of a picture (TMPDIR names its folder)"
        switch failure {
        case .file(.noSuchFile(path)), .file(.removed(path)): return .temporaryGone(folder: folder)
        case .file(.file(.failed(path, let call, let errno))): return .file(.failed(place, call: call, errno: errno))
        default: return failure
        }
    }

    private static var folder: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

    /// Movies of stills are short: they are made in a file, and then read.
    private static func temporaryPath() -> String {
        "\(folder)/livecap-live-\(getpid())-\(UInt64.random(in: 0...(.max))).mp4"
    }
}

/// A movie of the moments around a still.
public struct LivePhotoClip: Hashable, Sendable {
    /// The movie's file: MP4, or QuickTime's if it belongs to a pair.
    public let bytes: [UInt8]
    /// The time of its first frame, on the source's clock.
    public let begin: Timestamp
    /// The time from its first frame to its last.
    public let length: Duration
    /// The number of its frames.
    public let frames: Int
    /// What is in its track of sound; nil if it has none.
    public let sound: MovieSoundSummary?

    /// The movie of a pair, in which the still's moment is marked (`com.apple.quicktime.still-image-time`).
    public func marked(at time: Timestamp) -> [UInt8] {
        StillMoment.added(to: bytes, at: max(time - begin, .zero)) ?? bytes
    }

    /// The file of a still of the moment `time`, JPEG or HEIC, with this movie in it (a Motion Photo). Nil for stills
    /// of other formats.
    public func joined(to still: [UInt8], of time: Timestamp) -> [UInt8]? {
        MotionPhoto.file(still, movie: bytes, moment: max(time - begin, .zero))
    }
}
