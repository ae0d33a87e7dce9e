// SPDX-License-Identifier: MIT
// The options of effects: which ones, how strong, and where.

import LiveCapture
import LivecapCommandTable
import LivecapEffects
import LivecapLiveFusion
import LivecapStreams

enum EffectOptions {
    private static let kind = ValueKind(
        "LIST",
        expects:
            EffectChoice.lists
    ) { EffectSettings(typed: $0) }
    static let effects = Option(
        "effects",
        ValueKind("LIST", expects: "\(EffectChoice.lists); or last, or profile:NAME") { EffectChoice($0) },
        help:
            "Draw effects into the frames of --effects-in: portrait blurs what is behind people, background=#RRGGBB or "
            + "background=FILE shows a colour or a picture there instead, light lights faces and dims the rest, "
            + "framing follows faces, brighten lifts dark pictures, gestures of hands begin reactions. For example "
            + "portrait=0.6,light; none for none; last for those that were drawn last with this camera, profile:NAME for "
            + "those that 'livecap effects save' kept",
        details:
            "FILE is a JPEG or PNG file whose path has no comma; it fills the frame. No picture leaves the machine. "
            + "Pictures that are taken stay as they are without --effects-in photos, but those that the page or the "
            + "window takes while its frames hide what is behind people hide it, too")
    static let places = Option(
        "effects-in",
        ValueKind("PLACES", expects: "to, share, movies, record, page, view, photos, or several of them with commas") {
            EffectPlaces($0)
        },
        help:
            "Where effects are seen: to, share, movies, record, page, view, photos, or several with commas (default: those of "
            + "to, movies, page and view that there are)",
        details: "Each photo then also has its plain picture: NAME.plain.jpg beside NAME.jpg")

    /// The same option for commands that make single pictures.
    static let ofPictures = Option(
        "effects", kind,
        help:
            "Draw effects into the picture: portrait blurs what is behind people, background=#RRGGBB or background=FILE "
            + "shows a colour or a picture there instead, light lights faces and dims the rest. For example portrait=0.6,light; none for none",
        details:
            "The plain picture is kept beside it, NAME.plain.jpg beside NAME.jpg, and 'livecap develop' takes effects back or "
            + "draws others. No picture leaves the machine")

    /// Those of the command line, whose choice was looked up before.
    static func settings(_ arguments: Arguments) -> EffectSettings { arguments[effects]?.settings ?? EffectSettings() }

    /// Whether photos of a command with places get effects, now or once they are switched on.
    static func havePhotos(_ arguments: Arguments) -> Bool { arguments[places]?.hasPhotos == true }

    /// Those that are drawn into the photos of a command with places when it begins.
    static func ofPhotos(_ arguments: Arguments) -> EffectSettings? {
        havePhotos(arguments) ? arguments[effects]?.settings : nil
    }

    /// Who decides what is drawn into the photos of a session; nil if they get no effects.
    static func photoBoard(_ arguments: Arguments, _ session: CaptureSession) -> EffectBoard? {
        havePhotos(arguments) ? session.effects : nil
    }

    /// The places that get frames with effects, now or once they are switched on, of those that there are.
    static func places(_ arguments: Arguments, of there: Set<StagedPlace>) -> Set<StagedPlace> {
        if let named = arguments[places] { return named.stages }
        return arguments[effects]?.wantsPlaces == true ? there.subtracting([.share, .record]) : []
    }

    /// Refuses effects that nobody would see, or that cannot be drawn here.
    static func check(_ arguments: Arguments, of there: Set<StagedPlace>) throws(Failure) {
        let settings = settings(arguments)
        guard arguments[effects]?.wantsPlaces == true || arguments.contains(Self.places) else { return }
        guard !places(arguments, of: there).isEmpty || havePhotos(arguments) else {
            throw .pictures(
                "--effects: there is no virtual camera, no page, no window and no place for movies",
                hint: "add --to pipewire, --serve, --view or --movies DIR, or name another place with --effects-in")
        }
        try checkNets(settings)
    }

    /// Refuses effects whose nets are missing.
    static func checkNets(_ settings: EffectSettings) throws(Failure) {
        guard !settings.areNone else { return }
        if let lack = StageHost.lack(of: settings) { throw .effects(lack) }
    }

    /// Refuses photos with effects that could not have them, before a camera is opened.
    static func checkPhotos(_ arguments: Arguments, _ pictures: PictureOptions) throws(Failure) {
        if havePhotos(arguments), arguments[ShootOptions.live] {
            throw .pictures(
                "--effects-in photos: the movie in a --live picture would have no effects",
                hint: "leave out one of them")
        }
        guard let wanted = pictures.settings.effects, !wanted.areNone else { return }
        guard let drawn = pictures.settings.drawnEffects else {
            // Frames may be what they are meant for.
            if arguments[places]?.stages.isEmpty == false { return }
            let names = wanted.names
            throw .pictures(
                "--effects: \(names.joined(separator: " and ")) \(names.count > 1 ? "are" : "is") not for photos",
                hint: "choose portrait, light or background"
                    + (wanted.framing > 0 ? ", or --zoom for a part of the picture" : ""))
        }
        if arguments[ShootOptions.live] {
            throw .pictures(
                "--effects: the movie in a --live picture would have none", hint: "leave out one of them")
        }
        try checkNets(drawn)
    }
}

/// The places of `--effects-in`.
struct EffectPlaces: Hashable, Sendable {
    /// Those that get frames.
    let stages: Set<StagedPlace>
    /// Whether photos get effects, too.
    let hasPhotos: Bool

    /// The places of a list with commas; nil if one has no such name.
    init?(_ text: String) {
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
        let frames = names.filter { $0 != "photos" }
        hasPhotos = frames.count < names.count
        guard !frames.isEmpty else {
            stages = []
            return
        }
        guard let stages = StagedPlace.places(frames.joined(separator: ",")) else { return nil }
        self.stages = stages
    }
}
