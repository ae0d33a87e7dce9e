// SPDX-License-Identifier: MIT
// The options of `livecap serve`: where it listens, and who may view.

import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapHTTP

enum ServeOptions {
    static let listen = Option(
        "listen",
        ValueKind("ADDRESS:PORT", expects: "an address and a port such as 0.0.0.0:8080, or a port") { HTTPAddress($0) },
        help:
            "Where browsers connect: 127.0.0.1 is for this machine alone, 0.0.0.0 and [::] for every machine that reaches it, "
            + "which then needs the token of the link that is printed (default: 127.0.0.1:8080)")
    static let tokenFile = Option(
        "token-file", .file(),
        help:
            "Keep the token in this file, which is made if it is missing, so that links stay valid (default: another token "
            + "with each start)")
    static let open = Flag(
        "no-token", help: "Let everybody who reaches the address view and shoot. Only for networks that you trust")
    static let name = Option(
        "name", ValueKind("NAME", expects: "a name such as porch.example.org") { $0.isEmpty ? nil : $0 },
        repeatable: true,
        help: "A name by which browsers call this machine, besides its addresses, localhost and its own name")
    static let certificate = Option(
        "certificate", .file(), help: "Encrypt all connections with this certificate and its chain, a PEM file")
    static let key = Option("key", .file(), help: "The private key of --certificate, a PEM file")
    static let idleOff = Option(
        "idle-off", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help:
            "Switch the camera off, light and all, when nobody has viewed for this time. The next viewer or shot switches it "
            + "on (default: 30s)")
    /// As for other commands, in other words and with another default.
    static let movies = Option(
        "movies", .file("DIR"),
        help:
            "A directory for the movies that the page's button records, numbered as pictures are (default: movies in the "
            + "library)")
    static let movieKind = Option(
        "movie-kind", Kinds.movie,
        help:
            "The kind of movies: mp4, which browsers play, webm, or mkv, into which a camera's JPEG frames go unchanged, but "
            + "which browsers do not play (default: mp4)")
    static let hold = Option(
        "hold", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help:
            "How long a moment that a page has slid back to stays in memory, so that its photo can be taken after --ring "
            + "has passed it (default: 2min)")
    static let liveSound = Flag(
        "live-sound",
        help:
            "Let viewers of the page hear the microphone of --sound, once they press its sound button. It is open only while "
            + "one of them listens, or a movie is made, and all pages and the terminal then say so")
    static let alwaysOn = Flag("always-on", help: "Leave the camera on, so that every shot has a past")

    static let json = Flag("json", help: "Print the link as a JSON object, and an error as one, too")

    /// The history without `--ring`: enough for shots of frames seen seconds ago.
    static let history = Duration.seconds(4)
    /// It is longer where frames are small.
    static let historyMemory = HistoryMemory(bytes: 32 << 20, upTo: .seconds(10))
    static let usualIdleOff = Duration.seconds(30)
    static let usualAddress = "127.0.0.1:8080"

    static let groups = [
        SourceOptions.group,
        OptionGroup(
            "Serving", [listen, tokenFile, open, certificate, key, idleOff, alwaysOn],
            rare: [name, liveSound, hold, RunOptions.duration]),
        ShootOptions.picture,
        OptionGroup(
            "Movies", [movies, RunOptions.moviePast, SoundOptions.sound],
            rare: [movieKind, MovieOptions.bitrate, MovieOptions.crf, SoundOptions.gain]),
        OptionGroup(
            "Other programs", [PlaceOptions.to, EffectOptions.effects, PlaceOptions.fuse],
            rare: [EffectOptions.places, RunOptions.faceExposure, PlaceOptions.steady, PlaceOptions.strength]),
        OptionGroup(
            "Output", [LibraryPlace.option, json, ConsoleOptions.quiet]),
    ]
}
