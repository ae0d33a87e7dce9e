// SPDX-License-Identifier: MIT
// Puts the moments around each picture into the picture's own file, as `--live` asks.

import Camera
import Glibc
import LiveCapture
import LivecapCommandTable
import LivecapFiles
import LivecapFrames
import LivecapIntents
import LivecapMovies
import LivecapPhotoStorage
import LivecapSound
import LivecapStills

/// The movie that was added to a picture.
struct LiveMovie: Sendable {
    /// The size of the movie.
    let byteCount: Int
    /// The size of the picture's file with it; nil if it is a file of its own.
    let fileBytes: Int?
    /// The movie's own file, if it has one.
    let file: String?
    let length: Duration
    /// When the movie shows the picture's moment, since its begin.
    let moment: Duration
    /// The codec of its sound, if it has any.
    let sound: SoundCodec?

    init(_ clip: LivePhotoClip, fileBytes: Int, _ time: Timestamp) {
        byteCount = clip.bytes.count
        self.fileBytes = fileBytes
        file = nil
        length = clip.length
        moment = max(time - clip.begin, .zero)
        sound = clip.sound?.codec
    }

    init(_ clip: LivePhotoClip, bytes: Int, file: String, _ time: Timestamp) {
        byteCount = bytes
        fileBytes = nil
        self.file = file
        length = clip.length
        moment = max(time - clip.begin, .zero)
        sound = clip.sound?.codec
    }

    /// Fields of a picture's report.
    var members: [(String, JSON)] {
        [
            ("movieFile", JSON(file)), ("movieBytes", JSON(byteCount)),
            ("movieMs", .number(length / .milliseconds(1))),
            ("movieMomentMs", .number(moment / .milliseconds(1))), ("movieSound", JSON(sound?.rawValue)),
        ]
    }

    var brief: String { "\(fixed(length.seconds, 1)) s of movie\(sound == nil ? "" : " with sound")" }

    var words: String {
        "with \(fixed(moment.seconds, 1)) s before and \(fixed((length - moment).seconds, 1)) s after"
            + (sound == nil ? "" : ", with sound")
    }
}

/// Follows shots, and adds a movie of the moments around to each picture. A picture is complete before: the file with
/// the movie replaces it in one step.
final class LivePhotos: Sendable {
    /// What becomes of a picture's movie; nil if there is no picture.
    typealias Outcome = Task<Result<LiveMovie, Failure>?, Never>

    private let session: CaptureSession
    private let tasks: TaskThread
    private let microphone: SoundCapture?
    /// Whether a movie is a file beside its picture.
    private let isPair: Bool
    private let mayReplace: Bool
    let settings: LivePhotoSettings

    /// More of the past than movies show, because a movie begins once its picture has its frames.
    static let neededHistory = LivePhotoSettings().before + .seconds(2)

    /// Nil unless `--live` asks for it. If movies capture sound already, theirs is used: a microphone is opened once.
    /// - Throws: why the microphone that was named cannot be used.
    init?(_ arguments: Arguments, _ host: Host, sharing movies: SoundCapture? = nil) throws(Failure) {
        guard arguments[ShootOptions.live] else { return nil }
        try host.requireHistory(Self.neededHistory, for: "--live")
        self.session = host.session
        tasks = host.tasks
        isPair = arguments[ShootOptions.pair]
        mayReplace = arguments[ShootOptions.overwrite]
        var settings = LivePhotoSettings()
        settings.software = BuildInformation.program
        settings.zoom = arguments[ViewOptions.zoom]
        settings.date = arguments.date
        settings.quality = arguments.movieQuality
        self.settings = settings
        let choice = arguments[SoundOptions.sound] ?? .none
        if choice == .none {
            microphone = nil
        } else if let movies {
            microphone = movies
        } else {
            microphone = try MovieMicrophone.open(
                choice, of: host.session.source, past: Self.neededHistory, gain: 0)
        }
        if choice == .automatic, movies == nil, let microphone { host.followCamera(with: microphone) }
    }

    /// Refuses what cannot have a movie, before a camera is opened.
    static func check(_ arguments: Arguments, _ pictures: PictureOptions) throws(Failure) {
        guard arguments[ShootOptions.live] else { return }
        if pictures.settings.format == .png {
            throw .pictures("--live: a PNG picture has no room for a movie", hint: "choose --format jpeg or heic")
        }
        if !arguments.contains(LibraryPlace.intoOption), OutputTarget(pictures.output) == .stream {
            throw .pictures("--live: a movie is added to a picture's file", hint: "name a file or a directory with -o")
        }
        if arguments[SourceOptions.pace] == .fast {
            throw .pictures(
                "--live: the moments around a picture need frames at their own pace", hint: "leave out --pace fast")
        }
        if let ring = arguments.askedHistory, ring < neededHistory {
            throw .pictures(
                "--ring \(fixed(ring.seconds, 1))s keeps too little for --live, which needs "
                    + "\(fixed(neededHistory.seconds, 1)) s", hint: "leave out --ring, or make it longer")
        }
    }

    /// The settings of the next picture: one of a pair has an identifier of its own.
    func own(_ settings: PhotoSettings) -> PhotoSettings {
        guard isPair else { return settings }
        var settings = settings
        settings.metadata.contentIdentifier = Self.newIdentifier()
        return settings
    }

