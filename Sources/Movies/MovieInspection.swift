// SPDX-License-Identifier: MIT
// What a movie's file holds, whatever program made it.

import LivecapCMovies
import LivecapFrameFiles
import LivecapFrames

/// The facts that a movie's file reveals: its tracks, and what it says of itself. Nothing is decoded.
public struct MovieInspection: Hashable, Sendable {
    /// A track of a movie.
    public struct Track: Hashable, Sendable {
        /// What is in a track.
        public enum Kind: String, Hashable, Codable, Sendable {
            /// Pictures.
            case pictures
            /// Sound.
            case sound
            /// Anything else, such as the still's moment.
            case other
        }
        /// What it is.
        public var kind: Kind
        /// FFmpeg's name of its codec.
        public var codec: String
        /// The size of its pictures, before players turn them; nil if it has none, or does not say.
        public var size: FrameSize?
        /// What makes its pictures upright.
        public var mount = CameraMount.upright
        /// Samples per second of sound; 0 if it does not say.
        public var rate = 0
        /// The number of its packets: pictures, or blocks of sound.
        public var packets = 0
        /// How many of them can be decoded without others.
        public var keys = 0
        /// Their size in bytes.
        public var bytes = 0
        /// When the first packet begins.
        public var begin: Duration?
        /// When the last one ends.
        public var end: Duration?
    }

    /// A text in a movie's file.
    public struct Tag: Hashable, Codable, Sendable {
        /// Its name.
        public var name: String
        /// The text.
        public var value: String
    }

    /// FFmpeg's name for the kind of file.
    public private(set) var kind: String
    /// Its tracks.
    public private(set) var tracks: [Track] = []
    /// Its texts, in the file's order.
    public private(set) var tags: [Tag] = []
    /// Its chapters.
    public private(set) var chapters: [MovieChapter] = []
    /// Why reading ended before the end of the file; nil if it did not.
    public private(set) var damage: String?

    /// Reads a file: every packet, or only what is known without that if it `isQuick`. Accepts any bytes. Blocks
    /// while it reads.
    /// - Throws: `noLibrary`, `unknownRelease`, `notAMovie`, and what keeps the file from being read.
    public init(_ path: String, isQuick: Bool = false) throws(MovieError) {
        let library = try MovieLibrary()
        let source = try MovieError.wrapping { () throws(FrameFileError) in try MovieInput(path) }
        defer { withExtendedLifetime(source) {} }
        var (input, reader, why) = (source.input, OpaquePointer?.none, [CChar](repeating: 0, count: 256))
        let result = lc_reader_open(library.functions, &input, &reader, &why, why.count)
        guard result >= 0, let reader else { throw .notAMovie(path, detail: MovieLibrary.text(why)) }
        defer { lc_reader_close(reader) }
        kind = String(cString: lc_reader_kind(reader))
        var tag = lc_movie_tag()
        var place: UnsafeRawPointer?
        while lc_reader_tag(reader, &place, &tag) {
            tags.append(Tag(name: String(cString: tag.name), value: String(cString: tag.value)))
        }
        for index in 0..<lc_reader_chapters(reader) {
            var facts = lc_chapter_facts()
            lc_reader_chapter(reader, index, &facts)
            let name = facts.name.map { String(cString: $0) } ?? ""
            chapters.append(MovieChapter(begin: Self.time(facts.begin) ?? .zero, name: name))
        }
        if !isQuick { readPackets(reader, library) }
        addTracks(reader)
    }

    private mutating func readPackets(_ reader: OpaquePointer, _ library: MovieLibrary) {
        var (track, facts) = (0, lc_packet_facts())
        while true {
            let result = lc_reader_next(reader, &track, &facts)
            if result < 0 {
                do throws(MovieError) { try library.check(result, "reading failed") } catch { damage = error.message }
            }
            guard result > 0 else { return }
            addTracks(reader)
            guard tracks.indices.contains(track) else { continue }
            tracks[track].add(facts)
        }
    }

    /// Adds the tracks that have been found since.
    private mutating func addTracks(_ reader: OpaquePointer) {
        while tracks.count < lc_reader_tracks(reader) {
            var facts = lc_track_facts()
            lc_reader_describe(reader, tracks.count, &facts)
            tracks.append(Track(facts))
        }
    }

    fileprivate static func time(_ nanoseconds: Int64) -> Duration? {
        nanoseconds == .min ? nil : .nanoseconds(nanoseconds)
    }

    /// The text of that name, whatever the case of its letters.
    public func text(_ name: String) -> String? {
        tags.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// How it was made, as JSON, if livecap made it.
    public var provenance: String? { text(MovieAccount.provenanceTag) }
}

extension MovieInspection.Track {
    fileprivate init(_ facts: lc_track_facts) {
        kind = facts.kind == LC_TRACK_PICTURES ? .pictures : facts.kind == LC_TRACK_SOUND ? .sound : .other
        codec = String(cString: facts.codec)
        if kind == .pictures, facts.width > 0, facts.height > 0 {
            size = FrameSize(width: Int(facts.width), height: Int(facts.height))
        }
        rate = max(0, Int(facts.rate))
        if facts.is_turned { mount = CameraMount(facts.matrix) }
    }

    fileprivate mutating func add(_ packet: lc_packet_facts) {
        packets += 1
        keys += packet.is_key ? 1 : 0
        bytes += packet.count
        guard let time = MovieInspection.time(packet.time) else { return }
        begin = min(begin ?? time, time)
        let last = time + (MovieInspection.time(packet.duration) ?? .zero)
        end = max(end ?? last, last)
    }
}

extension CameraMount {
    /// The turn of a matrix of ISO/IEC 14496-12; upright for any other.
    fileprivate init(
        _ matrix: (Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32, Int32)
    ) {
        // What becomes of a step down says the turn, and that of one to the right whether it is mirrored.
        let angle: RotationAngle =
            switch (matrix.3.signum(), matrix.4.signum()) {
            case (-1, 0): .quarter
            case (0, -1): .half
            case (1, 0): .threeQuarters
            default: .none
            }
        let isMirrored =
            switch angle {
            case .none: matrix.0 < 0
            case .quarter: matrix.1 < 0
            case .half: matrix.0 > 0
            case .threeQuarters: matrix.1 > 0
            }
        self.init(angle: angle, isMirrored: isMirrored)
    }
}
