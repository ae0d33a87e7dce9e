// SPDX-License-Identifier: MIT
// The window of a run: a viewfinder of the desktop, and its keys.

import LiveCapture
import LivecapCommandTable
import LivecapEffects
import LivecapFrames
import LivecapPictures
import LivecapThreads
import LivecapWindow

/// Shows what the camera sees, and puts what people want there into the inbox of a run.
final class RunWindow: Sendable {
    private let window: ViewWindow
    /// What effects the frames in it have; nil if they have none, now or later.
    private let board: EffectBoard?
    /// What was said last, and until when it is shown.
    private let said = Guarded((words: "", end: Timestamp.zero))
    private let saysFigures: Bool

    /// How long a window shows what is said.
    private static let patience = Duration.seconds(4)

    /// Refuses a window that cannot be, before a camera is opened.
    static func check(isWanted: Bool) throws(Failure) {
        if isWanted, let lack = ViewWindow.lack { throw .window(lack) }
    }

    /// What a session needs for its window, beside what the command line says.
    static func adjust(_ options: inout SessionOptions, _ arguments: Arguments) {
        // Once what the window shows hides the room, its photos do.
        if EffectOptions.places(arguments, of: [.view]).contains(.view) { options.photosMayHaveEffects = true }
        if !arguments.contains(SourceOptions.history) {
            options.history = max(options.history ?? .zero, ServeOptions.history)
            options.historyMemory = ServeOptions.historyMemory
        }
    }

    /// Opens it. If it `isAll` that there is, the run ends where it is closed.
    init(
        _ arguments: Arguments, _ host: Host, _ inbox: RunInbox, staged: StagedFrames?, hasMovies: Bool, isAll: Bool
    ) throws(Failure) {
        let session = host.session, board = staged?.board(of: .view)
        let source = WindowSource(
            sinks: staged?.stage(of: .view)?.sinks ?? session.sinks, ring: { session.ring },
            clock: { session.source.frameClock },
            view: {
                Self.view(
                    arguments, session.rotation?.mount, isMirrored: session.rotation?.isPreviewMirrored ?? false)
            },
            interval: { session.frameInterval },
            hidesPast: { board.map { !$0.settings.hidingRoom.areNone } ?? false },
            keepOn: { session.keepCameraOn() })
        let view = source.view().size(of: session.source.format.size)
        let keys = Self.keys(hasMovies: hasMovies, hasEffects: board != nil)
        window = try attempt { () throws(WindowError) in
            try ViewWindow(
                "\(session.source.name) - livecap", size: view, keys: keys,
                fillsScreen: arguments[RunOptions.fullScreen], source
            ) { wish, shown in
                switch wish {
                case .take: inbox.put(.shown(shown, at: .now))
                case .key(let key): inbox.put(.key(key))
                case .end: inbox.put(.key("q"))
                case .close where isAll: inbox.put(.key("q"))
                case .close: Console.note("note: the window is closed; everything else goes on")
                case .say(let words): Console.note("note: \(words)")
                case .fillScreen: break
                }
            }
        }
        self.board = board
        saysFigures = arguments[ShootOptions.verbose] && host.clock == .monotonic
    }

    /// How frames of a camera are shown: as pictures of them are, or mirrored if people see themselves and nothing else
    /// was asked for.
    static func view(_ arguments: Arguments, _ mount: CameraMount?, isMirrored: Bool) -> PictureView {
        var view = arguments.view(mount)
        if isMirrored, arguments.mount == nil { view.mount = view.mount.mirroredAfter }
        return view
    }

    /// What its keys do, in the letters of its font.
    private static func keys(hasMovies: Bool, hasEffects: Bool) -> String {
        var keys = ["space photo", "arrows back in time"]
        if hasMovies { keys.append("r movie") }
        if hasEffects { keys.append("e effects") }
        return (keys + ["f full screen", "h hide", "q end"]).joined(separator: "   ")
    }

    /// The settings of a picture that is taken in it: it hides what its frames hide.
    func settings(_ settings: PhotoSettings) -> PhotoSettings { settings.hidingRoom(as: board) }

    /// Shows what the run does, unless something was said just now.
    func show(_ status: RunStatus) {
        let words = said.withLock { $0.end > .now ? $0.words : status.words }
        window.show(words, status.light)
    }

    /// Shows words for a few seconds.
    func say(_ words: String) {
        let prefix = "note: "
        let words = words.hasPrefix(prefix) ? String(words.dropFirst(prefix.count)) : words
        said.withLock { $0 = (words, .now + Self.patience) }
    }

    /// Closes it.
    func close() {
        window.close()
        let figures = window.figures
        guard saysFigures, let usual = figures.delay(of: 0.5), let most = figures.delay(of: 0.95) else { return }
        Console.note(
            "the window showed \(counted(figures.frames, "frame")), \(fixed(usual.milliseconds, 1)) ms after they were "
                + "taken (p95 \(fixed(most.milliseconds, 1))), by \(window.renderer)")
    }
}

extension RunStatus {
    /// What the light of a window says.
    var light: WindowLight {
        if isAway { return .away }
        return switch readiness.state {
        case .ready: .ready
        case .notRunning: .away
        case .notReadyMomentarily, .notReadyCameraOff, .notReadyWaitingForCapture, .notReadyWaitingForProcessing:
            .waiting
        }
    }
}
