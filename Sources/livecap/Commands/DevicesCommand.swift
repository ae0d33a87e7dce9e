// SPDX-License-Identifier: MIT
// `livecap devices`: lists or follows the cameras, and keeps which one is preferred.

import Camera
import LivecapCommandTable
import LivecapFiles
import LivecapIntents
import LivecapSharing
import LivecapSound

enum DevicesCommand {
    private static let json = Flag("json", help: "Print one JSON object per camera, or per change with --watch")
    private static let watch = Flag("watch", help: "List the cameras, and then each that comes, goes or changes")
    private static let kind = Option(
        "kind",
        ValueKind<String>.choice("KIND", of: CameraKind.allCases.map(\.rawValue)).map { CameraKind(rawValue: $0)! },
        repeatable: true, help: "Only cameras of this kind")
    private static let position = Option(
        "position",
        ValueKind<String>.choice("WHERE", of: positions.map(\.word)).map { word in
            positions.first { $0.word == word }!.position
        },
        repeatable: true, help: "Only cameras that are built in, external, or where the system does not say")
    private static let positions: [(word: String, position: CameraPosition)] = [
        ("built-in", .builtIn), ("external", .external), ("unknown", .unknown),
    ]
    private static let prefer = Option(
        "prefer", .text("DEVICE", expects: "a camera's id, name or node"),
        help: "Prefer this camera from now on: 'auto' means it while it is connected")
    private static let forget = Flag("forget", help: "Forget the cameras that --prefer has named")

    private static let microphones = Flag(
        "microphones", help: "List the microphones alone; with --json, one object per microphone")
    private static let mount = Option(
        "mount",
        ValueKind<MountWish>(
            "ID=MOUNT",
            expects: "CAMERA=MOUNT, where MOUNT is 0, 90, 180 or 270, mirror, or both, as in BRIO=180,mirror"
        ) { MountWish($0) },
        help:
            "Keep how this camera is mounted: its pictures are mirrored if requested, then turned clockwise by this angle; "
            + "0 removes the setting")

    static let verb = Verb(
        command: Command(
            "devices", summary: "list cameras, their formats and controls, and microphones",
            discussion: """
                The preferred camera, which is used when none is named, comes first: the one that --prefer named last, if it \
                is connected and can be used, or else a colour camera on USB.

                An id is made from the camera's serial number, or from its port if it has none of its own; another camera of \
                the same model at that port then has the same id. Ids are the same with and without udev.

                Pictures of a camera that --mount has named are upright by themselves, unless a command's own options turn or \
                mirror them. Cameras that are built in also follow the device's accelerometer, where there is one.

                Microphones follow the cameras: PipeWire's sources, its default first, and sound cards, the one that \
                was connected last first. One that sits in a camera is named with it, too.

                With --json, each camera is an object with id, path, name, kind, bus, driver, formats, controls and more. \
                With --watch, each object also has an event: present, added, removed or changed.
                """,
            groups: [OptionGroup("Options", [watch, kind, position, microphones, prefer, forget, mount, json])],
            exclusive: [
                [watch, prefer, forget, mount, microphones], [kind, prefer, forget, mount, microphones],
                [position, prefer, forget, mount, microphones],
            ],
            examples: [
                Example("livecap devices", "all cameras"),
                Example("livecap devices --json", "the same for programs"),
                Example("livecap devices --watch", "cameras as they come and go, until Ctrl-C"),
                Example("livecap devices --prefer BRIO", "use this one from now on when none is named"),
                Example("livecap devices --mount BRIO=180", "this one hangs upside down"),
            ])
    ) { arguments, console throws(Failure) in
        let (kinds, positions) = (Set(arguments.all(kind)), Set(arguments.all(position)))
        let wanted = CameraFilter(
            kinds: kinds.isEmpty ? nil : kinds, positions: positions.isEmpty ? nil : positions)
        if arguments[microphones] { return try MicrophoneReport.list(&console) }
        if let name = arguments[prefer] { return try choose(name, &console) }
        if let wish = arguments[mount] { return try keep(wish, &console) }
        if arguments[forget] { return try forgetChoices() }
        return arguments[watch] ? try CameraFollowing.run(wanted, &console) : try list(&console, wanted)
    }

