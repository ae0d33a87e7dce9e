// SPDX-License-Identifier: MIT
// `livecap effects`: which effects and reactions there are, what a run draws, and what is kept for cameras.

import Camera
import LivecapCommandTable
import LivecapEffects
import LivecapFiles
import LivecapFrames
import LivecapIntents
import Shutter

enum EffectsCommand {
    static let verb = Verb(
        "effects", summary: "list effects, and switch those of a run",
        discussion: """
            Effects are drawn by 'livecap run' and 'livecap serve', in virtual cameras, on the page and in movies. This \
            command lists them, and changes those of a 'livecap run' that was started with --effects or --effects-in, over \
            its socket. A run has them from its next picture on.

            Effects can be kept under a name for each camera. Nothing is drawn by itself: '--effects profile:NAME' of 'run' \
            and 'serve' draws what was kept, and '--effects last' what was drawn last with the camera.
            """,
        actions: [show, set, react, save, use, profiles, remove], usual: "show",
        examples: [
            Example("livecap effects", "all effects and reactions, and what is drawn now"),
            Example("livecap effects set portrait=0.6,light", "draw these from now on; none for none"),
            Example("livecap effects react hearts", "hearts, for a few seconds"),
            Example("livecap effects save office", "keep what is drawn, for this camera"),
            Example("livecap run --to pipewire --effects profile:office", "and draw it another day"),
        ])

    private static let socket = Option(
        "socket", .file("PATH"),
        help: "The --socket of the run (default: livecap/shutter.sock in the runtime directory)")
    private static let json = Flag("json", help: "Print JSON objects")
    private static let options = [OptionGroup("Options", [socket, json])]
    private static let keepingOptions = [OptionGroup("Options", [SourceOptions.device, socket, json])]

    private static let listKind = ValueKind("LIST", expects: EffectChoice.lists) { EffectSettings(typed: $0) }
    private static let list = Positional(listKind, help: "The effects, as --effects of 'livecap run' takes them")
    private static let listToKeep = Positional(
        listKind, required: false, help: "The effects (default: those that the run draws)")
    private static let reaction = Positional(
        ValueKind<String>.choice("NAME", of: Reaction.allCases.map(\.rawValue)).map { Reaction(rawValue: $0)! },
        help: "The reaction")
    private static let name = Positional(Kinds.profile, help: "Under which name they are kept")
    private static let ownName = Positional(
        ValueKind("NAME", expects: "a name of letters, digits and -_.: such as office, other than last") {
            KeptEffects.isName($0) && $0 != KeptEffects.lastName ? $0 : nil
        }, help: "Under which name to keep them")

    private static let show = Verb(
        command: Command(
            "effects show", summary: "list effects and reactions, and what is drawn", groups: options,
            examples: [Example("livecap effects show --json", "the same, for programs")])
    ) { arguments, console throws(Failure) in
        try EffectsReport(drawn: drawn(arguments)).print(to: &console)
        return 0
    }

    private static let set = Verb(
        command: Command(
            "effects set", summary: "draw these effects from now on", positionals: [list], groups: options,
            examples: [
                Example("livecap effects set background=#204060", "a colour behind people"),
                Example("livecap effects set none", "no effects"),
            ])
    ) { arguments, console throws(Failure) in
        try report(try run(arguments).effects(arguments.required(list).list), &console)
        return 0
    }

    private static let react = Verb(
        command: Command(
            "effects react", summary: "draw a reaction", positionals: [reaction], groups: options,
            examples: [Example("livecap effects react thumbs-up", "a thumb, for a few seconds")])
    ) { arguments, console throws(Failure) in
        let answer = try run(arguments).perform(arguments.required(reaction))
        if console.writesJSON {
            let members = ["perform", "durationMs"].compactMap { name in answer[name].map { (name, $0) } }
            try console.print(.object(members))
        }
        return 0
    }

    private static let save = Verb(
        command: Command(
            "effects save", summary: "keep effects for a camera under a name", positionals: [ownName, listToKeep],
            groups: keepingOptions,
            examples: [
                Example("livecap effects save office", "what the run draws, for its camera"),
                Example("livecap effects save evening light=0.8 -d BRIO", "a list, for another camera"),
            ])
    ) { arguments, console throws(Failure) in
        let name = arguments.required(ownName)
        let settings: EffectSettings
        if let list = arguments[listToKeep] {
            settings = list
        } else {
            settings = try EffectOptions.settings(try run(arguments).effects().list, keptAs: name)
        }
        guard KeptEffects.isKeepable(settings.list) else {
            throw .pictures(
                "effects cannot be kept with a path that has control characters", hint: "rename the background's file")
        }
        let camera = try camera(arguments), file = try file()
        try creating { () throws(FileError) in try file.save(settings, as: name, of: camera) }
        try report(KeptEffects.Entry(camera: KeptEffects.key(camera), name: name, list: settings.list), &console)
        return 0
    }

