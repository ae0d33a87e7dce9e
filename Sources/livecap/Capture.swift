// SPDX-License-Identifier: MIT
// Connects the source that the command line selects to its ring.

import Camera
import FrameRing
import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapIntents

/// A capture. The first signal stops it.
struct Capture {
    let loop: CaptureLoop
    /// The gate for followers that must not miss a frame of a file or scene at the fast pace, or of the past of another
    /// livecap; nil for cameras.
    let gate: FollowerGate?
    let interruption: Interruption
    /// Called by a signal, by whatever happens to the source, and by the command's own work.
    let attention: Attention
    private let policy: UnplugPolicy
    /// The history that was asked for.
    private let asked: Duration
    /// Where other commands get its frames; nil if it uses those of another one.
    let door: HostDoor?
    /// Whether it uses the frames of another command.
    var isOfHost: Bool { door == nil }

    /// Opens the source and creates its ring. Frames flow once `loop` is started. The paces are the defaults of scenes
    /// and files. `isShared`: other processes may read the ring. `past` is history that is needed at least. Of a host
    /// that has the camera, frames are used from `hostPast` before now on; nil is as far as the ring reaches. `lack` is
    /// thrown if no host has it.
    init(
        _ arguments: Arguments, scenePace: Pace, replayPace: Pace = .fast, isShared: Bool = false,
        past: Duration = .zero, hostPast: Duration? = .zero, unlessHosted lack: Failure? = nil,
        _ interruption: Interruption
    ) throws(Failure) {
        let gate = FollowerGate()
        let host = try arguments.host(whenHeld: true)
        if let signal = interruption.signal { throw .interrupted(signal: signal, isBeforeFrames: true) }
        if host == nil, let lack { throw lack }
        let waitsForRecorder = host != nil && lack != nil
        let source =
            if let host { host.frames(past: hostPast, gate: waitsForRecorder ? gate : nil) } else {
                try arguments.captureSource(scenePace: scenePace, replayPace: replayPace)
            }
        var capacity = arguments.capacity
        capacity.isShared = isShared
        capacity.prefersSharing = host == nil
        capacity.duration = max(capacity.duration, past)
        var wait = BusyWait(arguments[SourceOptions.onBusy] ?? .end, interruption)
        do throws(CameraError) {
            let opened = try source.open(
                gate, canSwitchOff: arguments.contains(ShareCommand.idleOff), whileBusy: { wait.mayTryAgain($0) },
                unless: { interruption.signal != nil })
            loop = try CaptureLoop(opened, capacity: capacity)
        } catch { throw interruption.failure(error) }
        self.gate = source.pace == .fast || waitsForRecorder ? gate : nil
        asked = capacity.duration
        self.interruption = interruption
        let (attention, ring) = (Attention(), loop.ring)
        self.attention = attention
        let rouse: @Sendable () -> Void = {
            attention.call()
            ring.wakeWaiters()
        }
        loop.onNews(rouse)
        interruption.onSignal(rouse)
        policy = arguments[SourceOptions.onUnplug] ?? .wait()
        door = host == nil ? HostDoor(whenReadersChange: { attention.call() }) : nil
        door?.offer(loop.ring, loop.description, loop.rotation?.mount ?? .upright)
    }

    /// Follows the frames from the first one on. To be called before the loop is started.
    func follow() -> FrameSubscription { FrameSubscription(to: loop.ring, fromOldest: true, gate: gate) }

    /// The failure the source ended with, if any.
    var failure: CameraError? {
        if case .failed(let error) = loop.state { return error }
        return nil
    }

