// SPDX-License-Identifier: MIT
// The microphone that viewers of a page may hear, if the command line offers it.

import LivecapCommandTable
import LivecapServing
import LivecapSound

/// What `--live-sound` asks for.
enum LiveSound {
    /// Refuses what has no sound, before anything is opened.
    static func check(_ arguments: Arguments) throws(Failure) {
        guard arguments[ServeOptions.liveSound] else { return }
        if arguments.contains(SourceOptions.replay) || arguments[SourceOptions.pace] == .fast {
            throw .sound(.otherClock)
        }
        guard !MovieMicrophone.isAsked(arguments) else { return }
        if arguments[SoundOptions.sound] == SoundChoice.none {
            throw .pictures("--live-sound: there is nothing to hear with --sound none", hint: "leave out one of them")
        }
        throw .pictures(
            "--live-sound: a scene has no microphone of its own", hint: "name one with --sound, or --sound synthetic")
    }

    /// What viewers can hear. `movies` is the sound of movies that pages start: a microphone is opened only once.
    static func ofPages(_ arguments: Arguments, _ movies: PageSound) throws(Failure) -> PageSound {
        guard arguments[ServeOptions.liveSound] else { return .none }
        if case .none = movies { return try MovieMicrophone.ofPages(arguments) }
        return movies
    }

    /// Says that the microphone is heard: people near it should know.
    static func note(isHeard: Bool) {
        Console.note(
            isHeard ? "note: a viewer hears the microphone now" : "note: nobody hears the microphone any more")
    }
}
