// SPDX-License-Identifier: MIT
// The options of `livecap run`: where taps come from, and when it ends.

import CommandTable
import Frames
import Shutter

enum RunOptions {
    static let shutter = Option(
        "shutter", .file("DEVICE"),
        help:
            "An input device whose keys are the shutter, such as /dev/input/event3: a remote shutter, a pedal, a mouse. "
            + "Taps have the kernel's own time")
    static let shutterKey = Option(
        "shutter-key",
        ValueKind("KEY", expects: "a key's name or number, such as KEY_CAMERA, KEY_ENTER, BTN_LEFT or 28") {
            InputKey($0)
        },
        repeatable: true, help: "Only this key of --shutter; any key if left out")
    static let grab = Flag("grab", help: "Keep the keys of --shutter from everybody else")
    static let socket = Option(
        "socket", .file("PATH"),
        help: "Where other programs ask for pictures, a line of JSON each: {\"tap\":\"-250ms\"}. If left out, "
            + "livecap/shutter.sock in the runtime directory")
    static let noSocket = Flag("no-socket", help: "Let no other program ask")
    static let burst = Option(
        "burst-interval", ValueKind<Int64>.positiveNanoseconds().map(TimeSpan.init(nanoseconds:)),
        help:
            "The time from one picture to the next while a key of --shutter, or a program's press, is held; a frame's "
            + "time if left out")
    static let count = Option("count", .integer(1...1_000_000), help: "End after so many pictures")
    static let duration = Option(
        "duration", ValueKind<Int64>.positiveNanoseconds().map(TimeSpan.init(nanoseconds:)),
        help: "End after so long")

    static let latest = Option(
        "latest", .file(),
        help:
            "Keep this file at the newest frame: a picture with quality speed replaces it once a second, whole at every moment; "
            + "also a file that was there before, without --overwrite. Its suffix is its format (default: JPEG)")

    /// Options that have no effect by themselves.
    static let needs = [
        Need(shutterKey, oneOf: [shutter]), Need(grab, oneOf: [shutter]),
        Need(EngineOptions.deferral, oneOf: [LibraryPlace.intoOption]),
        Need(EngineOptions.keepFrames, oneOf: [LibraryPlace.intoOption]),
    ]

    static let groups = [
        SourceOptions.group,
        OptionGroup("Taps", [shutter, shutterKey, grab, burst, socket, noSocket, count, duration]),
        OptionGroup("Picture", ShootOptions.picture),
        EngineOptions.group,
        OptionGroup(
            "Output",
            [
                ShootOptions.output, LibraryPlace.intoOption, latest, ShootOptions.hook, ShootOptions.overwrite,
                ShootOptions.json, ConsoleOptions.quiet,
            ]),
    ]
}
