// SPDX-License-Identifier: MIT
// `livecap controls`: lists, sets and resets a camera's controls.

import Camera
import LivecapCommandTable
import LivecapFiles
import LivecapIntents

enum ControlsCommand {
    private static let reset = Flag(
        "reset", help: "Set every control to its default; with --set, before the settings are made")
    private static let save = Option(
        "save", Kinds.profile,
        help:
            "Keep how the camera is set now, after --set, under this name; default is used whenever the camera is opened "
            + "without --profile")
    private static let forget = Option("forget", Kinds.profile, help: "Forget what was kept under this name")
    private static let applyAtPlug = Flag(
        "apply-at-plug",
        help:
            "Go on until Ctrl-C, and set each camera as --save kept it under default, or the name of --profile, as soon as "
            + "it is plugged in: for all programs")
    private static let json = Flag("json", help: "Print one JSON object per control")

    static let verb = Verb(
        command: Command(
            "controls", summary: "list and set a camera's exposure, gain, focus and more",
            discussion: """
                Common names such as exposure, gain and white-balance mean the same on every camera. Setting one to a value \
                ends its automatic mode; auto returns to it, and default is the camera's default value. All other controls \
                have the names and numbers of V4L2.

                Another program may be using the camera meanwhile. Most cameras keep what is set until they are unplugged. \
                Commands that take pictures have --set, too, and set the camera again after it has been unplugged and \
                plugged back in. What --save keeps belongs to the camera, in whatever port.

                With --apply-at-plug, it goes on, and other programs find each camera set as it was kept. The service \
                livecap-controls does that from login on: 'systemctl --user enable --now livecap-controls'.
                """,
            groups: [
                OptionGroup(
                    "Options",
                    [
                        SourceOptions.device, SourceOptions.set, reset, save, forget, applyAtPlug,
                        SourceOptions.profile,
                        json,
                    ])
            ],
            exclusive: [
                [forget, SourceOptions.set], [forget, reset], [forget, save],
                [SourceOptions.device, applyAtPlug], [applyAtPlug, SourceOptions.set], [applyAtPlug, reset],
                [applyAtPlug, save], [applyAtPlug, forget],
            ],
            needs: [Need(SourceOptions.profile, oneOf: [applyAtPlug])],
            examples: [
                Example("livecap controls", "all controls of the preferred camera"),
                Example("livecap controls --set exposure=10ms --set gain=20", "expose by hand"),
                Example("livecap controls --set exposure=auto", "and by itself again"),
                Example("livecap controls --reset", "all defaults"),
                Example("livecap controls --set gain=200 --save night", "and 'livecap run --profile night' later"),
                Example("livecap controls --apply-at-plug", "cameras as they were kept, for all programs"),
            ])
    ) { arguments, console throws(Failure) in
        if arguments[applyAtPlug] {
            return try ControlKeeping.run(
                arguments[SourceOptions.profile] ?? ControlProfiles.usual, try profiles(), &console)
        }
        let camera = try onlyCamera(named: arguments.cameraName())
        if let name = arguments[forget] { return try forget(name, of: camera) }
        // Those of the configuration file are for commands that take pictures.
        let settings = arguments.isTyped(SourceOptions.set) ? arguments.all(SourceOptions.set) : []
        let all = try attempt { () throws(CameraError) in
            let node = try ControlNode(camera.path)
            // What cannot be set is found before anything is reset.
            try node.check(settings, afterReset: arguments[reset])
            let all = arguments[reset] ? try node.reset() : try node.controls()
            return settings.isEmpty ? all : try node.set(settings)
        }
        if let name = arguments[save] {
            let profiles = try profiles()
            try creating { () throws(FileError) in try profiles.save(name, of: camera.identity, all) }
            Console.note("kept as '\(name)' for \(camera.name) (\(camera.identity))")
        }
        try report(all, of: camera, settings, &console)
        return 0
    }

    private static func forget(_ name: String, of camera: CameraRecord) throws(Failure) -> Int32 {
        let profiles = try profiles()
        guard try creating({ () throws(FileError) in try profiles.forget(name, of: camera.identity) }) else {
            throw .camera(.control(.noProfile(name, available: profiles.read().names(of: camera.identity))))
        }
        return 0
    }

    private static func profiles() throws(Failure) -> ControlProfiles {
        guard let profiles = ControlProfiles.standard else {
            throw .camera(.badSettings("there is no folder to keep profiles in", hint: "set XDG_STATE_HOME or HOME"))
        }
        return profiles
    }

    /// Prints all controls or, for people who have set some, only those.
    private static func report(
        _ all: [CameraControl], of camera: CameraRecord, _ settings: [ControlSetting], _ console: inout Console
    ) throws(Failure) {
        if console.writesJSON {
            for control in all { try console.print(control.object(among: all)) }
            return
        }
        if !settings.isEmpty {
            for setting in settings {
                let value = (try? all.value(of: setting.name)).map(\.description) ?? "done"
                try console.print("\(setting.name): \(value)")
            }
            return
        }
        try console.print("\(camera)")
        let profiles = ControlProfiles.standard?.read()
        if let notice = profiles?.notice { Console.note("note: \(notice)") }
        if let names = profiles?.names(of: camera.identity), !names.isEmpty {
            try console.print("  profiles: \(names.joined(separator: ", "))")
        }
        for line in all.lines { try console.print("  \(line)") }
        if all.isEmpty { Console.note("livecap: the camera has no controls") }
    }
}
