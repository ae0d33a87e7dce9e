// SPDX-License-Identifier: MIT
// `livecap run`: stays armed, and takes a picture at every tap.

import Camera
import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapIntents
import LivecapPhotoStorage
import LivecapServing
import Shutter

enum RunCommand {
    static let verb = Verb(
        command: Command(
            "run", summary: "stay armed, and take a picture at every tap",
            discussion: """
                The camera runs, and its last moments are kept in memory. A tap is Enter or space in the terminal, or a line \
                on standard input; SIGUSR1, of which two in quick succession may count once, or SIGRTMIN, which is queued \
                and may carry the tap's age in milliseconds; a line of JSON to the socket; or a key of an input device. A \
                tap never waits for the previous picture, and each picture shows the moment of its own tap. A key held \
                down takes one picture after the other.

                On the socket, {"tap":{}}, {"tap":{"agoMs":250}}, {"tap":{"frame":"0:123"}} and {"tap":{"at":"123"}} take \
                pictures. A tap may also have "quality", "frames", "after", "reference", "format", "zoom" and "tag", and a \
                line an "id" of your own, which comes back with each reply: 'livecap schema' says what each means. Other \
                formats than the run's own need --library and --serve. {"press":true} \
                and {"release":true} press and release a button; {"readiness":true} asks whether a tap would be served at once; \
                {"control":{"key":"brightness","value":12}} sets a control, and {"camera":{"id":"..."}} goes on with another \
                camera or format; replies are "control" and "camera". {"effects":{"set":"portrait=0.6,light"}} draws these \
                effects, {"effects":{}} asks which are drawn, and {"reaction":{"perform":"hearts"}} draws a reaction; replies \
                are "effects" and "reaction". {"facts":{"follow":["faces","hands"]}} asks who is seen; the replies are \
                "following" and then, for each frame that is looked at, "facts", of which a slow reader gets the newest, \
                until {"facts":{"follow":[]}} or the end of the connection. \
                Replies are lines of JSON: "begun", "captured", then "photo", "proxy" or "failed" (with "code" and "hint"), and after a proxy "final" once it \
                is made; "frames-not-kept" precedes "photo" if the library has no room for more than the picture. \
                A program may schedule \(ScheduledTaps<Int>.maxPerClient) pictures of future moments; those still \
                outstanding when it disconnects are cancelled.

                With --movies, m in the terminal starts a movie and ends it, as {"movie":{"do":"start"}}, "stop" \
                and "toggle" do on the socket; replies are "movie-begun" and "movie". p pauses it, and c \
                marks a chapter. On the socket, "pause", "resume" and "mark" do the same; a mark may have a "name". \
                It goes on when the camera is unplugged: the last picture stays, marked, until the camera is back. With \
                --on-unplug next, the next camera is fitted in. Filming does not affect pictures. A \
                full disk ends the movie, and pictures go on.

                With --trigger, pictures are also taken by themselves: at motion, at a sound, or at regular times. They show what \
                was noticed, not what is to be seen a moment later. With --on-trigger movie and --movies, a movie begins before \
                it and ends once there is quiet. Each cause is reported with its reason, with --json as an object with "event" \
                "trigger", and its end as "quiet"; such a picture's object has "trigger", too.

                With several cameras (-d, or --synthetic, given again), each picture is taken by all of them, of one and \
                the same instant, which the history of each camera has: nothing has to be fired at the same time. Their \
                files have "-camera2" and so on in their names, in a library they are one group ('livecap library list \
                --group ID'), and each tap is reported with how far apart the moments are. The page, movies and what else \
                shows the camera are of the first one.

                With --library, pictures that take long start as a proxy. Their finals, and those of earlier runs, are made \
                once no tap has come for three seconds; 'livecap library finish' makes those left at the end. Then source \
                frames that are kept only to develop pictures again are removed, as by 'livecap library clean'.

                q, Ctrl-D or Ctrl-C, the end of the source, or the end of a pipe ends it; pictures that have their frames are \
                finished first.
                """,
            groups: RunOptions.groups,
            exclusive: ShootOptions.exclusive + [
                SourceOptions.exclusive, [RunOptions.socket, RunOptions.noSocket],
                [ShootOptions.output, LibraryPlace.intoOption], [ShootOptions.pair, LibraryPlace.intoOption],
                [RunOptions.idleOff, RunOptions.latest], [RunOptions.idleOff, RunOptions.record],
                [ServeOptions.tokenFile, ServeOptions.open],
                [ShootOptions.live, RunOptions.idleOff], MovieOptions.qualities,
            ],
            needs: SourceOptions.needs + RunOptions.needs,
            examples: [
                Example("livecap run -o pictures/", "Enter or space takes a picture"),
                Example("livecap run -o pictures/ --movies movies/ --pre 3s", "m starts a movie, from 3 s before"),
                Example("livecap run --shutter /dev/input/event5 --quality quality -o best/", "a remote shutter"),
                Example("livecap run -d 0 -d 2 -o both/", "two cameras, one instant"),
                Example("livecap run -o garden/ --trigger motion:0.7", "whatever moves"),
                Example(
                    "echo '{\"tap\":\"-250ms\"}' | socat - UNIX:$XDG_RUNTIME_DIR/livecap/shutter.sock",
                    "from another program"),
            ])
    ) { arguments, console throws(Failure) in try arm(arguments, &console) }

