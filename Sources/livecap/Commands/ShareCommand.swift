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
            "How to make the pictures of --pipewire and --loopback upright: mirror them if requested, then turn them "
            + "clockwise by this angle (default: as 'livecap devices --mount' has kept it)")
    private static let zoom = Option(
        "zoom", Kinds.zoom,
        help:
            "Show an enlarged part of the frames with --pipewire and --loopback: the middle, or with FACTOR@X,Y the part "
            + "around a point; 0,0 is the top left corner of the frames, 1,1 the right bottom one")
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
                frames as the camera delivers them, and find there how it is mounted.
                """,
            groups: [
                SourceOptions.group,
                OptionGroup(
                    "Options",
                    [
                        SourceOptions.format, socket, everyone, pipeWire, loopback, mount, zoom, idleOff, duration,
                        json,
                        ConsoleOptions.quiet,
                    ]),
            ],
            // v4l2loopback does not say whether anybody reads.
            exclusive: [SourceOptions.exclusive, [loopback, idleOff]],
            needs: SourceOptions.needs + [
                Need(everyone, oneOf: [socket]), Need(zoom, oneOf: [pipeWire, loopback]),
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
        let capture = try Capture(
            arguments, scenePace: .realtime, replayPace: .realtime, isShared: true, hostPast: nil, interruption)
        let loop = capture.loop
        if let signal = interruption.signal { throw .interrupted(signal: signal, isBeforeFrames: true) }
        let server: SharingServer
        let attention = capture.attention
        do throws(ShutterError) {
            server = try SharingServer(path: arguments[socket], for: arguments[everyone] ? .everyone : .thisUser) { _ in
                attention.call()
            }
        } catch { throw .shutter(error) }
        let mount = chosenMount(arguments, loop)
        server.offer(loop.ring, loop.description, degrees: mount.angle.degrees, isMirrored: mount.isMirrored)
        defer { server.close() }
        let (cameras, host) = (try virtualCameras(arguments, loop), RingHost(loop.ring, loop.description))
        defer {
            loop.stop()
            host.close()
            for camera in cameras { camera.close() }
        }
        for camera in cameras {
            camera.onFailure { Console.note("note: \($0.message); \(Hints.hint($0))") }
            host.sinks.add(camera)
        }
        interruption.onSignal { loop.stop() }
        let places = ([server.path] + cameras.map(\.name)).joined(separator: ", ")
        Console.note("sharing \(loop.description.inWords) at \(places); \(Interruption.howToEnd) ends it")
        capture.reportGrant(asked: arguments)
        if console.writesJSON {
            try console.print(capture.beginning(at: server.path))
            try console.flush()
        }
        loop.start()
        watch(capture, server, cameras, for: arguments[duration], restingAfter: arguments[idleOff])
        loop.stop()
        return try conclude(capture, server, &console)
    }

    /// How the pictures become upright.
    private static func chosenMount(_ arguments: Arguments, _ loop: CaptureLoop) -> CameraMount {
        arguments[mount] ?? loop.rotation?.mount ?? .upright
    }

    /// The cameras for programs that know nothing of livecap.
    private static func virtualCameras(
        _ arguments: Arguments, _ loop: CaptureLoop
    ) throws(Failure) -> [VirtualCamera] {
        try attempt { () throws(VirtualCameraError) in
            var cameras: [VirtualCamera] = []
            let view = PictureView(
                mount: chosenMount(arguments, loop), crop: arguments[zoom].map { PictureCrop($0) })
            if arguments[pipeWire] {
                cameras.append(try VirtualCamera.pipeWire(loop.description, view: view))
            }
            if let path = arguments[loopback] {
                cameras.append(try VirtualCamera.loopback(loop.description, path: path, view: view))
            }
            return cameras
        }
    }

    /// Waits for the end of the stream or of the time, and shows progress.
    private static func watch(
        _ capture: Capture, _ server: SharingServer, _ cameras: [VirtualCamera], for duration: Duration?,
        restingAfter patience: Duration?
    ) {
        let (attention, loop) = (capture.attention, capture.loop)
        for camera in cameras { camera.onChange { attention.call() } }
        var rest = ShareRest(loop.power, after: patience, now: .now)
        capture.watch(until: duration.map { .now + $0 } ?? .distantFuture, for: { loop.hasEnded }) {
            "\(loop.ring.nextCounter) frames, \(counted(server.readerCount, "reader"))"
        } look: {
            let isRead = server.readerCount > 0 || capture.door?.isReading == true
            rest.look(isRead: isRead || cameras.contains { $0.isWatched }, at: .now)
            return rest.nextLook
        }
    }

    private static func conclude(
        _ capture: Capture, _ server: SharingServer, _ console: inout Console
    ) throws(Failure) -> Int32 {
        let (statistics, readers) = (capture.loop.ring.statistics, server.totalReaders)
        if console.writesJSON {
            try console.print(
                .object([
                    ("frames", JSON(statistics.published)), ("lost", JSON(statistics.lost)),
                    ("readers", JSON(readers)),
                ]))
        } else {
            try console.print("\(statistics.published) frames, \(counted(readers, "reader"))")
        }
        if let failure = capture.failure { throw .camera(failure) }
        return capture.interruption.exitStatus
    }
}

extension Capture {
    /// What is shared, as a JSON object.
    fileprivate func beginning(at socket: String) -> JSON {
        let format = loop.description.format
        return .object([
            ("socket", .string(socket)), ("source", .string(loop.description.name)),
            ("format", .string("\(format.pixelFormat)")), ("width", JSON(format.size.width)),
            ("height", JSON(format.size.height)), ("ring", ringObject),
        ])
    }
}
