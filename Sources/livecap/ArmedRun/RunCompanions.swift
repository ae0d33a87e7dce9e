// SPDX-License-Identifier: MIT
// The other cameras of an armed run, which take each picture, too, of the same instant.

import Camera
import FrameRing
import LiveCapture
import LivecapCommandTable
import LivecapFrames

/// The cameras that are named besides the first one. Each has a session of its own.
final class RunCompanions {
    /// All cameras, the run's own first.
    let group: CaptureGroup
    /// Where the pictures of each go, in the order of the streams; nil for those of a library.
    private let files: [PhotoFiles?]
    private let tasks: TaskThread
    /// The groups whose pictures are not reported yet.
    private var open = 0
    var isIdle: Bool { open == 0 }

    /// Opens the other cameras, or scenes; nil if there are none.
    init?(
        _ arguments: Arguments, besides host: Host, _ pictures: PictureOptions, keepsFiles: Bool
    ) throws(Failure) {
        let others = Self.sources(arguments)
        guard !others.isEmpty else { return nil }
        var options = try arguments.sessionOptions(pictures, besides: host.session)
        Self.share(&options, among: others.count + 1)
        var sessions = [host.session]
        var files: [PhotoFiles?] = [nil]
        for (number, other) in others.enumerated() {
            let source = try other.captureSource(scenePace: .realtime, replayPace: .realtime)
            sessions.append(try Self.open(source, other, options, unless: host.interruption))
            files.append(
                keepsFiles ? try Self.files(of: number + 2, pictures, count: arguments[RunOptions.count]) : nil)
        }
        let known = CameraOffsets.standard?.read()
        if let notice = known?.notice { Console.note("note: \(notice)") }
        let first = host.session.source.identity
        do throws(CaptureGroupError) {
            group = try CaptureGroup(sessions) { session in
                known?.offset(of: session.source.identity, from: first).map { ClockOffset($0.value, bound: $0.bound) }
                    ?? .none
            }
        } catch { throw .usage(UsageError(error.message, hint: error.hint)) }
        self.files = files
        tasks = host.tasks
    }

    /// The arguments for each source but the first.
    private static func sources(_ arguments: Arguments) -> [Arguments] {
        arguments.all(SourceOptions.devices).dropFirst().map { arguments.replacing(SourceOptions.device, with: $0) }
            + arguments.all(SourceOptions.scenes).dropFirst().map {
                arguments.replacing(SourceOptions.synthetic, with: $0)
            }
    }

    /// The arguments for the first source alone.
    static func first(_ arguments: Arguments) -> Arguments {
        var first = arguments
        if let device = arguments.all(SourceOptions.devices).first {
            first = first.replacing(SourceOptions.device, with: device)
        }
        if let scene = arguments.all(SourceOptions.scenes).first {
            first = first.replacing(SourceOptions.synthetic, with: scene)
        }
        return first
    }

    /// How many sources are named, at least one.
    static func count(_ arguments: Arguments) -> Int { sources(arguments).count + 1 }

    /// Divides the memory among the cameras.
    static func share(_ options: inout SessionOptions, among count: Int) {
        options.memory = options.memory.map { $0 / count }
        options.memoryShare = count
    }

    /// Refuses what several cameras cannot do, before anything is opened.
    static func check(_ arguments: Arguments, _ pictures: PictureOptions) throws(Failure) {
        guard count(arguments) > 1 else { return }
        try arguments.refuse(
            [ShootOptions.live], as: "a live photo is of one camera; several take their pictures without movies")
        let devices = arguments.all(SourceOptions.devices)
        if let twice = devices.first(where: { name in devices.count { $0 == name } > 1 }) {
            throw .pictures("--device: \(twice) is named twice", hint: "'livecap devices' lists the cameras")
        }
        if arguments.asksForNextCamera {
            throw .pictures(
                "--on-unplug next: what is known of several cameras' times holds for these cameras",
                hint: "leave it out: each of them is waited for")
        }
        for other in sources(arguments) { try other.checkSource() }
        guard !arguments.contains(LibraryPlace.intoOption), pictures.output == "-" else { return }
        throw .pictures(
            "-o -: standard output takes the pictures of one camera", hint: "name a folder, or use --library DIR")
    }

