// SPDX-License-Identifier: MIT
// The host of a command: a capture session as the command line asks for it, and its notes for people.

import Camera
import Dispatch
import FrameRing
import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapThreads

/// The program's side of a `CaptureSession`: its end by a signal, its tasks, its trace. The first signal stops it.
struct Host {
    let session: CaptureSession
    let interruption: Interruption
    /// The thread that the program's tasks run on.
    let tasks: TaskThread
    private let trace: Trace?
    let arguments: Arguments
    private let door: HostDoor?
    /// Whether it uses the frames of another command.
    let isOfOther: Bool
    /// Called by a signal, by whatever happens to the source, and by the command's own work.
    let attention = Attention()
    /// The gate for followers that must not miss a frame of a file or scene at the fast pace; nil for cameras.
    let gate: FollowerGate?

    var output: PhotoOutput { session.photoOutput }
    /// The kind of source that delivers its frames.
    var kind: SourceKind {
        arguments.contains(SourceOptions.replay)
            ? .file : arguments.contains(SourceOptions.synthetic) ? .scene : .camera
    }
    var clock: SourceClock { session.source.clock }
    /// What fills its ring.
    var loop: CaptureLoop { session.loop }

    /// Opens the source. Frames flow once `session` is started. `options` makes the session's options once that is
    /// open, told whether the frames are those of another livecap.
    init(
        _ arguments: Arguments, _ needs: HostNeeds, _ interruption: Interruption,
        options makeOptions: (_ isOfOther: Bool) throws(Failure) -> SessionOptions
    ) throws(Failure) {
        let other = try arguments.host(whenHeld: needs.role != .host)
        if let signal = interruption.signal { throw .interrupted(signal: signal, isBeforeFrames: true) }
        if other == nil, let lack = needs.pastLack { throw lack }
        let gate = FollowerGate()
        let waitsForPast = other != nil && needs.pastLack != nil
        let source =
            if let other {
                other.frames(past: needs.otherPast, needed: needs.neededPast, gate: waitsForPast ? gate : nil)
            } else {
                try arguments.captureSource(
                    scenePace: needs.scenePace, replayPace: needs.replayPace, unplugPolicy: needs.unplugPolicy
                ).beginning(
                    at: needs.sceneBeginning, size: arguments.contains(SourceOptions.size) ? nil : needs.sceneSize)
            }
        // The source is opened first: if there is none, no library and no trace are created.
        let opened: any FrameSource
        var wait = BusyWait(arguments[SourceOptions.onBusy] ?? needs.busyPolicy, interruption)
        do throws(CameraError) {
            opened = try source.open(
                gate, canSwitchOff: needs.canSwitchOff, whileBusy: { wait.mayTryAgain($0) }, decoding: needs.decodes,
                unless: { interruption.signal != nil })
        } catch { throw interruption.failure(error) }
        var options = try makeOptions(other != nil)
        options.prefersSharing = needs.role != .guest && other == nil
        isOfOther = other != nil
        self.gate = source.pace == .fast || waitsForPast ? gate : nil
        do throws(CameraError) {
            session = try CaptureSession(
                opened, gate: self.gate, again: needs.canChangeSource ? source : nil, options)
        } catch { throw interruption.failure(error) }
        if let isOn = arguments[RunOptions.faceExposure] {
            session.isFaceDrivenAutoExposureEnabled = isOn
            session.isFaceDrivenAutoFocusEnabled = isOn
        }
        self.interruption = interruption
        self.arguments = arguments
        trace = options.trace
        door = options.prefersSharing ? HostDoor() : nil
        if let door { _ = session.sinks.attach(door) }
        tasks = try attempt { () throws(CameraError) in
            try CameraError.wrapping { () throws(SystemShortage) in try TaskThread(name: "tasks") }
        }
        let session = session
        // Of what has no exposure, nobody looks for faces.
        if arguments[RunOptions.faceExposure] == true, kind == .camera {
            _ = try attempt { () throws(CameraError) in try session.followFacts([.faces], keepsOn: false) { _ in } }
        }
        // Shots that have their frames are finished, the others fail.
        if needs.stopsBySignal { interruption.onSignal { session.end() } }
        let attention = attention
        let rouse: @Sendable () -> Void = { [weak session] in
            attention.call()
            session?.ring.wakeWaiters()
        }
        session.loop.onNews(rouse)
        interruption.onSignal(rouse)
    }

    /// Ends the session and its trace, and prints notes about them.
    func close() {
        door?.close()
        session.endFacts()
        session.endTriggers()
        session.end()
        let dropped = session.statistics.dropped
        if dropped > 0 { Console.note("note: \(dropped) frames dropped because every frame in memory was in use") }
        if let words = session.loop.decodingStatistics?.words { Console.note("note: \(words)") }
        if let outcome = trace?.close(), let failure = outcome.failure {
            Console.note("note: the trace is incomplete: \(failure.message)")
        }
    }

    /// Prints a note if less was granted than asked for: another rate, or a shorter history and its cause.
    func reportGrant() {
        let (granted, asked) = (session.granted, session.history)
        noteDate()
        if let asked = arguments.request.rate, let rate = session.source.rate, !rate.isAbout(asked) {
            Console.note("note: frames arrive at \(rate) fps instead of the requested \(asked) fps")
        }
        // Another livecap's history is what it is.
        guard !isOfOther || arguments.contains(SourceOptions.history) else { return }
        // A difference of less than a frame is rounding.
        guard granted.usualDuration + session.frameInterval < asked else { return }
        Console.note(granted.words(asked: asked))
    }

    /// Prints a note if a date is asked for that is not known.
    func noteDate() {
        guard arguments.date != nil, session.source.frameClock == .unknown else { return }
        Console.note("note: no date is drawn: it is not known when the frames of \(session.source.name) were taken")
    }

