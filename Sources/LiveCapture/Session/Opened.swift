// SPDX-License-Identifier: MIT
// A source that was opened for a session, and what a session needs beside it.

import Camera
import FrameRing
import LivecapStreams

/// A source that was opened, and its run.
struct Opened: Sendable {
    let run: SessionRun
    let log: EventLog<SessionEvent>
    let readiness: ReadinessCoordinator
    let sinks: HostSinks

    init(
        _ source: CaptureSource, options: SessionOptions,
        log: EventLog<SessionEvent> = EventLog(limit: 1000),
        readiness: ReadinessCoordinator = ReadinessCoordinator(), sinks: HostSinks = HostSinks(),
        after previous: SessionRun? = nil
    ) throws(CameraError) {
        let gate = FollowerGate()
        run = try SessionRun(
            source.open(gate, canSwitchOff: options.idleOff != nil), gate: source.pace == .fast ? gate : nil,
            options: options,
            readiness: readiness, sinks: sinks, events: log, after: previous)
        self.log = log
        self.readiness = readiness
        self.sinks = sinks
    }

    init(_ source: sending any FrameSource, gate: FollowerGate?, _ options: SessionOptions) throws(CameraError) {
        log = EventLog(limit: 1000)
        readiness = ReadinessCoordinator()
        sinks = HostSinks()
        run = try SessionRun(source, gate: gate, options: options, readiness: readiness, sinks: sinks, events: log)
    }
}
