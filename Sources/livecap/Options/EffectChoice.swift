// SPDX-License-Identifier: MIT
// What `--effects` may say: a list, or the name of one that was kept for the camera.

import Camera
import LivecapCommandTable
import LivecapEffects

/// The effects that a command line asks for.
enum EffectChoice: Hashable, Sendable {
    /// These.
    case list(EffectSettings)
    /// Those that were drawn last with the camera.
    case last
    /// Those that were kept for the camera under a name.
    case profile(String)
    /// These, which were looked up. They may be none now, and others later.
    case kept(EffectSettings)

    /// What a list is, in words.
    static let lists =
        "none, or portrait, light, framing and brighten with commas between, each perhaps with a strength from 0 to 1, "
        + "gestures, and background with a colour or the path of a picture, such as portrait=0.6,light or "
        + "background=#204060"
    private static let profilePrefix = "profile:"

    /// Nil if the text is nothing of this.
    init?(_ text: String) {
        if text == KeptEffects.lastName {
            self = .last
        } else if text.hasPrefix(Self.profilePrefix) {
            let name = String(text.dropFirst(Self.profilePrefix.count))
            guard KeptEffects.isName(name) else { return nil }
            self = .profile(name)
        } else {
            guard let settings = EffectSettings(typed: text) else { return nil }
            self = .list(settings)
        }
    }

    /// The effects; none before they are looked up.
    var settings: EffectSettings {
        switch self {
        case .list(let settings), .kept(let settings): settings
        case .last, .profile: EffectSettings()
        }
    }

    /// Whether places get frames with effects, now or later.
    var wantsPlaces: Bool { if case .list(let settings) = self { !settings.areNone } else { true } }
}

extension EffectOptions {
    /// The arguments with the effects that were kept for the camera in place of their name.
    static func lookingUpKept(_ arguments: Arguments) throws(Failure) -> Arguments {
        guard let choice = arguments[effects] else { return arguments }
        switch choice {
        case .list, .kept: return arguments
        case .last, .profile:
            let content = KeptEffects.standard?.read() ?? KeptEffects.Content()
            if let notice = content.notice { Console.note("note: \(notice)") }
            let kept = try kept(choice, for: try arguments.cameraOfKeptEffects(), in: content)
            return arguments.replacing(effects, with: .kept(kept))
        }
    }

    /// What was kept for a camera. That nothing was drawn yet is no fault: `effects = last` may be in the configuration
    /// file.
    static func kept(
        _ choice: EffectChoice, for camera: String?, in content: KeptEffects.Content
    ) throws(Failure) -> EffectSettings {
        switch choice {
        case .list(let settings), .kept(let settings): return settings
        case .last:
            guard let list = camera.flatMap({ content.list(KeptEffects.lastName, of: $0) }) else {
                Console.note("note: no effects are kept as the last ones of this source: none are drawn")
                return EffectSettings()
            }
            return try settings(list, keptAs: KeptEffects.lastName)
        case .profile(let name):
            guard let camera else {
                throw .pictures("--effects profile:\(name): effects are kept for cameras", hint: "write them as a list")
            }
            guard let list = content.list(name, of: camera) else {
                throw .noEffects(name, of: camera, available: content.names(of: camera))
            }
            return try settings(list, keptAs: name)
        }
    }

    /// The effects of a list that was kept.
    static func settings(_ list: String, keptAs name: String) throws(Failure) -> EffectSettings {
        guard let settings = EffectSettings(list: list) else {
            throw .pictures(
                "what is kept as '\(name)' is no list of effects here: '\(list)'",
                hint: "another version of livecap may have kept it: 'livecap effects remove \(name)' forgets it")
        }
        return settings
    }
}

extension Arguments {
    /// The id of the source that effects are kept for; nil for files, of which there are too many.
    fileprivate func cameraOfKeptEffects() throws(Failure) -> String? {
        if contains(SourceOptions.replay) { return nil }
        if let text = self[SourceOptions.synthetic] {
            return "synthetic:\(try attempt { () throws(CameraError) in try SyntheticSettings(text) })"
        }
        return try onlyCamera(named: try cameraName()).identity
    }
}

extension Failure {
    /// No effects are kept under a name.
    static func noEffects(_ name: String, of camera: String, available: [String]) -> Failure {
        .pictures(
            "no effects are kept as '\(name)' for \(camera)",
            hint: available.isEmpty
                ? "'livecap effects save \(name)' keeps what is drawn"
                : "kept are: \(available.joined(separator: ", "))")
    }
}
