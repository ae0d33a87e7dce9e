// SPDX-License-Identifier: MIT
// What all reports of movies have in common: parts, chapters, pauses, and how time passes.

import LivecapFrames
import LivecapIntents
import LivecapMovies

extension MovieResult {
    /// Members of a JSON object.
    var members: [(String, JSON)] {
        [
            ("seconds", .number(length.seconds)), ("waitedForKey", JSON(waitedForKey)), ("pauses", JSON(pauses.count)),
            ("pausedMs", .number(pauses.duration.milliseconds)), ("factor", factor.map { .number($0) } ?? .null),
            ("indexFirst", .bool(isIndexFirst)), ("indexGap", JSON(indexGap?.message)),
            (
                "parts",
                .array(
                    parts.map { part in
                        .object([
                            ("file", .string(part.path)), ("beginMs", .number(part.begin.milliseconds)),
                            ("pictures", JSON(part.pictures)), ("bytes", JSON(part.byteCount)),
                        ])
                    })
            ),
            (
                "chapters",
                .array(
                    chapters.map {
                        .object([("beginMs", .number($0.begin.milliseconds)), ("name", .string($0.name))])
                    })
            ),
        ]
    }

    /// The names of its files, for people; nil if there are none.
    var files: String? {
        guard let first = parts.first?.path, let last = parts.last?.path else { return nil }
        return first == last ? first : "\(first) to \(last)"
    }

    /// Why MP4 files stay in fragments, for people; nil if they do not, or nobody expects otherwise.
    var indexGapWords: String? {
        indexGap.map { "left in fragments, which play just as well, because \($0.message)" }
    }

    /// What was left out, and how fast it is shown, for people.
    var cuts: String {
        var words = ""
        if let factor { words += ", \(fixed(factor, factor == factor.rounded() ? 0 : 1)) times as fast" }
        if pauses.count > 0 {
            words += ", without \(counted(pauses.count, "pause")) of \(fixed(pauses.duration.seconds, 1)) s"
        }
        if waitedForKey > 0 { words += "; \(counted(waitedForKey, "frame")) left out that build on missing ones" }
        return words
    }
}