    private static func open(
        _ source: CaptureSource, _ arguments: Arguments, _ options: SessionOptions, unless interruption: Interruption
    ) throws(Failure) -> CaptureSession {
        let gate = FollowerGate()
        var wait = BusyWait(arguments[SourceOptions.onBusy] ?? .wait(limit: nil), interruption)
        do throws(CameraError) {
            let opened = try source.open(
                gate, canSwitchOff: arguments.contains(RunOptions.idleOff), whileBusy: { wait.mayTryAgain($0) },
                unless: { interruption.signal != nil })
            return try CaptureSession(opened, gate: source.pace == .fast ? gate : nil, options)
        } catch { throw interruption.failure(error) }
    }

    /// The files of camera `number`: as those of the first one, with its number in their names.
    private static func files(
        of number: Int, _ pictures: PictureOptions, count: Int?
    ) throws(Failure) -> PhotoFiles {
        try creating { () throws(FileError) in
            try PhotoFiles(
                pictures.output, pictures.settings.format, count: count ?? 2, mayReplace: pictures.mayReplace,
                mark: "-camera\(number)")
        }
    }

    /// Frames flow from now on. The run's own session has begun.
    func begin() { for stream in others { stream.session.begin() } }

    private var others: ArraySlice<CaptureGroup.Stream> { group.streams.dropFirst() }

    /// The page shows their pictures, too.
    func show(on page: ServedPage?) {
        for stream in others { page?.viewfinder.showPhotos(of: stream.session) }
    }

    /// Passes on what happens to the other cameras.
    func reportEvents() {
        for stream in others {
            let events = stream.session.events
            Task.detached(executorPreference: tasks) { [name = stream.name] in
                for await event in events {
                    if let words = event.words { Console.note("note: \(name): \(words)") }
                }
            }
        }
    }

    /// Says which cameras take pictures, and what is known of their times.
    func announce() {
        for stream in others {
            let offset = stream.offset
            let words =
                offset == .none
                ? "" : "; its times are \(fixed(offset.value.milliseconds, 2)) ms later, as it was measured"
            Console.note("with it: \(stream.session.source.inWords)\(words)")
        }
    }

    /// The settings of a picture of the run's own camera in group `id`.
    func own(_ settings: PhotoSettings, in id: String) -> PhotoSettings {
        var settings = settings
        settings.group = PhotoGroup(id: id, stream: group.streams[0].name)
        return settings
    }

    /// Has the other cameras take their pictures of an instant, with that of the run's own camera, which is under way.
    /// Calls `report` once all of them are there or have failed.
    func take(
        with own: PhotoCapture, _ settings: PhotoSettings, at instant: Timestamp, within error: Duration, id: String,
        number: Int, then report: @escaping @Sendable (GroupPhoto) -> Void
    ) {
        open += 1
        var members = [GroupCapture.Member(stream: group.streams[0].name, capture: own, offset: .none)]
        for (stream, files) in zip(others, files.dropFirst()) {
            var settings = settings
            settings.group = PhotoGroup(id: id, stream: stream.name)
            let capture = stream.session.photoOutput.capture(
                settings, at: .at(instant + stream.offset.value), tapUncertainty: error + stream.offset.bound,
                into: files, number: number)
            members.append(GroupCapture.Member(stream: stream.name, capture: capture, offset: stream.offset))
        }
        let capture = GroupCapture(id: id, members: members)
        Task.detached(executorPreference: tasks) { report(await capture.photo()) }
    }

    /// Counts a group whose pictures were reported.
    func noteReported() { open -= 1 }

    /// Gives up the pictures whose moments have not come.
    func cancelScheduled() { for stream in others { stream.session.photoOutput.cancelScheduled() } }

    /// Ends the other cameras' sessions.
    func close() { for stream in others { stream.session.end() } }
}
