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
    static let fuse = Option(
        "fuse",
        placesKind,
        help:
            "Give these places frames fused with their past, as 'livecap live' makes them: to, share, movies, record, page, view, or "
            + "several with commas. Pictures are made of the camera's own frames, also when they are taken of one that a page or window shows",
        details: "Frames are fused once for all places, and only while one of them wants some")
    static let steady = Option(
        "steady",
        placesKind,
        help:
            "Give these places frames without the motion of a hand: to, share, movies, record, page, view, or several with commas. "
            + "Pictures show 90 % of the frames' width and height, enlarged. With --fuse for the same place, frames are fused "
            + "and then steadied",
        details: "Frames are steadied once for all places, and only while one of them wants some")
    static let placesKind = ValueKind(
        "PLACES", expects: "to, share, movies, record, page, view, or several of them with commas"
    ) { StagedPlace.places($0) }
    static let strength = Option(
        "strength", LiveOptions.strengthKind,
        help:
            "With --fuse, how many frames the past is worth at most. More take out more noise, and show slow changes later "
            + "(default: \(LiveOptions.usualStrength))")
}
