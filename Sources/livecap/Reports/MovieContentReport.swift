// SPDX-License-Identifier: MIT
// Describes a movie's file as text and as a JSON object: its tracks, and how it was made.

import LivecapFrames
import LivecapIntents
import LivecapMovies

struct MovieContentReport {
    private let path: String
    private let movie: MovieInspection
    /// How livecap made it; nil if it did not.
    private let account: JSON?

    init(_ path: String, isQuick: Bool) throws(Failure) {
        self.path = path
        movie = try attempt { () throws(MovieError) in try MovieInspection(path, isQuick: isQuick) }
        account = movie.provenance.flatMap { JSON(parsing: Array($0.utf8)) }
    }

    /// Whether a path names a movie.
    static func isMovie(_ path: String) -> Bool {
        MovieContainer(path: path) != nil || path.lowercased().hasSuffix(".mov")
    }

    func print(to console: inout Console) throws(Failure) {
        if console.writesJSON { return try console.print(object) }
        for line in lines { try console.print(line) }
    }

    /// When the first of its pictures begins, and the last one ends.
    private var length: Duration? {
        let pictures = movie.tracks.first { $0.kind == .pictures }
        guard let begin = pictures?.begin, let end = pictures?.end else { return nil }
        return end - begin
    }

    /// When it began, in ISO 8601: in local time, or else in UTC.
    private var begin: String? {
        // Matroska has a space instead of the T.
        movie.text("com.apple.quicktime.creationdate") ?? movie.text("DATE_RECORDED")?.replacing(" ", with: "T")
            ?? movie.text("creation_time")
    }

    /// The same for people, as dates of photos are shown.
    private var beginInWords: String? {
        begin.map { begin in
            let isUTC = begin.hasSuffix("Z") || begin.hasSuffix("+00:00")
            return String(begin.prefix(19)).replacing("T", with: " ") + (isUTC ? " UTC" : "")
        }
    }

    private var camera: String? { movie.text("com.apple.quicktime.model") ?? movie.text("MODEL") }
    private var identifier: String? { movie.text("com.apple.quicktime.content.identifier") }

    private var object: JSON {
        .object([
            ("file", .string(path)), ("kind", .string("movie")), ("container", .string(movie.kind)),
            ("lengthMs", length.map { .number($0.milliseconds) } ?? .null), ("begin", JSON(begin)),
            ("camera", JSON(camera)), ("contentIdentifier", JSON(identifier)),
            ("intact", .bool(movie.damage == nil)), ("tracks", .array(movie.tracks.map(\.object))),
            (
                "chapters",
                .array(
                    movie.chapters.map {
                        .object([("beginMs", .number($0.begin.milliseconds)), ("name", .string($0.name))])
                    })
            ),
            ("provenance", account ?? .null),
        ])
    }

    private var lines: [String] {
        let seconds = length.map { ", \(fixed($0.seconds, 3)) s" } ?? ""
        var lines = [path, "  a movie (\(movie.kind))\(seconds)"]
        lines += movie.tracks.map { "  \($0.words)" }
        if let beginInWords { lines.append("  begun \(beginInWords)") }
        if let comment = movie.text("comment") {
            lines.append("  \(comment)")
        } else if let camera {
            lines.append("  from \(camera)")
        }
        if let engine = account?["engine"]?.asText { lines.append("  made by \(engine)") }
        if let identifier { lines.append("  belongs to the still with the content identifier \(identifier)") }
        for chapter in movie.chapters {
            lines.append("  \(fixed(chapter.begin.seconds, 3)) s: \(chapter.name.printable)")
        }
        if let damage = movie.damage { lines.append("  damaged: \(damage)") }
        return lines
    }
}

extension MovieInspection.Track {
    fileprivate var object: JSON {
        .object([
            ("kind", .string(kind.rawValue)), ("codec", .string(codec)),
            ("width", size.map { JSON($0.width) } ?? .null), ("height", size.map { JSON($0.height) } ?? .null),
            ("turn", JSON(mount.angle.degrees)), ("mirrored", .bool(mount.isMirrored)),
            ("rate", rate > 0 ? JSON(rate) : .null), ("packets", JSON(packets)), ("keys", JSON(keys)),
            ("bytes", JSON(bytes)), ("beginMs", begin.map { .number($0.milliseconds) } ?? .null),
            ("endMs", end.map { .number($0.milliseconds) } ?? .null),
        ])
    }

    fileprivate var words: String {
        let amount = packets > 0 ? ", \(inBytes(bytes))" : ""
        switch kind {
        case .pictures:
            let turned =
                mount == .upright ? "" : ", shown \(mount.isMirrored ? "mirrored, and " : "")turned by \(mount.angle)"
            let count = packets > 0 ? counted(packets, "picture") : "pictures"
            return "\(count), \(codec)\(size.map { " \($0)" } ?? "")\(turned)\(amount)"
        case .sound: return "sound, \(codec)\(rate > 0 ? " at \(rate) Hz" : "")\(amount)"
        case .other: return "another track, \(codec)\(amount)"
        }
    }
}
