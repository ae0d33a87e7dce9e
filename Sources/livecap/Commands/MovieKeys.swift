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

    /// Does what a key means.
    static func press(_ key: Character, _ movie: MovieFileOutput, _ sound: SoundCapture?) {
        switch key {
        // As Ctrl-C does.
        case "q" where !movie.hasStarted: kill(getpid(), SIGINT)
        case "p" where !movie.hasStarted, "c" where !movie.hasStarted: Console.note("note: the movie has not begun")
        case "q": movie.stop()
        case "p": movie.isPaused ? movie.resume() : movie.pause()
        case "c":
            movie.mark()
            Console.note("a chapter begins")
        default: if let sound { MovieMicrophone.press(key, sound) }
        }
    }
}