    private static let use = Verb(
        command: Command(
            "effects use", summary: "draw effects that were kept for the run's camera", positionals: [name],
            groups: options, examples: [Example("livecap effects use office", "as they were kept")])
    ) { arguments, console throws(Failure) in
        let run = try run(arguments), camera = try run.effects().camera
        let name = arguments.required(name), content = try content()
        guard let list = content.list(name, of: camera) else {
            throw .noEffects(name, of: camera, available: content.names(of: camera))
        }
        try report(try run.effects(try EffectOptions.settings(list, keptAs: name).list), &console)
        return 0
    }

    private static let profiles = Verb(
        command: Command(
            "effects profiles", summary: "list the effects that are kept", groups: keepingOptions,
            examples: [Example("livecap effects profiles -d auto", "those of one camera (default: of all)")])
    ) { arguments, console throws(Failure) in
        var entries = try content().entries
        if arguments.isTyped(SourceOptions.device) {
            let key = KeptEffects.key(try camera(arguments))
            entries.removeAll { $0.camera != key }
        }
        for entry in entries { try report(entry, &console) }
        if entries.isEmpty { Console.note("livecap: no effects are kept; 'livecap effects save NAME' keeps some") }
        return 0
    }

    private static let remove = Verb(
        command: Command(
            "effects remove", summary: "forget effects that are kept", positionals: [name], groups: keepingOptions,
            examples: [
                Example("livecap effects remove office", "those of the run's camera, or else of the preferred one")
            ])
    ) { arguments, _ throws(Failure) in
        let name = arguments.required(name), camera = try camera(arguments), file = try file()
        guard try creating({ () throws(FileError) in try file.remove(name, of: camera) }) else {
            throw .noEffects(name, of: camera, available: try content().names(of: camera))
        }
        return 0
    }
}

extension EffectsCommand {
    /// The run that the command line names, or the one at the usual place.
    private static func run(_ arguments: Arguments) throws(Failure) -> RunningRun {
        try RunningRun(at: arguments[socket])
    }

    /// What the run draws; nil if there is no run where it usually is, or it draws nothing.
    private static func drawn(_ arguments: Arguments) throws(Failure) -> DrawnEffects? {
        do throws(Failure) { return try run(arguments).effects() } catch {
            switch error {
            case .shutter(.nobodyListens) where !arguments.isTyped(socket): Console.note("livecap: \(error.message)")
            case .refused: Console.note("livecap: \(error.message); \(error.hint)")
            default: throw error
            }
            return nil
        }
    }

    /// The camera that effects are kept for: the one that the command line names, or else that of the run, or else the
    /// preferred one.
    private static func camera(_ arguments: Arguments) throws(Failure) -> String {
        if !arguments.isTyped(SourceOptions.device) {
            do throws(Failure) { return try run(arguments).effects().camera } catch {
                switch error {
                case .shutter(.nobodyListens) where !arguments.isTyped(socket): break
                case .refused: break
                default: throw error
                }
            }
        }
        return try onlyCamera(named: try arguments.cameraName()).identity
    }

    private static func file() throws(Failure) -> KeptEffects {
        guard let file = KeptEffects.standard else {
            throw .pictures("there is no folder to keep effects in", hint: "set XDG_STATE_HOME or HOME")
        }
        return file
    }

    /// What is kept. What is wrong with the file is noted.
    private static func content() throws(Failure) -> KeptEffects.Content {
        let content = try file().read()
        if let notice = content.notice { Console.note("note: \(notice)") }
        return content
    }

    private static func report(_ drawn: DrawnEffects, _ console: inout Console) throws(Failure) {
        if console.writesJSON { try console.print(drawn.json) } else { try console.print(drawn.list) }
    }

    private static func report(_ entry: KeptEffects.Entry, _ console: inout Console) throws(Failure) {
        if console.writesJSON {
            try console.print(
                .object([
                    ("camera", .string(entry.camera)), ("name", .string(entry.name)), ("set", .string(entry.list)),
                ]))
        } else {
            try console.print("\(entry.camera)  \(entry.name)  \(entry.list)")
        }
    }
}
