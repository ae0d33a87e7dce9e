// SPDX-License-Identifier: MIT
// The options that take pictures, and begin movies, without a hand on the shutter.

import LivecapCommandTable
import LivecapFrames

/// What may take a picture, as the command line says it.
enum TriggerChoice: Hashable, Sendable {
    case motion(MotionTrigger)
    case sound(SoundTrigger)
    case every(Duration)

    /// Parses `motion`, `motion:AREA,SENSITIVITY`, `sound`, `sound:DB` and `every TIME`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == ":" || $0 == " " }
        let value = parts.count == 2 ? String(parts[1]) : nil
        switch parts.first {
        case "motion":
            guard let trigger = MotionTrigger(value) else { return nil }
            self = .motion(trigger)
        case "sound":
            guard let trigger = SoundTrigger(value) else { return nil }
            self = .sound(trigger)
        case "every":
            guard let value, let time = try? ValueKind<Int64>.positiveNanoseconds().parse(value),
                time >= 1_000_000
            else { return nil }
            self = .every(.nanoseconds(time))
        default: return nil
        }
    }

    /// The same that waits for `quiet` until what it notices has ended.
    func waiting(_ quiet: Duration) -> TriggerChoice {
        switch self {
        case .motion(let trigger):
            .motion(MotionTrigger(in: trigger.area, sensitivity: trigger.sensitivity, quiet: quiet))
        case .sound(let trigger): .sound(SoundTrigger(trigger.threshold, quiet: quiet))
        case .every: self
        }
    }

    /// What it notices.
    var kind: TriggerCause.Kind {
        switch self {
        case .motion: .motion
        case .sound: .sound
        case .every: .time
        }
    }

    /// Such as "motion", or "every 5.0 s".
    var words: String {
        switch self {
        case .motion(let trigger): trigger.area == nil ? "motion" : "motion in a part of the picture"
        case .sound: "sound"
        case .every(let interval): "every \(fixed(interval.seconds, 1)) s"
        }
    }
}

/// What a trigger does.
enum TriggerAction: String, CaseIterable, Sendable {
    case picture
    case movie
    case both
}

enum TriggerOptions {
    static let trigger = Option(
        "trigger",
        ValueKind<TriggerChoice>(
            "WHAT",
            expects:
                "motion, motion:AREA,SENSITIVITY as in motion:50x100+50+0,0.7, sound, sound:-20, sound:+12 or 'every "
                + "5s'"
        ) { TriggerChoice($0) },
        repeatable: true,
        help:
            "Take a picture by itself: at motion, in an AREA (WxH+X+Y in percent of the picture) and with a SENSITIVITY from 0 "
            + "to 1 (default: all of it, 0.5); at a sound of a level in dB, or as in +12 so much louder than usual (default: "
            + "+15); or 'every 5s'",
        details:
            "Pictures show the moment of the cause, which is noticed a little later. For its first two seconds, motion is "
            + "only learned: what is usual, and its noise")
    /// The same, which begins a movie.
    static let beginning = Option(
        "trigger",
        ValueKind<TriggerChoice>(
            "WHAT",
            expects: "motion, motion:AREA,SENSITIVITY as in motion:50x100+50+0,0.7, sound, sound:-20 or sound:+12"
        ) { text in
            TriggerChoice(text).flatMap { $0.kind == .time ? nil : $0 }
        },
        repeatable: true,
        help:
            "With --on-tap, also begin the movie at motion or sound, as 'livecap run --trigger' notices them, and end it once "
            + "there is quiet. It begins with what was noticed, or --pre before that")
    static let quiet = Option(
        "trigger-quiet", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help:
            "How long it must be quiet until the next motion, or sound, is a new one, and a movie that it began ends "
            + "(default: 2s, for movies 5s)")
    static let action = Option(
        "on-trigger",
        ValueKind<String>.choice("ACTION", of: TriggerAction.allCases.map(\.rawValue)).map {
            TriggerAction(rawValue: $0)!
        },
        help:
            "What --trigger does: take a picture, film a movie until it is quiet, from --pre before what began it (default: "
            + "1s), or both. Times take pictures only (default: picture)")

    /// The triggers that are asked for, in their order.
    static func choices(_ arguments: Arguments, _ option: Option<TriggerChoice>, quiet usual: Duration)
        -> [TriggerChoice]
    {
        let quiet = arguments[quiet] ?? usual
        return arguments.all(option).map { $0.waiting(quiet) }
    }