    /// A random identifier, in the form of a UUID (RFC 9562, version 4).
    private static func newIdentifier() -> String {
        let random = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        func digits(_ number: UInt64, _ count: Int) -> String {
            let text = String(number & (UInt64.max >> UInt64(64 - 4 * count)), radix: 16, uppercase: true)
            return String(repeating: "0", count: count - text.count) + text
        }
        return [
            digits(random.0 >> 32, 8), digits(random.0 >> 16, 4), digits(random.0 & 0xFFF | 0x4000, 4),
            digits(random.1 >> 48 & 0x3FFF | 0x8000, 4), digits(random.1, 12),
        ].joined(separator: "-")
    }

    /// Follows a shot. Its movie begins as soon as the shot has its frames.
    func follow(_ capture: PhotoCapture) -> Outcome {
        Task.detached(executorPreference: tasks) { [self] in
            var movie: Result<LivePhotoMovie, Failure>?
            var settings = settings
            for await event in capture {
                switch event {
                case .willBeginCapture(let resolved):
                    let metadata = resolved.settings.metadata
                    (settings.orientation, settings.contentIdentifier) = (
                        metadata.orientation, metadata.contentIdentifier
                    )
                case .didFinishCapture(let frames): movie = await begin(around: frames.nearest, settings)
                case .photo(let photo): return await add(movie, to: photo)
                case .proxy(let proxy): return await add(movie, to: proxy.photo)
                case .failed, .framesNotKept: break
                }
            }
            return nil
        }
    }

    private func begin(
        around frame: FrameMetadata, _ settings: LivePhotoSettings
    ) async -> Result<LivePhotoMovie, Failure> {
        do throws(MovieError) {
            return .success(
                try await LivePhotoMovie.open(
                    around: frame, session.source, ring: session.ring, settings, sound: microphone?.history))
        } catch { return .failure(error.failure) }
    }

    private func add(
        _ movie: Result<LivePhotoMovie, Failure>?, to photo: Photo
    ) async -> Result<LiveMovie, Failure>? {
        for notice in microphone?.takeNotices() ?? [] {
            if let words = notice.words { Console.note("note: \(words)") }
        }
        guard let movie, let path = photo.file else { return nil }
        do throws(Failure) {
            let movie = try movie.get()
            let (time, library) = (photo.reference.time, session.library)
            let added = try await onThread(named: "store") { [isPair, mayReplace] () throws(Failure) in
                let clip = try attempt { () throws(MovieError) in try movie.clip() }
                if isPair { return try Self.store(clip, beside: path, of: time, mayReplace: mayReplace) }
                guard let id = photo.libraryID, let library else { return try Self.join(clip, to: path, of: time) }
                return try Self.join(clip, to: id, of: library, at: time)
            }
            return .success(added)
        } catch { return .failure(error) }
    }

    /// The path of a pair's movie.
    private static func movieName(beside path: String) -> String {
        let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        return "\(name.lastIndex(of: ".").map { path[..<$0] } ?? path[...]).mov"
    }

    /// Throws before any picture is taken if the movie of a pair has no place.
    static func checkPlace(_ arguments: Arguments, _ files: PhotoFiles?) throws(Failure) {
        guard arguments[ShootOptions.pair], !arguments[ShootOptions.overwrite], let path = files?.path(1) else {
            return
        }
        let target = movieName(beside: path)
        if access(target, F_OK) == 0 { throw .file(.failed(target, call: "create", errno: EEXIST)) }
    }

    /// Writes the movie of a pair.
    private static func store(
        _ clip: LivePhotoClip, beside path: String, of time: Timestamp, mayReplace: Bool
    ) throws(Failure) -> LiveMovie {
        let bytes = clip.marked(at: time)
        let target = movieName(beside: path)
        return try creating { () throws(FileError) in
            var file = try TemporaryFile.holding(bytes, in: path.folderPath, for: target, FileCalls())
            guard try file.takeName(target, mayReplace: mayReplace) else {
                throw .failed(target, call: "create", errno: EEXIST)
            }
            try syncFolder(path.folderPath, FileCalls())
            return LiveMovie(clip, bytes: bytes.count, file: target, time)
        }
    }

    /// Adds a movie to a photo of a library. Its final may just be made: then that gets the movie.
    private static func join(
        _ clip: LivePhotoClip, to id: PhotoID, of library: PhotoLibrary, at time: Timestamp
    ) throws(Failure) -> LiveMovie {
        let photo = try consulting { () throws(LibraryError) in
            try library.replaceFile(of: id) { clip.joined(to: $0, of: time) }
        }
        guard let photo else {
            throw .pictures("photo \(id) has no room for a movie", hint: "choose --format jpeg or heic")
        }
        return LiveMovie(clip, fileBytes: photo.file.byteCount, time)
    }

    /// Replaces a picture's file by one with the movie in it. Only the picture itself is replaced: another program may
    /// have put something else there.
    private static func join(
        _ clip: LivePhotoClip, to path: String, of time: Timestamp
    ) throws(Failure) -> LiveMovie {
        let still: [UInt8]
        do throws(FrameFileError) { still = try wholeFile(path, atMost: 1 << 29) ?? [] } catch {
            guard case .noSuchFile = error else { throw error.failure }
            throw .pictures("\(path) was removed: no movie was added", hint: keepPictures)
        }
        guard let joined = clip.joined(to: still, of: time) else {
            throw .pictures("\(path) was changed: no movie was added", hint: keepPictures)
        }
        return try creating { () throws(FileError) in
            var file = try TemporaryFile.holding(joined, in: path.folderPath, for: path, FileCalls())
            _ = try file.takeName(path, mayReplace: true)
            try syncFolder(path.folderPath, FileCalls())
            return LiveMovie(clip, fileBytes: joined.count, time)
        }
    }

    private static let keepPictures = "do not change or remove pictures before they are reported"
}
