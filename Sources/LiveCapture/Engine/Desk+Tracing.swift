// SPDX-License-Identifier: MIT
// What the desk writes to a trace. Times are on CLOCK_MONOTONIC, even if frames have a clock of their own.

import LivecapDeveloping
import LivecapFrames

extension Desk {
    /// Traces a tap.
    func traceTap(_ shot: Shot) {
        guard let trace else { return }
        trace.instant("tap", on: .taps, at: shot.requested, shot: shot.id.number)
        trace.beginShot(
            shot.id.number, at: shot.requested, ["quality": .text(shot.settings.quality.rawValue)])
    }

    /// Traces a frame's arrival.
    func traceFrame(_ frame: FrameMetadata) {
        trace?.instant(
            "frame", on: .frames, at: .now,
            [
                "id": .text(frame.id.description), "ns": .integer(frame.time.nanoseconds),
                "usable": .flag(frame.isUsable),
            ])
    }

    /// Traces the end of a shot, and what it delivered.
    func traceEnd(_ shot: Shot, _ last: PhotoEvent) {
        guard let trace else { return }
        switch last {
        case .photo(let photo):
            trace.endShot(
                shot.id.number, at: .now,
                [
                    "given": .text(photo.qualityGiven.rawValue), "frames": .init(photo.used.count),
                    "lagMs": .number(photo.lag.milliseconds),
                ])
        case .proxy(let proxy):
            trace.endShot(
                shot.id.number, at: .now,
                [
                    "given": .text("proxy"), "libraryId": .text("\(proxy.id)"),
                    "lagMs": .number(proxy.photo.lag.milliseconds),
                ])
        case .failed(let error): trace.endShot(shot.id.number, at: .now, ["failed": .text(error.code)])
        default: break
        }
    }

    /// Traces the lengths of the queues, and the readiness that results from them.
    func traceQueues(_ state: borrowing State) {
        guard let trace else { return }
        let now = Timestamp.now
        trace.counter("waiting for frames or room", Double(state.shots.dueCount), at: now)
        trace.counter("reading", Double(state.shots.reading.count), at: now)
        trace.counter("ready to develop", Double(state.shots.ready.count), at: now)
        trace.counter("in work", Double(state.shots.inWork.count), at: now)
        trace.counter("frames on the shelf", Double(state.frames.shelf.count), at: now)
        trace.instant(readiness.current.state.rawValue, on: .readiness, at: now)
    }
}
