// SPDX-License-Identifier: MIT
// `livecap controls`: lists, sets and resets a camera's controls.

import Camera
import CommandTable
import LivecapJSONText

enum ControlsCommand {
    private static let reset = Flag(
        "reset", help: "Set every control to its default; with --set, before the settings are made")
    private static let json = Flag("json", help: "Print one JSON object per control")

    static let verb = Verb(
        command: Command(
            "controls", summary: "list and set a camera's controls: exposure, gain, white balance, focus, zoom ...",
            discussion: """
                Common names such as exposure, gain and white-balance mean the same on every camera. Setting one to a value \
                ends its automatic mode; auto returns to it, and default is the camera's default value. All other controls \
                have the names and numbers of V4L2.

                Another program may be using the camera meanwhile. Most cameras keep what is set until they are unplugged. \
                Commands that take pictures have --set, too, and set the camera again after it has been unplugged and \
                plugged back in.
                """,
            groups: [OptionGroup("Options", [SourceOptions.device, SourceOptions.set, reset, json])],
            examples: [
                Example("livecap controls", "all controls of the preferred camera"),
                Example("livecap controls --set exposure=10ms --set gain=20", "expose by hand"),
                Example("livecap controls --set exposure=auto", "and by itself again"),
                Example("livecap controls --reset", "all defaults"),
            ])
    ) { arguments, console throws(Failure) in
        let name = arguments[SourceOptions.device] ?? "auto"
        let camera = try attempt { () throws(CameraError) in try CameraDirectory().camera(named: name) }
        // Those of the configuration file are for commands that take pictures.
        let settings = arguments.isTyped(SourceOptions.set) ? arguments.all(SourceOptions.set) : []
        let all = try attempt { () throws(CameraError) in
            let node = try ControlNode(camera.path)
            // What cannot be set is found before anything is reset.
            try node.check(settings, afterReset: arguments[reset])
            let all = arguments[reset] ? try node.reset() : try node.controls()
            return settings.isEmpty ? all : try node.set(settings)
        }
        try report(all, of: camera, settings, &console)
        return 0
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
        for line in all.lines { try console.print("  \(line)") }
        if all.isEmpty { Console.note("livecap: the camera has no controls") }
    }
}
