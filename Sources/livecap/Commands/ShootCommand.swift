// SPDX-License-Identifier: MIT
// `livecap shoot`: makes a picture of the frames around a moment.

import FrameRing
import LiveCapture
import LivecapCommandTable
import LivecapFrameFiles
import LivecapFrames

enum ShootCommand {
    static let verb = Verb(
        command: Command(
            "shoot", summary: "take a picture of this moment, or of one just past",
            discussion: """
                The frame nearest the moment is taken from the history kept in memory, and the frames around it are merged \
                into it: the picture shows that frame's moment, with less noise. Where another frame differs from it, \
                because something moved, that frame does not count. Damaged frames, and frames that cannot be aligned, are \
                left out, and the report says why. At the beginning of a file there are fewer frames.

                If the moment is older than the history, or no frame lies within one frame interval of it, the command \
                fails; it never takes another frame instead. Every picture is reported with its signed lag: the frame's \
                time minus the moment.

                Several pictures are numbered and reported in the order of their moments, however they were specified.

                In the report, noise is the standard deviation of one frame's brightness noise, in 8-bit codes, at the \
                picture's mean brightness; --verbose and --json say it. A frame's weight is its mean share over the picture: 1 for the reference frame, \
                down to 0. The evidence is the average number of frames that a sample rests on: merging divides the noise \
                by about its square root.

                Frames of JPEG, RGB24 and BGR24 with --quality single become a picture as they came.
                """,
            groups: ShootOptions.groups,
            exclusive: ShootOptions.exclusive + [
                SourceOptions.exclusive, [ShootOptions.output, LibraryPlace.intoOption],
                [ShootOptions.pair, LibraryPlace.intoOption],
                [ShootOptions.bracket, ShootOptions.at], [ShootOptions.bracket, ShootOptions.count],
                [ShootOptions.bracket, ShootOptions.live],
                [ShootOptions.bracket, SourceOptions.replay, SourceOptions.synthetic],
            ],
            needs: SourceOptions.needs + ShootOptions.needs,
            examples: [
                Example("livecap shoot -o now.jpg", "this moment"),
                Example("livecap shoot --at -250ms -o before.jpg", "a quarter of a second ago"),
                Example("livecap shoot --quality quality -o best.png", "the best quality: 16 frames, 16 bits"),
                Example(
                    "livecap shoot --replay walk.lcap --at 533ms --at 1.5s -o pictures/", "two moments of a recording"),
                Example("livecap shoot --library photos/ --quality quality", "a proxy at once, the final later"),
                Example("livecap shoot --live -o now.jpg", "with the moments before and after, as phones do"),
                Example("livecap shoot --live --sound auto -o now.heic", "and with their sound"),
                Example("livecap shoot --effects portrait,light -o me.jpg", "and me.plain.jpg, without effects"),
                Example("livecap shoot --bracket -2,0,2 -o window/", "at a quarter, once and four times the light"),
                Example("livecap shoot --count 10 --interval 500ms -o series/", "ten in five seconds"),
            ])
    ) { arguments, console throws(Failure) in
        if arguments[SourceOptions.listDevices] { return try DevicesCommand.list(&console) }
        let pictures = try PictureOptions(arguments, effects: arguments[EffectOptions.ofPictures])
        try LivePhotos.check(arguments, pictures)
        let moments = try arguments.moments()
        let bracket = arguments[ShootOptions.bracket]
        let count = bracket?.count ?? moments.count
        // A mistake in the source is not hidden by a file that exists.
        try arguments.checkSource()
        try EffectOptions.checkPhotos(arguments, pictures)
        let files =
            arguments.contains(LibraryPlace.intoOption) ? nil : try pictures.files(count: count, &console)
        try LivePhotos.checkPlace(arguments, files)
        let companions = try Companion.all(arguments, pictures, count: count)
        var needs = HostNeeds(
            role: .guest, scenePace: .realtime, replayPace: arguments[ShootOptions.live] ? .realtime : .fast,
            unplugPolicy: count == 1 || bracket != nil ? .end : .wait())
        needs.neededPast = max(.zero, .zero - (moments.min() ?? .zero))
        let host = try Host(arguments, needs, try Interruption()) { (isOfOther) throws(Failure) in
            var options = try arguments.sessionOptions(pictures)
            // Of what another livecap keeps, enough is taken over.
            if isOfOther, let earliest = moments.min(), earliest < .zero, !arguments.contains(SourceOptions.history) {
                options.history = max(options.history ?? .zero, RingCapacity.standard.duration - earliest)
            }
            return options
        }
        host.reportGrant()
        // Those of opening it. Later ones are part of the report of each photo.
        for words in host.session.notices.compactMap(\.words) { Console.note("note: \(words)") }
        defer { host.close() }
        let live = try LivePhotos(arguments, host)
        let captures: [(capture: PhotoCapture, moment: Timestamp?)]
        var exposures: ExposureBracket?
        if let bracket {
            exposures = try host.takeBracket(of: bracket, pictures.settings, into: files)
            captures = exposures?.shots.map { ($0.capture, nil) } ?? []
        } else {
            let start = try start(arguments, pictures.settings, host)
            captures = try take(
                moments.map { $0 + start }, settings: pictures.settings, into: files, host: host, live: live)
        }
        let movies = captures.map { live?.follow($0.capture) }
        let hooks = HookRunner(arguments[ShootOptions.hook])
        if let hooks { host.interruption.onEnd(hooks.terminate) }
        defer { hooks?.finish() }
        let status = try report(
            captures, movies: movies, exposures: exposures, host: host, pictures: pictures, companions: companions,
            hooks: hooks, &console)
        if let failure = exposures?.failure { throw host.failure(for: failure) }
        return status
    }

