// SPDX-License-Identifier: MIT
// A movie's microphone: its choice, its notes and meter, and keys for it.

import Camera
import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapServing
import LivecapSound
import LivecapThreads

/// The sound of a movie, as the command line asks for it.
final class MovieMicrophone {
    let capture: SoundCapture
    /// Whether it follows the camera: its own microphone is preferred.
    private let isAutomatic: Bool

    private init(_ capture: SoundCapture, isAutomatic: Bool) {
        self.capture = capture
        self.isAutomatic = isAutomatic
    }

    /// Whether sound is asked for. Recordings, and scenes without `--sound`, have none.
    private static func choice(_ arguments: Arguments) -> SoundChoice {
        if arguments.contains(MovieOptions.timelapse) { return .none }
        let isCamera = !arguments.contains(SourceOptions.replay) && !arguments.contains(SourceOptions.synthetic)
        return arguments[SoundOptions.sound] ?? (isCamera ? .automatic : .none)
    }

    /// Whether the movie is to have sound.
    static func isAsked(_ arguments: Arguments) -> Bool { choice(arguments) != .none }

    /// The sound of movies that are started in browsers. A microphone that is named must be there.
    static func ofPages(_ arguments: Arguments) throws(Failure) -> PageSound {
        let (machine, gain) = (Microphones(), arguments[SoundOptions.gain] ?? 0)
        switch choice(arguments) {
        case .none: return .none
        case .automatic: return .microphone(PageMicrophone(.automatic, in: machine, gain: gain))
        case .synthetic(let ppm):
            return .microphone(PageMicrophone(.automatic, in: SyntheticMicrophones(ppm: ppm), gain: gain))
        case .named(let name):
            do throws(SoundError) {
                let id = try machine.microphone(named: name).id
                return .microphone(PageMicrophone(.only(id), in: machine, gain: gain))
            } catch { throw .sound(error) }
        }
    }

    /// Opens the microphone, if the movie is to have sound. `past` is how far back the movie may begin.
    /// - Throws: why a microphone that was named cannot be used. One that was not named is done without.
    static func open(
        _ arguments: Arguments, _ source: SourceDescription, _ granted: GrantedCapacity, past: Duration
    ) throws(Failure) -> MovieMicrophone? {
        let choice = choice(arguments)
        guard choice != .none else { return nil }
        // The movie may fall behind by as much as the ring has.
        let history = max(past, granted.usualDuration)
        let capture = try open(
            choice, of: source, past: history, gain: arguments[SoundOptions.gain] ?? 0,
            isMuted: arguments[SoundOptions.mute])
        return capture.map { MovieMicrophone($0, isAutomatic: choice == .automatic) }
    }

    /// Opens the microphone of a choice for pictures of `source`, with so much of the past and what arrives late.
    /// - Throws: why a microphone that was named cannot be used. One that was not named is done without, and a note
    ///   says so.
    static func open(
        _ choice: SoundChoice, of source: SourceDescription, past: Duration, gain: Double, isMuted: Bool = false
    ) throws(Failure) -> SoundCapture? {
        guard source.clock == .monotonic else { throw .sound(.otherClock) }
        let machine = Microphones()
        do throws(SoundError) {
            let (wish, directory): (MicrophoneChoice, any SoundDirectory) =
                switch choice {
                case .named(let name): (.only(try machine.microphone(named: name).id), machine)
                case .synthetic(let ppm): (.automatic, SyntheticMicrophones(ppm: ppm))
                case .automatic, .none: (.automatic, machine)
                }
            return try SoundCapture(
                wish, in: directory, camera: CameraDirectory().device(of: source.identity),
                past: past + SoundHistory.lateness, gain: gain, isMuted: isMuted)
        } catch {
            guard choice == .automatic else { throw .sound(error) }
            let hint = Hints.hint(error)
            Console.note("note: \(error.message), so the movie has no sound\(hint.isEmpty ? "" : " (\(hint))")")
            return nil
        }
    }

    /// The name of the microphone, for people.
    var name: String { capture.figures.microphone?.name ?? "no microphone" }

    /// What its keys do.
    static let keys = "m mutes, + and - change the gain"

    /// Does what a key means.
    static func press(_ key: Character, _ capture: SoundCapture) {
        switch key {
        case "m": capture.isMuted.toggle()
        case "+": capture.gain = min(60, capture.gain + 3)
        case "-": capture.gain = max(-60, capture.gain - 3)
        default: break
        }
    }

    /// Prints what has happened to the sound since the last call.
    func reportNotices() {
        for notice in capture.takeNotices() {
            if let words = notice.words { Console.note("note: \(words)") }
        }
    }

    /// Prefers the microphone of a session's camera from now on, unless one was named.
    func follow(_ host: Host) {
        if isAutomatic { host.followCamera(with: capture) }
    }

    /// Prefers a camera's own microphone from now on, unless one was named.
    func follow(_ camera: SourceDescription) {
        guard isAutomatic else { return }
        capture.prefer(camera: CameraDirectory().device(of: camera.identity))
    }

    /// The level for the progress line, such as "sound -23 dB ▮▮▮▮▯▯▯▯".
    var meter: String {
        guard !capture.isMuted else { return "sound muted" }
        guard capture.figures.microphone != nil else { return "no microphone" }
        let level = capture.level
        let filled = max(0, min(8, Int(((level.averagePowerLevel + 60) / 60 * 8).rounded())))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 8 - filled)
        let decibels = level.averagePowerLevel <= -100 ? "silent" : "\(fixed(level.averagePowerLevel, 0)) dB"
        return "sound \(decibels) [\(bar)]\(level.peakHoldLevel >= 0 ? " too loud" : "")"
    }

    /// Ends the capture.
    func close() { capture.stop() }
}

extension Host {
    /// Has a microphone prefer that of the camera in use.
    func followCamera(with microphone: SoundCapture) {
        let events = session.events
        Task.detached(executorPreference: tasks) {
            for await event in events {
                switch event {
                case .notice(.moved(let camera, _)), .sourceChanged(let camera):
                    microphone.prefer(camera: CameraDirectory().device(of: camera.identity))
                default: break
                }
            }
        }
    }
}

extension SoundNotice {
    /// A note for people; nil if there is nothing to do or to know.
    var words: String? {
        switch self {
        case .gone(let error): "\(error.message); the sound is silent until there is a microphone"
        case .using(let microphone): "the sound is that of \(microphone)"
        case .passedOver(let error): "\(error.message): \(Hints.hint(error))"
        }
    }
}
