// SPDX-License-Identifier: MIT
// The file of a movie: packets go in, and every half second what is there can be played.

import Glibc
import LivecapCMovies
import LivecapFrameFiles
import LivecapFrames

/// Compressed pictures, and what their file says of them.
struct MovieStream {
    let format: MovieFormat
    let picture: lc_movie_picture
    /// What decoders need before the first packet.
    var extradata: [UInt8] = []
    /// FFmpeg's encoder of the pictures; nil if they are unchanged.
    var encoder: String?
    /// The encoder of the second track, if there is one.
    var sound: SoundEncoder?
}

/// One compressed picture. Its bytes are lent.
struct MoviePacket {
    let bytes: UnsafeRawBufferPointer
    /// Since the movie's first frame.
    let time: Duration
    /// Whether it can be decoded without those before it.
    let isKey: Bool
}

/// A movie's file, written in pieces: fragments of MP4, clusters of Matroska. What is complete is never changed until
/// the end, which adds an index. The file gets its name with its first piece.
///
/// A picture's duration is the time until the next one, so each waits for its successor. With sound, both tracks are
/// written in the order of their times: pictures wait until the sound of their time is there, which is soon, because
/// where none comes there is silence. Used by one thread.
final class MovieFile {
    /// A piece is complete after this long, so that a killed process leaves all but the last moments.
    static let pieceLength = Duration.milliseconds(500)
    /// Or when it has this many bytes.
    static let pieceBytes = 8 << 20

    private let library: MovieLibrary
    private let bytes: MovieBytes
    private let muxer: OpaquePointer
    private let interval: Duration
    private let isFragmented: Bool

    /// The last picture, which waits for the next.
    private var waiting: (time: Duration, isKey: Bool)?
    private var waitingBytes: [UInt8] = []
    private let hasSound: Bool
    /// Pictures that wait for the sound of their time, oldest first.
    private var held: [HeldPicture] = []
    private var heldBytes = 0
    private var spare: [[UInt8]] = []
    private var soundPackets = 0
    private var pieceBegin: Duration?
    private var pieceSize = 0
    private var added = 0
    /// Pictures in complete pieces.
    private(set) var complete = 0
    /// The length of the file up to the end of its last complete piece.
    private var completeBytes = 0
    private let container: MovieContainer
    /// Where chapters are written, once the first piece is complete.
    private var room: ChapterRoom?
    /// The chapters that are to be in the file, and how many of them have room there.
    private var chapters: [MovieChapter] = []
    private(set) var writtenChapters = 0
    /// Brings complete pieces to the disk, from the first one on.
    private var syncer: MovieSyncer?

    /// Begins a file with its header. `interval` is the time that the last picture is shown.
    init(
        _ file: any MovieDestination, stream: MovieStream, account: MovieAccount, interval: Duration,
        isFragmented: Bool = true, library: MovieLibrary
    ) throws(MovieError) {
        // A movie that is written as a whole is a short one, and has no chapters; neither has one that goes through a
        // pipe, where nothing can be written later.
        let hasRoom = isFragmented && !file.isStream
        let bytes = MovieBytes(file, keepsHead: hasRoom)
        hasSound = stream.sound != nil
        container = stream.format.container
        self.library = library
        self.bytes = bytes
        self.interval = interval
        self.isFragmented = isFragmented
        var muxer: OpaquePointer?
        var why = [CChar](repeating: 0, count: 256)
        let result = account.muxer.withCString { container in
            withTags(account.tags) { tags in
                withOptionalPointer(account.matrix) { matrix in
                    stream.extradata.withUnsafeBufferPointer { extradata in
                        var settings = lc_movie_settings(
                            container: container, codec: stream.format.codec.code, picture: stream.picture,
                            extradata: extradata.baseAddress, extradata_size: extradata.count,
                            sound: stream.sound?.handle, tags: tags, matrix: matrix, is_whole: !isFragmented,
                            has_chapters: hasRoom, output: bytes.output)
                        return lc_muxer_open(library.functions, &settings, &muxer, &why, why.count)
                    }
                }
            }
        }
        if let failure = bytes.failure { throw .file(failure) }
        guard result >= 0, let muxer else {
            throw .failed("a .\(stream.format.container) file cannot be begun", detail: MovieLibrary.text(why))
        }
        self.muxer = muxer
    }

    deinit {
        syncer?.end()
        lc_muxer_close(muxer)
    }

    /// Adds a picture. The one before it is complete.
    func add(_ packet: MoviePacket) throws(MovieError) {
        if let waiting { try complete(lasting: max(packet.time - waiting.time, .zero)) }
        waiting = (packet.time, packet.isKey)
        waitingBytes.removeAll(keepingCapacity: true)
        waitingBytes.append(contentsOf: packet.bytes)
        // libavformat may read a little beyond a packet.
        waitingBytes.append(contentsOf: repeatElement(0, count: Int(LC_MOVIE_PADDING)))
    }

