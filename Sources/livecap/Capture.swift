// SPDX-License-Identifier: MIT
// A source running into its ring, as the command line asked for it.

import Camera
import CommandTable
import FrameRing
import Frames
import JSONText
import LiveCapture

/// A capture, stopped by the first signal.
struct Capture {
    let loop: CaptureLoop
    /// Where those join who must not miss a frame of a file or scene at the fast pace; nil for cameras.
    let gate: FollowerGate?
    let interruption: Interruption

    /// Opens the source and makes its ring. Frames flow when `loop` is started. `scenePace` is how fast a scene runs
    /// when nobody says; files are played fast then.
    init(_ arguments: Arguments, scenePace: Pace, _ interruption: Interruption) throws(Failure) {
        let gate = FollowerGate()
        let source = try arguments.captureSource(scenePace: scenePace, replayPace: .fast)
        loop = try attempt { () throws(CameraError) in
            try CaptureLoop(source.open(gate), capacity: arguments.capacity)
        }
        self.gate = source.pace == .fast ? gate : nil
        self.interruption = interruption
    }

    /// Follows the frames from the first one on. To be called before the loop is started.
    func follow() -> FrameSubscription { FrameSubscription(to: loop.ring, fromOldest: true, gate: gate) }

    /// The failure the source ended with, if it did.
    var failure: CameraError? {
        if case .failed(let error) = loop.state { return error }
        return nil
    }

    /// Tells people, once each, what the capture had to tell since `told` notices ago.
    func tellNotices(after told: inout Int) {
        for notice in loop.notices(since: told) {
            told += 1
            if let words = notice.words { Console.tell("note: \(words)") }
        }
    }

    /// Tells people when they are given less than they asked for: another rate, a smaller ring and what holds it down.
    func tellGrant(asked arguments: Arguments) {
        if let asked = arguments.request.rate, let rate = loop.description.rate, !rate.isAbout(asked) {
            Console.tell("note: frames come at \(rate) fps, not at \(asked) fps as asked for")
        }
        let (granted, asked) = (loop.granted, arguments.capacity)
        // A frame's time less is rounding.
        guard granted.usualDuration + interval < asked.duration else { return }
        Console.tell(granted.words(asked: asked.duration))
    }

    /// Tells people of frames that found no room because their readers held all of it.
    func tellDropped() {
        let dropped = loop.ring.statistics.dropped
        if dropped > 0 { Console.tell("note: \(dropped) frames dropped because every frame in memory was held") }
    }

    /// What the ring was given, as an object.
    var ringObject: JSON {
        let granted = loop.granted
        return .object([
            ("seconds", .number(granted.usualDuration.seconds)),
            ("surelySeconds", .number(granted.duration.seconds)), ("slots", JSON(granted.slots)),
            ("bytes", JSON(granted.bytes)), ("locked", .bool(granted.isLocked)),
        ])
    }

    /// Two frames are this far apart, as far as is known.
    var interval: TimeSpan { loop.description.rate?.interval ?? .milliseconds(100) }
}

extension GrantedCapacity {
    /// That it is less than was asked for, why, and what would change that.
    func words(asked: TimeSpan) -> String {
        "note: the history is \(fixed(usualDuration.seconds, 2)) s, not \(fixed(asked.seconds, 2)) s: \(limit.words)"
    }
}

extension HistoryLimit {
    /// What keeps history short, and the option that changes it.
    var words: String {
        switch self {
        case .asked: "a longer --ring keeps more"
        case .memory: "the memory holds no more; a larger --memory, or a smaller --size, keeps more"
        case .buffers:
            "the driver has no more buffers; --format MJPG, where the camera has it, or a lower --fps keeps more"
        case .slots: "it has as many frames as it can; a lower --fps keeps more"
        }
    }
}

extension CaptureLoop.Notice {
    /// What people may want to know of it.
    var words: String? {
        switch self {
        case .realtimePriority(granted: true): nil
        case .realtimePriority(granted: false):
            "no real-time priority ('ulimit -r 10' allows it): on a busy machine frames may be late"
        case .restarted(let reason): "the stream was restarted: \(reason)"
        case .recovered: "frames are coming again"
        }
    }
}