    /// What triggers do.
    static func action(_ arguments: Arguments) -> TriggerAction { arguments[action] ?? .picture }

    /// Whether triggers of a run begin movies.
    static func filmsMovies(_ arguments: Arguments) -> Bool {
        arguments.contains(trigger) && action(arguments) != .picture
    }

    /// How quiet it is before a movie ends, and before another picture is taken.
    static func usualQuiet(films: Bool) -> Duration { films ? .seconds(5) : .seconds(2) }

    /// Refuses what cannot be in a run, before a camera is opened.
    static func check(_ arguments: Arguments) throws(Failure) {
        let kinds = Set(arguments.all(trigger).map(\.kind))
        guard !kinds.isEmpty else { return }
        if kinds.contains(.motion), arguments.contains(RunOptions.idleOff) {
            throw .pictures(
                "--trigger motion keeps the camera on, and --idle-off switches it off",
                hint: "leave one of them out; sound and times go with --idle-off")
        }
        if filmsMovies(arguments) {
            if !arguments.contains(RunOptions.movies) {
                throw .pictures("--on-trigger: movies need a place", hint: "add --movies DIR")
            }
            if kinds == [.time] {
                throw .pictures(
                    "--on-trigger: nothing ends a movie that begins at a time",
                    hint: "add --trigger motion or sound, or leave out --on-trigger")
            }
            if arguments[SourceOptions.pace] == .fast {
                throw .pictures(
                    "--on-trigger: a movie that begins in the past needs frames at their own pace",
                    hint: "leave out --pace fast")
            }
        }
        if kinds.contains(.sound) { try checkSound(arguments) }
    }

    /// Refuses a sound trigger without sound.
    static func checkSound(_ arguments: Arguments) throws(Failure) {
        guard !MovieMicrophone.isAsked(arguments) else { return }
        throw .pictures(
            "--trigger sound needs a microphone",
            hint: arguments[SoundOptions.sound] == SoundChoice.none
                ? "leave out --sound none" : "recordings and scenes have none of their own: add --sound auto")
    }
}

extension MotionTrigger {
    /// Parses an area and a sensitivity, each of which may be left out, also both.
    init?(_ text: String?) {
        guard let text else {
            self.init()
            return
        }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        var area: PictureBox?
        var sensitivity = 0.5
        guard parts.count <= 2, let last = parts.last else { return nil }
        if parts.count == 2 || last.contains("x") {
            guard let box = PictureBox(percent: parts[0]) else { return nil }
            area = box
        }
        if parts.count == 2 || !last.contains("x") {
            guard let number = Double(last), (0...1).contains(number) else { return nil }
            sensitivity = number
        }
        self.init(in: area, sensitivity: sensitivity)
    }
}

extension PictureBox {
    /// Parses WxH+X+Y in percent of the picture, such as 50x100+50+0 for its right half; nil for what is not within it.
    init?(percent text: String) {
        let places = text.split(separator: "+", omittingEmptySubsequences: false)
        let sides = places[0].split(separator: "x", omittingEmptySubsequences: false)
        guard places.count == 3 || places.count == 1, sides.count == 2 else { return nil }
        let numbers = (sides + places.dropFirst()).map { Float($0) }
        let known = numbers.compactMap { $0 }.filter { (0...100).contains($0) }
        guard known.count == numbers.count else { return nil }
        let (x, y) = known.count == 4 ? (known[2], known[3]) : (0, 0)
        guard known[0] > 0, known[1] > 0, x + known[0] <= 100.01, y + known[1] <= 100.01 else { return nil }
        self.init(
            origin: PicturePoint(x: x / 100, y: y / 100), width: known[0] / 100, height: known[1] / 100)
    }
}

extension SoundTrigger {
    /// Parses a level in dB, at most 0, or with a plus sign how much louder than usual; nothing means the default.
    init?(_ text: String?) {
        guard let text else {
            self.init()
            return
        }
        let number = text.hasSuffix("dB") ? String(text.dropLast(2)) : text
        guard let value = Double(number) else { return nil }
        if number.hasPrefix("+") {
            guard value > 0, value <= 100 else { return nil }
            self.init(.aboveUsual(value))
        } else {
            guard (-100...0).contains(value) else { return nil }
            self.init(.level(value))
        }
    }
}
