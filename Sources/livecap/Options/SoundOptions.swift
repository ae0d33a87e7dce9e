// SPDX-License-Identifier: MIT
// The sound of a movie on the command line.

import LivecapCommandTable

/// What is asked for as a movie's sound.
enum SoundChoice: Hashable, Sendable {
    case automatic
    case none
    case named(String)
    /// Clicks at whole seconds, by a clock that is wrong by `ppm` millionths.
    case synthetic(ppm: Double)

    init?(_ text: String) {
        switch text {
        case "": return nil
        case "auto": self = .automatic
        case "none": self = .none
        case "synthetic": self = .synthetic(ppm: 0)
        default:
            guard text.hasPrefix("synthetic:") else {
                self = .named(text)
                return
            }
            let word = "synthetic:ppm="
            guard text.hasPrefix(word), let ppm = Double(text.dropFirst(word.count)), abs(ppm) <= 50_000 else {
                return nil
            }
            self = .synthetic(ppm: ppm)
        }
    }
}

enum SoundOptions {
    static let sound = Option(
        "sound",
        ValueKind<SoundChoice>(
            "WHAT", expects: "auto, none, synthetic, synthetic:ppm=N with N from -50000 to 50000, or a microphone"
        ) { SoundChoice($0) },
        help:
            "The sound of movies, and with --live of those in pictures: auto (the camera's own microphone, else "
            + "PipeWire's default, else the one connected last), none, or the id or (part of) the name of a microphone "
            + "(default: auto for movies of cameras, else none)",
        details:
            "Or pipewire, which is PipeWire's default source whichever that is, or pipewire:NODE; default, which is "
            + "PipeWire's if it runs and has a source, else ALSA's; any other capture device of ALSA's, also as "
            + "alsa:DEVICE; or synthetic: clicks at whole seconds of CLOCK_MONOTONIC")
    static let gain = Option(
        "gain",
        ValueKind<Double>("DB", expects: "a gain from -60 to 60 dB") { text in
            Double(text.hasSuffix("dB") ? String(text.dropLast(2)) : text).flatMap { abs($0) <= 60 ? $0 : nil }
        },
        help: "Make the sound this many decibels louder, or softer if negative (default: 0)")
    static let mute = Flag("mute", help: "Begin with the sound muted: m in the terminal mutes and unmutes it")
}