    /// Waits until `isOver`, or until a time. Meanwhile it prints what happens to the source, shows `line` on a
    /// terminal, and calls `look` whenever there was a call for attention, or the time has come that `look` has
    /// returned.
    func watch(
        until end: Timestamp = .distantFuture, for isOver: () -> Bool, line: () -> String,
        look: () -> Timestamp = { .distantFuture }
    ) {
        var progress = Progress()
        var mishaps = mishaps
        while true {
            // Before anything is looked at, so that no call is missed.
            let seen = attention.count
            let isLast = isOver() || Timestamp.now >= end
            report(&mishaps)
            let next = look()
            if isLast { return }
            progress.show(line)
            attention.wait(after: seen, until: min(end, next, progress.nextChange))
        }
    }

    /// What has been reported of the capture: nothing.
    var mishaps: MishapReport { MishapReport(onUnplug: policy) }

    /// Prints what has happened since the last call.
    func report(_ mishaps: inout MishapReport) {
        for line in mishaps.lines(of: loop) { Console.note("note: \(line)") }
    }

    /// Prints a note if less was granted than asked for: another rate, or a smaller ring and its cause.
    func reportGrant(asked arguments: Arguments) {
        if let asked = arguments.request.rate, let rate = loop.description.rate, !rate.isAbout(asked) {
            Console.note("note: frames arrive at \(rate) fps instead of the requested \(asked) fps")
        }
        // A difference of less than a frame is rounding.
        guard loop.granted.usualDuration + interval < asked else { return }
        Console.note(loop.granted.words(asked: asked))
    }

    /// Prints how many frames were dropped because readers held the whole ring.
    func reportDropped() {
        let dropped = loop.ring.statistics.dropped
        if dropped > 0 { Console.note("note: \(dropped) frames dropped because every frame in memory was in use") }
    }

    /// The ring's capacity as a JSON object.
    var ringObject: JSON {
        let granted = loop.granted
        return .object([
            ("seconds", .number(granted.usualDuration.seconds)),
            ("surelySeconds", .number(granted.duration.seconds)), ("slots", JSON(granted.slots)),
            ("bytes", JSON(granted.bytes)), ("locked", .bool(granted.isLocked)),
        ])
    }

    /// The interval between frames, as far as known.
    var interval: Duration { loop.description.rate?.interval ?? .milliseconds(100) }
}

extension CaptureLoop {
    /// Whether no frame will come any more.
    var hasEnded: Bool {
        switch state {
        case .ended, .failed: true
        case .idle, .running: false
        }
    }
}

extension GrantedCapacity {
    /// A note that the history is shorter than asked for, why, and what would change that.
    func words(asked: Duration) -> String {
        "note: the history is \(fixed(usualDuration.seconds, 2)) s instead of \(fixed(asked.seconds, 2)) s: \(limit.words)"
    }
}

extension HistoryLimit {
    /// What limits the history, and the option that changes it.
    var words: String {
        switch self {
        case .asked: "a longer --ring keeps more"
        case .memory: "memory is limited; a larger --memory, or a smaller --size, keeps more"
        case .buffers:
            "the driver has no more buffers; --format MJPG, if the camera has it, or a lower --fps keeps more"
        case .slots: "it holds the maximum number of frames; a lower --fps keeps more"
        }
    }
}

extension CaptureLoop.Notice {
    /// A note for people, if there is something to say.
    var words: String? {
        switch self {
        case .realtimePriority(granted: true): nil
        case .realtimePriority(granted: false):
            "no real-time priority ('ulimit -r 10' allows it): frames may be late on a busy machine"
        case .settingsLeftOut(let settings):
            "the camera does not accept these settings of its profile: "
                + settings.map(\.description).joined(separator: ", ") + "; 'livecap controls --save' keeps others"
        case .suspended: "the camera's privacy switch is closed: its pictures are black until it is opened"
        case .slow(let reason): reason
        case .restarted(let reason): "the stream was restarted: \(reason)"
        case .unplugged(let reason): "\(reason); waiting (Ctrl-C ends)"
        case .moved(let camera, _): "going on with \(camera.name)"
        case .busy(let error): "\(error.message); waiting until it is free (Ctrl-C ends)"
        case .recovered: "frames are arriving again"
        }
    }
}