    /// The time that moments are relative to if none is named: in a file, or a scene at the fast pace, the first moment
    /// with enough frames for a picture.
    private static func start(
        _ arguments: Arguments, _ settings: PhotoSettings, _ host: Host
    ) throws(Failure) -> Duration {
        let count = settings.demand.before + 1
        guard host.clock == .own, count > 1, arguments.all(ShootOptions.at).isEmpty,
            host.output.isZeroShutterLagEnabled
        else { return .zero }
        let interval = host.session.frameInterval
        let found: (offset: Duration, frames: Int)
        if let path = arguments[SourceOptions.replay], isRegularFile(path) {
            let file = try attempt { () throws(FrameFileError) in try openFrameFile(path, arguments.importSettings) }
            found = MomentWithHistory.offset(
                in: (0..<file.frameCount).lazy.map { file.metadata($0) }, count: count, interval: interval)
        } else {
            let frames = max(1, min(count, host.session.source.frameCount ?? count))
            found = (interval * Int64(frames - 1), frames)
        }
        guard found.offset > .zero else { return .zero }
        Console.note(
            "note: without --at, the moment is \(fixed(found.offset.seconds, 3)) s after the first frame, the first with "
                + "\(counted(found.frames, "frame")) to make the picture from")
        return found.offset
    }

    /// Starts the session and takes pictures of the moments, for which movies also need some of the past. Returns the
    /// shots, ordered by moment.
    private static func take(
        _ moments: [Duration], settings: PhotoSettings, into files: PhotoFiles?, host: Host,
        live: LivePhotos?
    ) throws(Failure) -> [(capture: PhotoCapture, moment: Timestamp?)] {
        func capture(from start: Timestamp?, _ tap: (Duration) -> Tap) -> [(capture: PhotoCapture, moment: Timestamp?)]
        {
            // Numbered by moment, whatever order they were named in.
            moments.sorted().enumerated().map { number, moment in
                let capture = host.output.capture(
                    live?.own(settings) ?? settings, at: tap(moment), into: files, number: number + 1)
                return (capture, start.map { $0 + moment })
            }
        }
        let earliest = moments.min() ?? .zero
        if host.clock == .own {
            if earliest < .zero {
                throw .camera(
                    .badSettings("nothing precedes the first frame", hint: "--at counts from it: choose 0s or more"))
            }
            // Before the source runs, so that it waits for each of them.
            let captures = capture(from: host.session.source.firstTime) { .offset($0) }
            host.session.begin()
            return captures
        }
        host.session.begin()
        // Of another livecap's past, what is needed is there.
        if host.isOfOther, earliest < .zero {
            let span = host.session.granted.usualDuration
            guard span + host.session.frameInterval >= .zero - earliest else {
                throw .camera(host.tooShort(span, for: .zero - earliest))
            }
            let present = Timestamp.now
            return capture(from: present) { .at(present + $0) }
        }
        guard
            let present = try host.present(
                earliest: earliest - (live?.settings.before ?? .zero), framesBefore: settings.demand.before)
        else { throw host.failureBeforeFrames }
        return capture(from: present) { .at(present + $0) }
    }

