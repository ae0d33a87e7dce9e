// SPDX-License-Identifier: MIT
// The options of effects: which ones, how strong, and where.

import LivecapCommandTable
import LivecapEffects
import LivecapLiveFusion
import LivecapStreams

enum EffectOptions {
    static let effects = Option(
        "effects",
        ValueKind(
            "LIST",
            expects:
                "none, or portrait, light, framing and brighten with commas between, each perhaps with a strength from "
                + "0 to 1, and background with a colour or the path of a picture, such as portrait=0.6,light or "
                + "background=#204060"
        ) { EffectSettings(list: $0) },
        help:
            "Draw effects into the frames of --effects-in: portrait blurs what is behind people, background=#RRGGBB or "
            + "background=FILE shows a colour or a picture there instead, light lights faces and dims the rest, "
            + "framing follows faces, brighten lifts dark pictures. For example portrait=0.6,light; none for none",
        details:
            "FILE is a JPEG or PNG file whose path has no comma; it fills the frame. No picture leaves the machine. "
            + "Pictures that are taken stay as they are")
    static let places = Option(
        "effects-in", PlaceOptions.placesKind,
        help:
            "Where effects are seen: to, share, movies, record, page, or several with commas (default: those of to, movies and "
            + "page that there are)")

    /// Those of the command line.
    static func settings(_ arguments: Arguments) -> EffectSettings { arguments[effects] ?? EffectSettings() }

    /// The places that get frames with effects, now or once they are switched on, of those that there are.
    static func places(_ arguments: Arguments, of there: Set<StagedPlace>) -> Set<StagedPlace> {
        if let named = arguments[places] { return named }
        return settings(arguments).areNone ? [] : there.subtracting([.share, .record])
    }

    /// Refuses effects that nobody would see, or that cannot be drawn here.
    static func check(_ arguments: Arguments, of there: Set<StagedPlace>) throws(Failure) {
        let settings = settings(arguments)
        guard !settings.areNone || arguments.contains(Self.places) else { return }
        guard !places(arguments, of: there).isEmpty else {
            throw .pictures(
                "--effects: there is no virtual camera, no page and no place for movies",
                hint: "add --to pipewire, --serve or --movies DIR, or name another place with --effects-in")
        }
        if let lack = StageHost.lack(of: settings) { throw .effects(lack) }
    }
}
