// SPDX-License-Identifier: MIT
// Reports the movies of a run, as text and as JSON objects.

import LiveCapture
import LivecapFrames
import LivecapIntents
import LivecapMovies
import LivecapStabilization
import LivecapStreams

extension RunMovie {
    /// That it has begun.
    var begunMembers: [(String, JSON)] { members(file: .string(movie.firstPath ?? movie.path)) }

    private func members(file: JSON) -> [(String, JSON)] {
        [
            ("movie", JSON(number)), ("file", file), ("askedNs", .integer(asked.nanoseconds)),
            ("codec", movie.format.map { .string($0.codec.rawValue) } ?? .null),
            ("fused", .bool(movie.treatment.contains(.fused))),
        ] + StabilizationOptions.members(stabilization)
    }

    /// How its pictures are steadied, by a stage or by itself.
    private var stabilization: StabilizationMode {
        movie.treatment.contains(.steadied) ? .standard : movie.settings.stabilization
    }

    var begunWords: String { "\(movie.firstPath ?? movie.path): filming" }

    /// What is in it.
    func members(_ result: MovieResult) -> [(String, JSON)] {
        let summary = result.summary
        return members(file: summary.frames > 0 ? .string(result.parts.first?.path ?? movie.path) : .null) + [
            ("frames", JSON(summary.frames)),
            ("preMs", summary.first.map { .number(past(from: $0) / .milliseconds(1)) } ?? .null),
            ("firstNs", summary.first.map { .integer($0.nanoseconds) } ?? .null),
            ("lastNs", summary.last.map { .integer($0.nanoseconds) } ?? .null),
            ("dropped", JSON(summary.dropped)), ("lost", JSON(summary.lost)), ("damaged", JSON(summary.damaged)),
            ("steadied", JSON(steadied(result))), ("repeated", JSON(result.repeated.pictures)),
            ("marked", JSON(result.repeated.marked)),
            ("bytes", JSON(result.byteCount)),
            ("sound", result.sound.map { .string($0.codec.rawValue) } ?? .null),
            ("silentSeconds", result.sound.map { .number($0.silence.seconds) } ?? .null),
        ] + result.members
    }

    /// How long before it was asked for it begins.
    private func past(from first: Timestamp) -> Duration { max((movie.moment ?? asked) - first, .zero) }

    /// How many frames were steadied.
    private func steadied(_ result: MovieResult) -> Int {
        stabilization == .off ? 0 : result.summary.frames
    }

    func words(_ result: MovieResult) -> String {
        let summary = result.summary
        guard let first = summary.first else { return "\(movie.path): no frame, so no movie" }
        var words = "\(result.files ?? movie.path): \(counted(summary.frames, "frame"))"
        if let format = movie.format { words += ", \(format.codec.name)" }
        if steadied(result) > 0 { words += ", \(steadied(result)) of them steadied" }
        if let sound = result.sound { words += ", \(sound.codec.name)" }
        words += ", \(fixed(result.length.seconds, 1)) s, \(inBytes(result.byteCount))"
        if result.parts.count > 1 { words += ", in \(result.parts.count) parts" }
        words += result.cuts
        if movie.past > .zero { words += ", begun \(fixed(past(from: first).seconds, 1)) s before" }
        if result.repeated.marked > 0 {
            words += "; \(counted(result.repeated.marked, "picture")) stand in for a camera that was away"
        }
        if summary.dropped > 0 {
            words += "; \(counted(summary.dropped, "frame")) left out because encoding or the disk was too slow"
        }
        if let gap = result.indexGapWords { words += "; \(gap)" }
        return words
    }
}
