// SPDX-License-Identifier: MIT
// `livecap view`: a window with what the camera sees, which takes pictures.

import LivecapCommandTable

enum ViewCommand {
    static let verb = Verb(
        command: Command(
            "view", summary: "a window with what the camera sees, which takes pictures",
            discussion: """
                Opens a window of the desktop, on Wayland or X. It shows the newest frame, and space takes a picture of \
                the very frame that was on the screen. If another livecap has the camera, the window shows its frames.

                Left and Right go back and forward in time by a frame, Page Up and Page Down by half a second, Home to \
                the oldest frame that is kept, End to now; the rail at the bottom, and the wheel, do the same. Space \
                then takes a picture of that moment. --ring says how far back there are frames.

                The line at the bottom shows whether a picture would be taken at once, what is in progress, and which \
                moment is seen. f fills the screen, h hides the keys and then the line. With --movies, r starts a movie \
                and ends it, p pauses it, and c marks a chapter. With --effects, e switches them off and on, and digits \
                perform reactions. While effects hide what is behind people, so do pictures that are taken, and the past \
                is not shown.

                q or Escape, or closing the window, ends it; pictures that have their frames are finished first. The \
                window needs SDL 2, of the package libsdl2-2.0-0. 'livecap run --view' opens the same window beside \
                everything else that run does.
                """,
            groups: [
                SourceOptions.group,
                OptionGroup(
                    "Window", [RunOptions.fullScreen],
                    rare: [
                        RunOptions.shutter, RunOptions.shutterKey, RunOptions.grab, RunOptions.burst,
                        TriggerOptions.trigger, TriggerOptions.quiet, TriggerOptions.action, RunOptions.socket,
                        RunOptions.count, RunOptions.duration,
                    ]),
                ShootOptions.picture,
                OptionGroup(
                    "Movies", [RunOptions.movies, RunOptions.moviePast, SoundOptions.sound],
                    rare: [
                        RunOptions.movieKind, MovieOptions.bitrate, MovieOptions.crf, MovieOptions.split,
                        MovieOptions.canvas, StabilizationOptions.stabilise, SoundOptions.gain,
                    ]),
                OptionGroup(
                    "Frames", [EffectOptions.effects],
                    rare: [
                        EffectOptions.places, RunOptions.faceExposure, PlaceOptions.fuse, PlaceOptions.steady,
                        PlaceOptions.strength,
                    ]),
                EngineOptions.group,
                OptionGroup(
                    "Output",
                    [
                        ShootOptions.output, LibraryPlace.intoOption, ShootOptions.live, ShootOptions.hook,
                        ShootOptions.overwrite, ShootOptions.json, ConsoleOptions.quiet,
                    ],
                    rare: [ShootOptions.pair, ShootOptions.verbose]),
            ],
            exclusive: ShootOptions.exclusive + [
                SourceOptions.exclusive, [ShootOptions.output, LibraryPlace.intoOption],
                [ShootOptions.pair, LibraryPlace.intoOption], MovieOptions.qualities,
            ],
            needs: SourceOptions.needs + RunOptions.pictureNeeds + RunOptions.movieNeeds([RunOptions.movies]),
            examples: [
                Example("livecap view -o pictures/", "space takes a picture"),
                Example("livecap view --library photos/ --movies movies/", "r starts and ends a movie"),
                Example("livecap view --ring 10s --full-screen", "ten seconds to go back to"),
                Example("livecap view --synthetic object", "without a camera"),
            ])
    ) { arguments, console throws(Failure) in try RunCommand.arm(arguments, &console, isView: true) }
}
