// SPDX-License-Identifier: MIT
// `livecap share`: lets other programs read the frames of a camera, each when it likes.

import Camera
import FrameRing
import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapIntents
import LivecapSharing
import LivecapStreams
import LivecapVirtualCamera
import Shutter

enum ShareCommand {
    private static let socket = Option(
        "socket", .file("PATH"),
        help:
            "The socket where other programs get access to the frames (default: livecap/share.sock in the runtime directory)"
    )
    private static let everyone = Flag(
        "everyone", help: "Let all users of this machine read the frames, not only you and root")
    private static let pipeWire = Flag(
        "pipewire", help: "Also be a camera among PipeWire's, which browsers, OBS and others list")
    private static let loopback = Option(
        "loopback", .file("DEVICE"),
        help:
            "Also show the frames at this output device of v4l2loopback, such as /dev/video10, for programs that only know "
            + "such devices")
    private static let duration = Option(
        "duration", short: "t", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help: "End after this time")
    static let idleOff = Option(
        "idle-off", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds),
        help:
            "Switch the camera off, light and all, when nobody has read its frames for this time, and on again for the next "
            + "reader (default: it stays on)")
    private static let mount = Option(
        "mount",
        ValueKind("MOUNT", expects: "0, 90, 180 or 270, mirror, or both, as in 180,mirror") { CameraMount($0) },
        help:
            "What --rotate and --hflip say, in the words of 'livecap devices --mount': mirror the pictures if requested, "
            + "then turn them clockwise by this angle")
    private static let json = Flag("json", help: "Print a JSON object at the start, and one at the end")

    static let verb = Verb(
        command: Command(
            "share", summary: "let other programs read the frames",
            discussion: """
                Up to 64 programs read the frames at the same time, where the camera's driver or livecap put them: \
                nothing is copied, and no reader can slow down the camera or another reader. Each sees the newest \
                moments that --ring keeps.

                A reader connects to the socket and gets a read-only descriptor of the memory. livecap-share.h, which is \
                installed with livecap, describes the memory and has a client in C; Examples/Sharing has clients in C, \
                Swift and Python.

                Only your own programs and root's may read, unless --everyone is given. They can read the frames and \
                nothing else. Files and scenes are shared at their own pace.

                With --pipewire and --loopback, programs that know nothing of livecap use the camera, too. They get YUYV \
                pictures of the frames' size, whatever the camera delivers. These are upright; readers of the memory get \
                frames as the camera delivers them, and find there how it is mounted. --rotate, --hflip, --vflip, --zoom and \
                --date change what is shown.
                """,
            groups: [
                SourceOptions.group,
                OptionGroup(
                    "Options",
                    [
                        SourceOptions.format, socket, everyone, pipeWire, loopback, idleOff, duration, json,
                        ConsoleOptions.quiet,
                    ], rare: [mount]),
                ViewOptions.group,
            ],
            // v4l2loopback does not say whether anybody reads.
            exclusive: [SourceOptions.exclusive, [loopback, idleOff]] + ViewOptions.exclusive(with: mount),
            needs: SourceOptions.needs + [
                Need(everyone, oneOf: [socket]), Need(ViewOptions.zoom, oneOf: [pipeWire, loopback]),
                Need(ViewOptions.date, oneOf: [pipeWire, loopback]),
                Need(ViewOptions.dateFormat, oneOf: [pipeWire, loopback]),
            ],
            examples: [
                Example("livecap share", "the preferred camera, until Ctrl-C"),
                Example("livecap share -d /dev/video2 --size 1280x720 --ring 3s", "three seconds of another one"),
                Example("livecap share --socket /run/porch.sock --everyone", "for all users"),
                Example("livecap share --pipewire", "a camera for browsers, OBS and others"),
                Example("livecap share --pipewire --idle-off 1min", "the same, off while none of them uses it"),
                Example("Examples/Sharing/reader.py", "a reader"),
            ])
    ) { arguments, console throws(Failure) in
        if arguments[SourceOptions.listDevices] { return try DevicesCommand.list(&console) }
        let interruption = try Interruption()
        let needs = HostNeeds(
            role: .either, scenePace: .realtime, replayPace: .realtime, canSwitchOff: arguments.contains(idleOff))
        let host = try Host(arguments, needs, interruption) { (_) throws(Failure) in
            var options = arguments.streamOptions(isShared: true)
            options.idleOff = arguments[idleOff]
            return options
        }
        defer { host.close() }
        if let signal = interruption.signal { throw .interrupted(signal: signal, isBeforeFrames: true) }
        let mount = chosenMount(arguments, host)
        let attention = host.attention
        let door = try attempt { () throws(ShutterError) in
            try HostDoor(
                at: arguments[socket], for: arguments[everyone] ? .everyone : .thisUser, mount: mount,
                whenReadersChange: { attention.call() })
        }
        defer { door.close() }
        let cameras = try virtualCameras(arguments, host.session.source, mount)
        defer { for camera in cameras { camera.close() } }
        _ = host.session.sinks.attach(door)
        for camera in cameras {
            camera.onFailure { Console.note("note: \($0.message); \(Hints.hint($0))") }
            camera.onChange { attention.call() }
            host.session.sinks.add(camera)
        }
        let places = ([door.path].compactMap { $0 } + cameras.map(\.name)).joined(separator: ", ")
        Console.note("sharing \(host.session.source.inWords) at \(places); \(Interruption.howToEnd) ends it")
        host.reportGrant()
        if console.writesJSON {
            try console.print(host.beginning(at: door.path))
            try console.flush()
        }
        host.session.begin()
        watch(host, door, for: arguments[duration])
        host.session.end()
        return try conclude(host, door, &console)
    }

    /// How the pictures become upright.
    private static func chosenMount(_ arguments: Arguments, _ host: Host) -> CameraMount {
        arguments[mount] ?? arguments.mount ?? host.session.rotation?.mount ?? .upright
    }

    /// The cameras for programs that know nothing of livecap.
    private static func virtualCameras(
        _ arguments: Arguments, _ source: SourceDescription, _ mount: CameraMount
    ) throws(Failure) -> [VirtualCamera] {
        try attempt { () throws(VirtualCameraError) in
            var cameras: [VirtualCamera] = []
            var view = arguments.view(nil)
            view.mount = mount
            if arguments[pipeWire] {
                cameras.append(try VirtualCamera.pipeWire(source, view: view))
            }
            if let path = arguments[loopback] {
                cameras.append(try VirtualCamera.loopback(source, path: path, view: view))
            }
            return cameras
        }
    }

    /// Waits for the end of the stream or of the time, and shows progress.
    private static func watch(_ host: Host, _ door: HostDoor, for duration: Duration?) {
        let loop = host.loop
        host.watch(until: duration.map { .now + $0 } ?? .distantFuture, for: { loop.hasEnded }) {
            "\(loop.ring.nextCounter) frames, \(counted(door.readerCount, "reader"))"
        }
    }

    private static func conclude(
        _ host: Host, _ door: HostDoor, _ console: inout Console
    ) throws(Failure) -> Int32 {
        let (statistics, readers) = (host.session.statistics, door.totalReaders)
        if console.writesJSON {
            try console.print(
                .object([
                    ("frames", JSON(statistics.published)), ("lost", JSON(statistics.lost)),
                    ("readers", JSON(readers)),
                ]))
        } else {
            try console.print("\(counted(statistics.published, "frame")), \(counted(readers, "reader"))")
        }
        if let failure = host.session.failure { throw .camera(failure) }
        return host.interruption.exitStatus
    }
}

extension Host {
    /// What is shared, as a JSON object.
    fileprivate func beginning(at socket: String?) -> JSON {
        let (source, format) = (session.source, session.source.format)
        return .object([
            ("socket", socket.map { .string($0) } ?? .null), ("source", .string(source.name)),
            ("format", .string("\(format.pixelFormat)")), ("width", JSON(format.size.width)),
            ("height", JSON(format.size.height)), ("ring", ringObject),
        ])
    }
}
