// SPDX-License-Identifier: MIT
// One microphone at a time, into a history; another one takes over where the first goes.

import FrameRing
import LivecapFrames
import LivecapThreads
import Synchronization

/// What happened to the sound.
public enum SoundNotice: Hashable, Sendable {
    /// The microphone has gone. What follows is silence, until there is another one.
    case gone(SoundError)
    /// Another microphone is used from now on.
    case using(Microphone)
    /// A microphone was not used, and why.
    case passedOver(SoundError)
}

/// Figures of a capture.
public struct SoundFigures: Hashable, Sendable {
    /// The microphone in use; nil while there is none.
    public var microphone: Microphone?
    /// The rate it claims, in samples per second.
    public var claimedRate = 0
    /// The measured one; nil if it is not known yet.
    public var measuredRate: Double?
    /// How often samples were not read in time.
    public var overruns = 0
    /// How often the system was suspended.
    public var suspensions = 0
    /// How often samples were missing that the device did not report, or it delivered none and was started anew.
    public var restarts = 0
    /// How many microphones were used after the first.
    public var changes = 0

    package init() {}

    /// How far the measured rate is from the one it claims, in millionths.
    public var ppm: Double? { measuredRate.map { ($0 / Double(claimedRate) - 1) * 1e6 } }
}

/// The sound of one microphone at a time, and its last seconds.
///
/// Movies and live photos take the sound of their time from it; several may share one. A thread of its own reads what
/// the device has, about a hundred times a second. It looks twice a second which microphones there are, and uses the
/// first of the choice's candidates that can be opened. It waits for nobody: not for a movie, nor for the disk.
public final class SoundCapture: Sendable {
    package let history: SoundHistory
    private let fader: SoundFader
    private let state: SoundState
    private let thread: Guarded<SystemThread?>
    /// Nil once it is stopped.
    private let whenStopped = Guarded<[@Sendable () -> Void]?>([])

    /// Opens the microphone of `choice` and begins. `camera` is the physical device of the camera whose own is
    /// preferred; the history keeps `past`.
    /// - Throws: why none can be used; `noMicrophone` if there is none.
    package init(
        _ choice: MicrophoneChoice, in directory: any SoundDirectory, camera: String? = nil, past: Duration,
        gain: Double = 0, isMuted: Bool = false
    ) throws(SoundError) {
        let opened = try SoundWorker.open(choice, directory, camera)
        history = SoundHistory(
            channels: min(2, opened.source.format.channels), seconds: past.seconds,
            rate: max(SoundTimeline.rate, opened.source.format.rate))
        fader = SoundFader(gain: gain, isMuted: isMuted)
        state = SoundState(camera: camera)
        thread = Guarded(nil)
        let worker = SoundWorker(
            choice, directory: directory, opened: opened, history: history, fader: fader, state: state)
        do throws(SystemShortage) {
            let started = try SystemThread(name: "sound") { worker.run() }
            thread.withLock { $0 = started }
        } catch { throw .shortage(error) }
    }

    deinit { stop() }

    /// Ends the capture. What the history has stays there.
    public func stop() {
        state.end()
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
        let actions = whenStopped.withLock { actions in
            defer { actions = nil }
            return actions ?? []
        }
        for action in actions { action() }
    }

    /// Has `stop` do something more. If it has stopped, that is done at once.
    package func whenStopped(_ action: @escaping @Sendable () -> Void) {
        let isStopped = whenStopped.withLock { actions in
            actions?.append(action)
            return actions == nil
        }
        if isStopped { action() }
    }

    /// The physical device of the camera, whose own microphone is preferred from now on.
    package func prefer(camera place: String?) { state.prefer(place) }

    /// The level of the sound, after the gain.
    public var level: SoundLevel { fader.level }

    /// The gain in decibels.
    public var gain: Double {
        get { fader.gain }
        set { fader.gain = newValue }
    }

    /// Whether the sound is replaced by silence from now on.
    public var isMuted: Bool {
        get { fader.isMuted }
        set { fader.isMuted = newValue }
    }

    /// Figures until now.
    public var figures: SoundFigures {
        var figures = state.figures
        figures.measuredRate = history.rate
        return figures
    }

    /// What has happened since the last call.
    public func takeNotices() -> [SoundNotice] { state.takeNotices() }

    /// Calls `body` whenever there is a notice to take, on a thread that must not wait.
    package func onNotice(_ body: @escaping @Sendable () -> Void) { state.onNotice(body) }
}

/// What a capture and its thread share.
final class SoundState: Sendable {
    let signal = OwnedSignal()
    private let place: Guarded<String?>
    private let content = Guarded(SoundFigures())
    private let notices = Guarded<[SoundNotice]>([])
    private let listener = Guarded<(@Sendable () -> Void)?>(nil)
    private let ending = Atomic<Bool>(false)

    init(camera: String?) { place = Guarded(camera) }

    func end() {
        ending.store(true, ordering: .releasing)
        signal.notify()
    }

    var isEnding: Bool { ending.load(ordering: .acquiring) }
    var camera: String? { place.withLock { $0 } }
    func prefer(_ camera: String?) { place.withLock { $0 = camera } }
    var figures: SoundFigures { content.withLock { $0 } }
    func publish(_ figures: SoundFigures) { content.withLock { $0 = figures } }
    func note(_ notice: SoundNotice) {
        // Not everybody takes them.
        notices.withLock { notices in
            if notices.count == 100 { notices.removeFirst() }
            notices.append(notice)
        }
        listener.withLock { $0 }?()
    }
    func onNotice(_ body: @escaping @Sendable () -> Void) { listener.withLock { $0 = body } }

    func takeNotices() -> [SoundNotice] {
        notices.withLock { notices in
            defer { notices = [] }
            return notices
        }
    }
}