    /// Reports each photo, ordered by moment. A shot that failed does not prevent the others.
    private static func report(
        _ captures: [(capture: PhotoCapture, moment: Timestamp?)], movies: [LivePhotos.Outcome?],
        exposures: ExposureBracket?, host: Host, pictures: PictureOptions, companions: [Companion], hooks: HookRunner?,
        _ console: inout Console
    ) throws(Failure) -> Int32 {
        var reported: Set<String> = []
        var first: Failure?
        var (summary, deferred, failed, lacking, untaken, likewise) = (ShootSummary(), 0, 0, 0, 0, 0)
        var wait = MomentWait()
        for (number, (capture, moment)) in captures.enumerated() {
            let tick = {
                guard let moment else { return Timestamp.distantFuture }
                if let left = host.timeUntil(moment) { wait.show(left: left, taken: number, of: captures.count) }
                return wait.nextChange
            }
            let outcome = host.result(of: capture, tick)
            wait.clear()
            switch outcome {
            case .success(let photo):
                summary.add(photo)
                if photo.isProxy { deferred += 1 }
                for note in photo.notes where reported.insert(note).inserted { Console.note("note: \(note)") }
                let movie = movies[number].flatMap { host.value(of: $0) }
                let report = ShotReport(
                    photo: photo, threads: pictures.threads, droppedByRing: host.session.statistics.dropped,
                    movie: try? movie?.get(), step: exposures?.shots[number].step, isVerbose: pictures.isVerbose)
                try report.print(to: &console)
                hooks?.add(report)
                var missing = companions.compactMap { $0.write(photo) }
                if case .failure(let failure)? = movie { missing.insert(failure, at: 0) }
                for failure in missing {
                    console.report(failure, shot: capture.id.number)
                    first = first ?? failure
                }
                if !missing.isEmpty { lacking += 1 }
            case .failure(let error):
                failed += 1
                let failure = host.failure(for: error)
                if case .interrupted = failure, captures.count > 1, !console.writesJSON {
                    (untaken, first) = (untaken + 1, first ?? failure)
                    continue
                }
                // As when the camera is unplugged for good.
                if !console.writesJSON, !reported.insert(failure.message).inserted {
                    likewise += 1
                    continue
                }
                let isNew = reported.insert(failure.hint).inserted
                console.report(failure, shot: captures.count > 1 ? capture.id.number : nil, isHinting: isNew)
                first = first ?? failure
            }
            try console.flush()
        }
        if untaken > 0 {
            Console.note("\(counted(untaken, "picture")) of \(captures.count) not taken: stopped before completion")
        }
        if likewise > 0 { Console.note("\(counted(likewise, "more picture")) failed for the same reason") }
        for line in summary.lines(clock: host.clock) ?? [] { Console.note(line) }
        if let kept = first?.wordsOfKept(captures.count - failed - lacking, lacking: lacking) {
            Console.note("note: \(kept)")
        }
        if deferred > 0 { Console.note(DeferredWords.leftForLater(deferred)) }
        return first?.exitStatus ?? host.interruption.exitStatus
    }
}

/// The error for a source that ended before its first frame.
private func noFrameAtAll(_ host: Host) -> FrameFileError {
    let frames = host.session.statistics.published
    return .badFile(
        host.session.source.name,
        detail: frames == 0
            ? "it delivered no frame" : "it ended after \(counted(frames, "frame")), before the picture could be taken",
        hint: frames > 0 && host.kind == .scene
            ? "a larger frames=N, or none, makes the scene last longer" : Hints.noFrames(of: host.kind))
}

extension Host {
    /// Why there is no frame.
    var failureBeforeFrames: Failure {
        if let signal = interruption.signal { return .interrupted(signal: signal, isBeforeFrames: true) }
        return session.failure?.failure ?? .frameFile(noFrameAtAll(self))
    }

    /// The program's failure for a shot's error.
    func failure(for error: PhotoError) -> Failure {
        if let signal = interruption.signal, [.streamEnded(nil), .notRunning, .cancelled].contains(error) {
            return .interrupted(signal: signal)
        }
        if error == .streamEnded(nil), session.ring.newestTime == nil { return .frameFile(noFrameAtAll(self)) }
        return .photo(error, of: kind)
    }
}