    /// Refuses a `--ring` of memory that has no room for the past that is needed, which is known once frames are. How
    /// much compressed frames take is not, so that it is only noted.
    func requireHistory(_ past: Duration, for use: String) throws(Failure) {
        let (granted, kept) = (session.granted, session.granted.usualDuration)
        guard !isOfOther, let bytes = arguments.askedHistoryMemory, kept + session.frameInterval < past else { return }
        let words =
            "\(inBytes(bytes)) keep about \(fixed(kept.seconds, 1)) s of these frames, but \(use) needs "
            + "\(fixed(past.seconds, 1)) s"
        guard granted.duration == kept else { return Console.note("note: \(words); a larger --ring keeps more") }
        throw .pictures("--ring: \(words)", hint: "leave out --ring, or make it larger")
    }

    /// Prints a note if another livecap had less of the past than was asked for: what is made begins `reach` ago.
    func noteLack(of past: Duration, from reach: Duration, _ name: String) {
        guard reach + session.frameInterval * 2 < past else { return }
        let span = fixed(max(reach, .zero).seconds, 1)
        Console.note("note: the \(name) begins \(span) s ago: the other livecap has kept no more")
    }

    /// The failure to report if a signal came before the first frame.
    var interruptedBeforeFrames: Failure? {
        guard let signal = interruption.signal, session.ring.newestTime == nil else { return nil }
        return .interrupted(signal: signal, isBeforeFrames: true)
    }

    /// Waits until the history covers a moment and the frames before it, and the exposure has settled. Returns the
    /// present time, which moments are relative to; nil if the stream ended or a signal came first.
    func present(earliest: Duration, framesBefore: Int) throws(Failure) -> Timestamp? {
        var reach = HistoryReach(session.ring, interval: session.frameInterval)
        let past = max(.zero - earliest, .zero)
        let before = max(0, framesBefore)
        // Another livecap's camera may be off: then a picture of now waits for its next frame.
        let recent = isOfOther && earliest >= .zero ? Timestamp.now : Timestamp(nanoseconds: .min)
        var newest = Timestamp(nanoseconds: .min)
        let ring = session.ring
        while interruption.signal == nil {
            // Before the newest frame is looked at, so that none is missed.
            let next = ring.nextCounter
            guard let time = ring.newestTime, time > newest else {
                if ring.isEnded { return nil }
                ring.wait(forCounter: next) { interruption.signal != nil }
                continue
            }
            newest = time
            switch reach.verdict(past: past, framesBefore: before) {
            case .growing: continue
            case .reached: if session.isExposureDone, newest >= recent { return .now }
            case .tooShort(let span): throw .camera(tooShort(span, for: past))
            }
        }
        return nil
    }

    /// The error for a moment that the history will never hold.
    func tooShort(_ span: Duration, for past: Duration) -> CameraError {
        .badSettings(
            "\(fixed(past.seconds, 2)) s back exceeds the history, which holds \(fixed(span.seconds, 2)) s",
            hint: wayToKeep(past, holding: span))
    }

    /// The options that keep `past` of history, if only `span` is kept now.
    private func wayToKeep(_ past: Duration, holding span: Duration) -> String {
        let limit = session.granted.limit
        guard limit == .asked || limit == .memory else { return limit.words }
        // With frames larger than usual, a ring holds less than it was granted for.
        let share = min(100, max(1, session.granted.usualDuration.seconds / max(span.seconds, 0.001)))
        let enough = past.seconds * share * 1.1 + 0.1
        let isLonger = enough > session.history.seconds
        let history = isLonger ? Duration.saturating(seconds: enough.rounded(.up)) : session.history
        var ways = isLonger ? ["--ring \(fixed(history.seconds, 0))s"] : []
        guard let memory = session.memory(forHistory: history) else {
            return HistoryLimit.slots.words
        }
        if limit == .memory || memory > arguments[SourceOptions.memory] ?? .max {
            ways.append("--memory \(memory.mebibytes)M")
        }
        guard !ways.isEmpty else { return limit.words }
        return "keep more history: \(ways.joined(separator: " "))\(limit == .memory ? ", or a smaller --size" : "")"
    }
}

extension FrameRate {
    /// Whether the rates differ by no more than a hundredth, as 30 and 29.97 do.
    func isAbout(_ other: FrameRate) -> Bool {
        abs(framesPerSecond - other.framesPerSecond) <= other.framesPerSecond / 100
    }
}

extension Host {
    /// How long until a moment, on the source's clock; nil if it has come.
    func timeUntil(_ moment: Timestamp) -> Duration? {
        let now = clock == .monotonic ? Timestamp.now : session.ring.newestTime ?? session.source.firstTime
        guard let now, moment > now else { return nil }
        return moment - now
    }
}

extension Host {
    /// Waits for a shot's end on a thread that is not Swift's. Calls `tick` first, and whenever it said.
    func result(of capture: PhotoCapture, _ tick: () -> Timestamp) -> Result<Photo, PhotoError> {
        let result = Guarded<Result<Photo, PhotoError>>(.failure(.cancelled))
        let done = EndNotice()
        Task.detached(executorPreference: tasks) {
            for await event in capture {
                if let end = event.end { result.withLock { $0 = end } }
            }
            done.note()
        }
        while !done.wait(until: tick().nanoseconds) {}
        return result.withLock { $0 }
    }

    /// Waits for a task on a thread that is not Swift's.
    func value<Value: Sendable>(of task: Task<Value, Never>) -> Value {
        let value = Guarded<Value?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task.detached(executorPreference: tasks) {
            let found = await task.value
            value.withLock { $0 = found }
            done.signal()
        }
        done.wait()
        return value.withLock { $0! }
    }
}