    /// Adds sound. Pictures that are not later are written before it.
    func add(_ packet: SoundPacket) throws(MovieError) {
        try writeHeld { $0.time <= packet.time }
        try check(
            lc_muxer_add(
                muxer, LC_MOVIE_SOUND, packet.bytes.assumingMemoryBound(to: UInt8.self).baseAddress, packet.bytes.count,
                packet.time.nanoseconds, packet.duration.nanoseconds, true))
        soundPackets += 1
        try wrote(packet.bytes.count, from: packet.time, to: packet.time + packet.duration)
    }

    /// The size that the file would have if it ended with one more picture of `next` bytes: a little less than this.
    func expectedBytes(next: Int) -> Int {
        completeBytes + pieceSize + heldBytes + waitingBytes.count + next
            + (added + held.count) * Self.indexBytes + (hasSound ? Self.soundBytes : 0) + Self.endBytes
    }

    /// What a picture has in the index, and in the description of its piece.
    private static let indexBytes = 40
    /// The rest of the index and of the description.
    private static let endBytes = 16 << 10
    /// Sound that belongs to the pictures, and comes later.
    private static let soundBytes = 128 << 10

    /// Completes the last picture, which is seen until `end`.
    func endPictures(at end: Duration) throws(MovieError) {
        if let waiting { try complete(lasting: max(end - waiting.time, .zero)) }
    }

    /// The chapters from now on: those that were there, and others after them.
    func setChapters(_ chapters: [MovieChapter]) throws(MovieError) {
        self.chapters = chapters
        try writeChapters()
    }

    private func writeChapters() throws(MovieError) {
        guard let room else { return }
        let (written, count) = room.bytes(chapters)
        writtenChapters = count
        try MovieError.wrapping { () throws(FrameFileError) in
            try written.span.bytes.withUnsafeBytes { (written) throws(FrameFileError) in
                try bytes.file.rewrite(written, at: room.place.lowerBound)
            }
        }
    }

    /// Completes the current picture and, without sound, the current piece, because no picture may follow for a while.
    func rest() throws(MovieError) {
        guard waiting != nil else { return }
        try complete(lasting: interval)
        if !hasSound { try endPiece() }
    }

    /// Writes the rest and the index.
    func finish() throws(MovieError) {
        try rest()
        try writeHeld { _ in true }
        try endPiece()
        try check(lc_muxer_finish(muxer))
        syncer?.end()
    }

    /// Cuts off what is behind the last complete piece, after a failure.
    func cut() throws(MovieError) {
        syncer?.end()
        try MovieError.wrapping { () throws(FrameFileError) in try bytes.file.truncate(to: completeBytes) }
    }

    /// A picture that has its duration.
    private struct HeldPicture {
        let time: Duration
        let duration: Duration
        let isKey: Bool
        let bytes: [UInt8]
    }

    /// More than this is not kept in memory, even if sound is late.
    private static let heldLimit = 256 << 20

    private func complete(lasting duration: Duration) throws(MovieError) {
        guard let waiting else { return }
        self.waiting = nil
        guard hasSound else {
            return try write(waitingBytes, time: waiting.time, duration: duration, isKey: waiting.isKey)
        }
        heldBytes += waitingBytes.count
        held.append(
            HeldPicture(time: waiting.time, duration: duration, isKey: waiting.isKey, bytes: waitingBytes))
        waitingBytes = spare.popLast() ?? []
        try writeHeld { [heldBytes] _ in heldBytes > Self.heldLimit }
    }

    /// Writes the oldest held pictures, as long as they are due.
    private func writeHeld(_ isDue: (HeldPicture) -> Bool) throws(MovieError) {
        var count = 0
        for picture in held {
            guard isDue(picture) else { break }
            try write(picture.bytes, time: picture.time, duration: picture.duration, isKey: picture.isKey)
            heldBytes -= picture.bytes.count
            count += 1
        }
        // Their memory is for later ones.
        for picture in held.prefix(count) where spare.count < 8 { spare.append(picture.bytes) }
        held.removeFirst(count)
    }

    private func write(_ bytes: [UInt8], time: Duration, duration: Duration, isKey: Bool) throws(MovieError) {
        let count = bytes.count - Int(LC_MOVIE_PADDING)
        let result = bytes.withUnsafeBufferPointer {
            lc_muxer_add(
                muxer, LC_MOVIE_PICTURES, $0.baseAddress, count, time.nanoseconds, duration.nanoseconds, isKey)
        }
        try check(result)
        added += 1
        try wrote(count, from: time, to: time + duration)
    }

