// SPDX-License-Identifier: MIT
// `livecap sync calibrate`: follows the light in several cameras' frames, and keeps how far their times are apart.

import Camera
import LiveCapture
import LivecapCommandTable
import LivecapFiles
import LivecapFrames
import LivecapIntents

/// One measurement.
struct SyncCalibration {
    private let sources: [Arguments]
    private let span: Duration
    private let file: CameraOffsets

    /// Refuses fewer than two cameras.
    init(
        _ arguments: Arguments, devices: Option<String>, for span: Duration, keepingIn file: CameraOffsets
    ) throws(Failure) {
        sources =
            arguments.all(devices).map { arguments.replacing(devices, with: $0) }
            + arguments.all(SourceOptions.scenes).map { arguments.replacing(SourceOptions.scenes, with: $0) }
        self.span = span
        self.file = file
        guard sources.count >= 2 else {
            throw .pictures(
                "an offset is of two cameras or more, and \(sources.isEmpty ? "none" : "one") is named",
                hint: "livecap sync calibrate -d 0 -d 2; 'livecap devices' lists cameras")
        }
        for source in sources { try source.checkSource() }
    }

    /// Measures, keeps and reports. Returns the exit status.
    func run(_ console: inout Console) throws(Failure) -> Int32 {
        let interruption = try Interruption()
        var hosts: [Host] = []
        defer { for host in hosts { host.close() } }
        let beginning = Timestamp.now
        for source in sources {
            var needs = HostNeeds(role: .guest, scenePace: .realtime, unplugPolicy: .end)
            // Scenes that begin together show the same at the same time.
            needs.sceneBeginning = beginning
            // Larger ones are not drawn in time.
            needs.sceneSize = FrameSize(width: 320, height: 192)
            hosts.append(
                try Host(source, needs, interruption) { (_) throws(Failure) in
                    var options = source.streamOptions()
                    RunCompanions.share(&options, among: sources.count)
                    return options
                })
        }
        try check(hosts)
        var recorders: [LightRecorder] = []
        defer { for recorder in recorders { recorder.close() } }
        for host in hosts {
            recorders.append(try attempt { () throws(CameraError) in try LightRecorder(host.session) })
        }
        Console.note(
            "wave a hand or switch a lamp in view of all cameras, irregularly, for \(fixed(span.seconds, 0)) s; "
                + "\(Interruption.howToEnd) ends it, and nothing is kept")
        for host in hosts { host.session.begin() }
        try follow(hosts, recorders)
        return try conclude(hosts, recorders, &console)
    }

    private func check(_ hosts: [Host]) throws(Failure) {
        for (index, host) in hosts.enumerated() {
            guard host.clock == .monotonic else {
                throw .pictures(
                    "the times of \(host.session.source.name) are not on the machine's clock",
                    hint: "use cameras, or scenes at the real-time pace")
            }
            for other in hosts[..<index]
            where CameraOffsets.key(other.session.source.identity) == CameraOffsets.key(host.session.source.identity) {
                throw .pictures(
                    "\(host.session.source.name) is named twice", hint: "an offset is of two different cameras")
            }
        }
    }

    /// Waits until all cameras were followed for long enough.
    private func follow(_ hosts: [Host], _ recorders: [LightRecorder]) throws(Failure) {
        var progress = Progress()
        let (interruption, attention) = (hosts[0].interruption, hosts[0].attention)
        var end: Timestamp?
        while true {
            let seen = attention.count
            if let signal = interruption.signal {
                Console.note("note: the measurement was stopped; no offset is kept")
                throw .interrupted(signal: signal, isBeforeFrames: true)
            }
            for host in hosts where host.loop.hasEnded {
                throw .camera(
                    host.session.failure
                        ?? .sourceFailed(name: host.session.source.name, reason: "it ended during the measurement"))
            }
            let now = Timestamp.now
            if end == nil, recorders.allSatisfy({ !$0.samples.isEmpty }) { end = now + span }
            if let end, now >= end { return }
            progress.show { Self.line(recorders, left: end.map { $0 - now }) }
            // The other cameras' news wake nobody.
            attention.wait(after: seen, until: min(end ?? .distantFuture, now + .milliseconds(200)))
        }
    }

    /// How long it takes yet, and how much each camera sees change.
    private static func line(_ recorders: [LightRecorder], left: Duration?) -> String {
        guard let left else { return "waiting for the first frames" }
        let changes = recorders.map { recorder in
            let recent = recorder.samples.suffix(10).compactMap(\.motion)
            return fixed(recent.isEmpty ? 0 : recent.reduce(0, +) / Double(recent.count), 1)
        }
        return "\(fixed(max(left, .zero).seconds, 1)) s; change: \(changes.joined(separator: ", "))"
    }

    /// Keeps and reports what was found. What was found of one camera is kept even if nothing was found of another.
    private func conclude(
        _ hosts: [Host], _ recorders: [LightRecorder], _ console: inout Console
    ) throws(Failure) -> Int32 {
        for recorder in recorders { recorder.close() }
        let first = hosts[0].session.source
        let samples = recorders[0].samples
        var refusal: Failure?
        for (host, recorder) in zip(hosts, recorders).dropFirst() {
            let source = host.session.source
            let estimate: OffsetEstimator.Estimate
            do throws(OffsetRefusal) {
                estimate = try OffsetEstimator.estimate(samples, recorder.samples)
            } catch {
                let failure = Failure.offset(error, first.name, source.name)
                if refusal == nil { refusal = failure } else { Console.note("note: \(failure.message)") }
                continue
            }
            let offset = CameraOffsets.Offset(estimate.offset.value, bound: estimate.offset.bound)
            try creating { () throws(FileError) in
                try file.save(offset, of: source.identity, from: first.identity)
            }
            var report = OffsetReport(
                CameraOffsets.Entry(
                    first: CameraOffsets.key(first.identity), second: CameraOffsets.key(source.identity), offset: offset
                ),
                names: [
                    CameraOffsets.key(first.identity): first.name, CameraOffsets.key(source.identity): source.name,
                ])
            report.more = [
                ("likeness", .number(estimate.likeness)), ("driftPpm", .number(estimate.drift)),
                ("timeSources", Self.json(recorder.timeSources)),
                ("fromTimeSources", Self.json(recorders[0].timeSources)),
            ]
            try report.print(to: &console)
            if estimate.drift != 0 {
                let words = fixed(abs(estimate.drift) * 0.06, 2)
                Console.note("note: the offset changes by \(words) ms in a minute: measure it again before it matters")
            }
        }
        try console.flush()
        for (host, recorder) in zip(hosts, recorders) { Self.noteTimes(of: host, recorder) }
        if let refusal { throw refusal }
        return 0
    }

    private static func json(_ sources: Set<TimestampSource>) -> JSON {
        .array(sources.sorted { $0.rawValue < $1.rawValue }.map { .string("\($0)") })
    }

    /// Times of another kind have another offset.
    private static func noteTimes(of host: Host, _ recorder: LightRecorder) {
        guard recorder.timeSources.contains(.dequeue) else { return }
        Console.note(
            "note: times of \(host.session.source.name) are those at which frames were fetched, because its driver's are "
                + "missing or wrong; the offset holds only while that is so")
    }
}
