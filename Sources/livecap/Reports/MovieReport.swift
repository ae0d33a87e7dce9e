// SPDX-License-Identifier: MIT
// Describes a movie just made: as recordings are described, and what only movies have.

import LivecapFrameFiles
import LivecapFrames
import LivecapIntents
import LivecapMovies
import LivecapSound
import LivecapStabilization

/// A movie, as text and as a JSON object.
struct MovieReport {
    private let file: FileReport
    private let format: MovieFormat
    /// When it was asked for, if it began before that or with a tap.
    private let asked: Timestamp?
    /// What it began with, if that was no tap.
    private let cause: TriggerCause?
    private let host: Host
    private let track: MovieSoundSummary?
    private let figures: SoundFigures?
    private let clipped: Int
    private let result: MovieResult
    private let stabilization: StabilizationMode

    init(
        path: String, result: MovieResult, format: MovieFormat, _ stabilization: StabilizationMode, asked: Timestamp?,
        cause: TriggerCause? = nil, host: Host, sound: SoundCapture?
    ) {
        self.result = result
        track = result.sound
        figures = sound?.figures
        clipped = sound?.level.clipped ?? 0
        self.stabilization = stabilization
        let summary = result.summary
        var figures = FrameFileSummary()
        figures.frames = summary.frames
        figures.gaps = summary.gaps
        figures.lost = summary.lost
        figures.damaged = summary.damaged
        figures.first = summary.first
        figures.last = summary.last
        figures.continuity = summary.continuity
        figures.bytes = result.byteCount
        self.format = format
        self.asked = asked
        self.cause = cause
        self.host = host
        file = FileReport(
            path: path == "-" ? "standard output" : result.parts.first?.path ?? path, description: host.session.source,
            figures: figures,
            dropped: UInt64(summary.dropped),
            bottleneck: "encoding or the disk", droppedByRing: host.session.ring.statistics.dropped,
            length: result.length)
    }

    /// How much of the movie is from before it was asked for.
    private var past: Duration? {
        guard let asked, let first = file.figures.first else { return nil }
        return max(asked - first, .zero)
    }

    /// Whether frames are in the movie as the camera delivered them.
    private var isUnchanged: Bool {
        let isH264 = host.session.source.format.pixelFormat == .h264
        return (format.codec == .mjpeg || isH264) && stabilization == .off
    }

    func print(to console: inout Console) throws(Failure) {
        guard console.writesJSON else {
            let begun = past.map { ", begun \(fixed($0.seconds, 2)) s before" } ?? ""
            let steady = stabilization == .off ? "" : "steadied "
            let how = "\(isUnchanged ? "unchanged " : steady)\(format.codec.name)"
            let sound = track.map { ", \($0.codec.name)\(faults(of: $0))" } ?? ""
            let notes = file.faults + (result.indexGapWords.map { [$0] } ?? [])
            let damage = notes.map { "; \($0)" }.joined()
            let names = result.parts.count > 1 ? "\(file.path) to \(result.parts.last!.path)" : file.path
            try console.print(
                "\(names): \(counted(file.figures.frames, "frame")), \(how)\(sound), \(file.extent)\(begun)\(result.cuts)\(damage)"
            )
            return
        }
        try console.print(
            .object(
                file.members + [
                    ("container", .string("\(format.container)")), ("codec", .string(format.codec.rawValue)),
                    ("unchanged", .bool(isUnchanged)), ("askedNs", asked.map { .integer($0.nanoseconds) } ?? .null),
                    ("preMs", past.map { .number($0 / .milliseconds(1)) } ?? .null),
                    ("transport", host.loop.transport.map { .string($0.rawValue) } ?? .null),
                    ("steadied", JSON(stabilization == .off ? 0 : result.summary.frames)),
                    ("ring", host.ringObject), ("sound", soundObject),
                ] + result.members + StabilizationOptions.members(stabilization)
                    + (cause.map { [("trigger", .object($0.members))] } ?? [])))
    }

    /// What is not as it should be: silence because no microphone was there, lost and clipped samples.
    private func faults(of track: MovieSoundSummary) -> String {
        var faults: [String] = []
        if track.silence >= .milliseconds(50) {
            faults.append("\(fixed(track.silence.seconds, 1)) s without a microphone")
        }
        if let figures, figures.overruns > 0 { faults.append(counted(figures.overruns, "overrun")) }
        if clipped > 0 { faults.append("\(counted(clipped, "sample")) too loud") }
        return faults.isEmpty ? "" : " (\(faults.joined(separator: ", ")))"
    }

    private var soundObject: JSON {
        guard let track, let figures else { return .null }
        return .object([
            ("codec", .string(track.codec.rawValue)), ("channels", JSON(track.channels)),
            ("seconds", .number(track.duration.seconds)), ("silentSeconds", .number(track.silence.seconds)),
            ("microphone", figures.microphone.map { .string($0.name) } ?? .null),
            ("id", figures.microphone.map { .string($0.id) } ?? .null), ("claimedRate", JSON(figures.claimedRate)),
            ("measuredRate", figures.measuredRate.map { .number($0) } ?? .null),
            ("ppm", figures.ppm.map { .number($0) } ?? .null), ("overruns", JSON(figures.overruns)),
            ("suspensions", JSON(figures.suspensions)), ("restarts", JSON(figures.restarts)),
            ("changes", JSON(figures.changes)), ("corrections", JSON(track.corrections)), ("clipped", JSON(clipped)),
        ])
    }
}