    /// Ends the piece if it is long or large enough. The first one ends with the first picture, and its sound.
    private func wrote(_ count: Int, from begin: Duration, to end: Duration) throws(MovieError) {
        let pieceBegin = pieceBegin ?? begin
        self.pieceBegin = pieceBegin
        pieceSize += count
        guard added > 0, !hasSound || soundPackets > 0 else { return }
        if end - pieceBegin >= Self.pieceLength || pieceSize >= Self.pieceBytes || complete == 0 { try endPiece() }
    }

    private func endPiece() throws(MovieError) {
        try check(lc_muxer_flush(muxer))
        (pieceBegin, pieceSize) = (nil, 0)
        if complete == 0, let head = bytes.takeHead() {
            room = ChapterRoom(in: head, container)
            try writeChapters()
        }
        try MovieError.wrapping { () throws(FrameFileError) in try bytes.file.takeName() }
        (complete, completeBytes) = (added, bytes.file.byteCount)
        // Unfragmented files are unplayable until they are finished; do not sync them early.
        guard isFragmented, let file = bytes.file as? RecordingFile else { return }
        if syncer == nil { syncer = try MovieSyncer(file) }
        try syncer?.pieceIsComplete()
    }

    private func check(_ result: Int32) throws(MovieError) {
        // libavformat may report a failed write later, or not at all.
        if let failure = bytes.failure { throw .file(failure) }
        try library.check(result, "the movie cannot be written")
    }
}

/// The file's bytes, as libavformat writes them: mostly at the end. Used by one thread.
private final class MovieBytes {
    let file: any MovieDestination
    private var position = 0
    private(set) var failure: FrameFileError?
    /// Everything that was written until now, as long as it is kept.
    private var head: [UInt8]?

    init(_ file: any MovieDestination, keepsHead: Bool) {
        self.file = file
        head = keepsHead ? [] : nil
    }

    /// Everything that was written until now. Only once, and not if it was not kept.
    func takeHead() -> [UInt8]? { head.take() }

    /// The functions that libavformat calls. Valid as long as this object lives.
    var output: lc_movie_output {
        lc_movie_output(
            context: Unmanaged.passUnretained(self).toOpaque(),
            write: { context, bytes, count in
                MovieBytes.of(context).write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            },
            seek: file.isStream
                ? nil : { context, offset, whence in MovieBytes.of(context).seek(offset, whence) },
            size: { Int64(MovieBytes.of($0).file.byteCount) })
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> MovieBytes {
        Unmanaged<MovieBytes>.fromOpaque(context!).takeUnretainedValue()
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        // After a failure, bytes would be at the wrong place.
        guard failure == nil else { return -EIO }
        do throws(FrameFileError) {
            let inside = max(0, min(bytes.count, file.byteCount - position))
            if inside > 0 { try file.rewrite(UnsafeRawBufferPointer(rebasing: bytes[..<inside]), at: position) }
            if inside < bytes.count { try file.append(UnsafeRawBufferPointer(rebasing: bytes[inside...])) }
            if head != nil { keep(bytes) }
            position += bytes.count
            return 0
        } catch {
            failure = error
            return -EIO
        }
    }

    private func keep(_ bytes: UnsafeRawBufferPointer) {
        let inside = max(0, min(bytes.count, head!.count - position))
        head!.replaceSubrange(position..<position + inside, with: bytes)
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        let base: Int =
            switch whence {
            case SEEK_CUR: position
            case SEEK_END: file.byteCount
            default: 0
            }
        // Never behind the end: a file has no holes.
        guard let target = Int(exactly: offset), (0...file.byteCount).contains(base + target) else {
            return Int64(-EINVAL)
        }
        position = base + target
        return Int64(position)
    }
}

/// Lends texts as a list of C that ends with a name of NULL. A text ends before its first zero.
private func withTags<Result>(
    _ tags: [(name: String, value: String)], _ body: (UnsafePointer<lc_movie_tag>) -> Result
) -> Result {
    let texts = tags.map { (strdup($0.name), strdup($0.value)) }
    defer {
        for (name, value) in texts {
            free(name)
            free(value)
        }
    }
    let list = texts.map { lc_movie_tag(name: $0.0, value: $0.1) } + [lc_movie_tag(name: nil, value: nil)]
    return list.withUnsafeBufferPointer { body($0.baseAddress!) }
}

/// Lends numbers, or NULL if there are none.
private func withOptionalPointer<Result>(_ numbers: [Int32]?, _ body: (UnsafePointer<Int32>?) -> Result) -> Result {
    guard let numbers else { return body(nil) }
    return numbers.withUnsafeBufferPointer { body($0.baseAddress) }
}

extension MovieCodec {
    fileprivate var code: lc_movie_codec {
        switch self {
        case .mjpeg: LC_MOVIE_MJPEG
        case .h264: LC_MOVIE_H264
        case .vp9: LC_MOVIE_VP9
        case .av1: LC_MOVIE_AV1
        }
    }
}