    /// Lists the cameras. If there are none, that is no failure: programs get no object, and people get a note.
    static func list(_ console: inout Console, _ filter: CameraFilter = CameraFilter()) throws(Failure) -> Int32 {
        for notice in [CameraHistory.standard?.notice, CameraMounts.standard?.read().notice].compactMap(\.self) {
            Console.note("note: \(notice)")
        }
        let cameras = CameraDirectory().cameras().filter(filter.includes)
        let microphones = Microphones().all()
        for (index, camera) in cameras.enumerated() {
            if console.writesJSON {
                try console.print(camera.object)
            } else {
                if index > 0 { try console.print("") }
                for line in camera.lines(with: microphones) { try console.print(line) }
            }
        }
        if !console.writesJSON, filter.isEmpty, !microphones.isEmpty {
            if !cameras.isEmpty { try console.print("") }
            try console.print("microphones:")
            for microphone in microphones { try console.print("  \(microphone)") }
        }
        let (hosts, silent) = RunningHost.found
        if !console.writesJSON, filter.isEmpty, !(hosts.isEmpty && silent.isEmpty) {
            if !cameras.isEmpty || !microphones.isEmpty { try console.print("") }
            try console.print("frames that shoot, record, movie, live, share and export can use:")
            for host in hosts { try console.print("  livecap:\(host.pid)  \(host.source.inWords), of \(host.command)") }
            for pid in silent {
                try console.print("  livecap:\(pid)  does not answer, or has as many readers as it serves")
            }
        }
        if cameras.isEmpty, !filter.isEmpty || hosts.isEmpty && silent.isEmpty {
            let error = CameraError.noSuchDevice("auto", available: [])
            Console.note("livecap: \(error.message)\(filter.isEmpty ? "" : " that fits")")
            if filter.isEmpty {
                Console.note("  hint: \(Failure.noCamera(error).hint); \(Hints.withoutCamera)")
            }
        }
        return 0
    }

    private static func choose(_ name: String, _ console: inout Console) throws(Failure) -> Int32 {
        let camera = try onlyCamera(named: name)
        let history = try history()
        try creating { () throws(FileError) in try history.choose(camera) }
        if console.writesJSON {
            try console.print(camera.object)
        } else {
            try console.print("\(camera.name) is preferred from now on (\(camera.identity))")
        }
        if camera.isTiedToPort { Console.note("note: so is another camera of this model at the same port") }
        return 0
    }

    private static func keep(_ wish: MountWish, _ console: inout Console) throws(Failure) -> Int32 {
        let camera = try onlyCamera(named: wish.camera)
        guard let mounts = CameraMounts.standard else { throw noFolder }
        try creating { () throws(FileError) in
            try mounts.set(wish.mount, of: camera.identity, name: camera.name)
        }
        if console.writesJSON {
            try console.print(camera.object)
        } else {
            try console.print("pictures of \(camera.name) are \(wish.mount.inWords) (\(camera.identity))")
        }
        if camera.isTiedToPort { Console.note("note: so are those of another camera of this model at the same port") }
        return 0
    }

    private static func forgetChoices() throws(Failure) -> Int32 {
        let history = try history()
        try creating { () throws(FileError) in try history.forget() }
        return 0
    }

    private static func history() throws(Failure) -> CameraHistory {
        guard let history = CameraHistory.standard else { throw noFolder }
        return history
    }

    private static var noFolder: Failure {
        .camera(.badSettings("there is no folder to keep choices in", hint: "set XDG_STATE_HOME or HOME"))
    }
}

/// A camera, and how it is mounted, as typed.
private struct MountWish: Sendable {
    let camera: String
    let mount: CameraMount

    /// The last equals sign counts: a camera's name may have others.
    init?(_ text: String) {
        guard let place = text.lastIndex(of: "="), place > text.startIndex,
            let mount = CameraMount(text[text.index(after: place)...])
        else { return nil }
        camera = String(text[..<place])
        self.mount = mount
    }
}
