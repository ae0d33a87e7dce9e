// SPDX-License-Identifier: MIT
// Keys of the terminal while a movie is made.

import Glibc
import LivecapMovies
import LivecapSound

enum MovieKeys {
    /// What they do, for people.
    static func words(_ microphone: MovieMicrophone?) -> String {
        "p pauses, c marks a chapter\(microphone == nil ? "" : ", \(MovieMicrophone.keys)"), q ends"
    }

    /// Said when a chapter is marked.
    static let chapter = "a chapter begins"

    /// Does what a key means.
    static func press(_ key: Character, _ movie: MovieFileOutput, _ sound: SoundCapture?) {
        switch (key, movie.hasStarted) {
        // There is no movie to end yet, but the program, as with Ctrl-C.
        case ("q", false): kill(getpid(), SIGINT)
        case ("p", false), ("c", false): Console.note("note: the movie has not begun")
        case ("q", true): movie.stop()
        case ("p", true): movie.isPaused ? movie.resume() : movie.pause()
        case ("c", true):
            do throws(MovieError) { try movie.mark() } catch { return Console.note("note: \(error.message)") }
            Console.note(chapter)
        default: if let sound { MovieMicrophone.press(key, sound) }
        }
    }
}
