// SPDX-License-Identifier: MIT
// The options that say where else frames go: other programs of this machine.

import LivecapCommandTable

enum PlaceOptions {
    static let to = Option(
        "to",
        ValueKind("PLACE", expects: "pipewire, pipewire:NAME or a device such as /dev/video10") { CameraPlace($0) },
        repeatable: true,
        help:
            "Be a camera there: pipewire, among PipeWire's, which browsers, OBS and others list; pipewire:NAME, under that "
            + "name; or an output device of v4l2loopback, such as /dev/video10")
    static let share = Flag(
        "share",
        help:
            "Let other programs of yours read the frames where they are, as 'livecap share' does, at its default socket. The "
            + "camera stays on")
}