    /// Takes pictures until the end. With `isView`, for the window alone, of frames that another livecap may have.
    static func arm(_ all: Arguments, _ console: inout Console, isView: Bool = false) throws(Failure) -> Int32 {
        let arguments = RunCompanions.first(all)
        if arguments[SourceOptions.listDevices] { return try DevicesCommand.list(&console) }
        let pictures = try PictureOptions(arguments, effects: EffectOptions.ofPhotos(arguments))
        let hasWindow = isView || arguments[RunOptions.view]
        try check(arguments, pictures, hasWindow: hasWindow)
        try RunCompanions.check(all, pictures)
        // Several pictures with one name get numbers.
        let files =
            arguments.contains(LibraryPlace.intoOption)
            ? nil : try pictures.files(count: arguments[RunOptions.count] ?? 2, &console)
        let latest = try LatestFrame(arguments, pictures)
        let manager = ServiceManager()
        RunShutters.blockSignals()
        let interruption = try Interruption()
        let access = arguments[RunOptions.serve] ? try ServeAccess(arguments) : nil
        let isNamed = (arguments[SourceOptions.device] ?? "auto") != "auto"
        let needs = HostNeeds(
            role: isView ? .either : .host, scenePace: .realtime, replayPace: .realtime,
            unplugPolicy: isNamed || RunCompanions.count(all) > 1 ? .wait() : .next(),
            busyPolicy: .wait(limit: nil),
            canChangeSource: access != nil && !arguments.contains(SourceOptions.replay)
                && RunCompanions.count(all) == 1,
            canSwitchOff: arguments.contains(RunOptions.idleOff), stopsBySignal: false)
        let host = try Host(arguments, needs, interruption) { (_) throws(Failure) in
            var options = try arguments.sessionOptions(pictures)
            if access != nil { ServedPage.adjust(&options, arguments) }
            if hasWindow { RunWindow.adjust(&options, arguments) }
            RunCompanions.share(&options, among: RunCompanions.count(all))
            return options
        }
        defer { host.close() }
        let companions = try RunCompanions(all, besides: host, pictures, keepsFiles: files != nil)
        defer { companions?.close() }
        let inbox = RunInbox()
        let shutters = try RunShutters(arguments, inbox, isOfWindow: isView)
        defer { shutters.close() }
        interruption.onEnd(shutters.restoreTerminal)
        host.reportGrant()
        let armed = ArmedHost(
            host: host, inbox: inbox, shutters: shutters, arguments: arguments, pictures: pictures, files: files,
            latest: latest, access: access, manager: manager,
            window: isView ? .alone : hasWindow ? .beside : nil, companions: companions)
        return try armed.untilTheEnd(&console)
    }

    /// Refuses what does not go together, before anything is opened.
    private static func check(
        _ arguments: Arguments, _ pictures: PictureOptions, hasWindow: Bool
    ) throws(Failure) {
        try LivePhotos.check(arguments, pictures)
        try RunMovies.check(arguments)
        try RunRecording.check(arguments)
        try SessionPlaces.check(arguments)
        try LiveSound.check(arguments)
        try StagedFrames.check(arguments, hasPage: arguments[RunOptions.serve], hasWindow: hasWindow)
        try RunWindow.check(isWanted: hasWindow)
        try RunFacts.check(arguments)
        try TriggerOptions.check(arguments)
        try EffectOptions.checkPhotos(arguments, pictures)
        try arguments.checkSource()
    }
}
