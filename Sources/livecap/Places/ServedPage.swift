// SPDX-License-Identifier: MIT
// The page that shows a session in browsers, and takes pictures there.

import Camera
import LiveCapture
import LivecapCommandTable
import LivecapEffects
import LivecapFiles
import LivecapFrameFiles
import LivecapHTTP
import LivecapLiveFusion
import LivecapMovies
import LivecapPhotoStorage
import LivecapServing
import LivecapStreams
import LivecapThreads

/// The page of a session, and the server that it comes from.
struct ServedPage {
    let viewfinder: Viewfinder
    private let server: HTTPServer

    /// Serves the page of a session that has not begun.
    init(
        _ arguments: Arguments, _ pictures: PictureOptions, _ host: Host, at access: ServeAccess,
        movies: PageMovies?, sound: PageSound, by staged: StagedFrames?
    ) throws(Failure) {
        let session = host.session
        guard let library = session.library else { preconditionFailure("a page shows a library") }
        var settings = ViewfinderSettings(
            photos: pictures.settings, software: BuildInformation.program, version: BuildInformation.version)
        settings.photos.keepsFrames = true
        settings.photoEffects = Self.photoEffects(
            EffectOptions.photoBoard(arguments, session), ofPage: staged?.board(of: .page))
        settings.isEncrypted = access.identity != nil
        settings.token = access.token
        settings.names = arguments.all(ServeOptions.name)
        settings.movies = movies
        settings.sound = sound
        // The terminal may keep its writer waiting, and this is called by the server's own thread.
        settings.soundChanged = { [tasks = host.tasks] isHeard in
            Task.detached(executorPreference: tasks) { LiveSound.note(isHeard: isHeard) }
        }
        settings.stage = staged?.stage(of: .page)
        settings.effects = staged?.board(of: .page).map { board in
            EffectSwitchboard(board) { settings in
                StageHost.lack(of: settings).map { EffectRefusal($0.message, hint: $0.hint, code: $0.code) }
            }
        }
        settings.facts = FactSource(session)
        settings.cameraHistory = .standard
        if let limit = arguments[ServeOptions.hold] { settings.momentLimit = limit }
        settings.noEffects = .noStage(hint: Hints.noEffects)
        let viewfinder: Viewfinder
        do throws(SystemShortage) { viewfinder = try Viewfinder(session, library, settings) } catch {
            throw .camera(.shortage(error))
        }
        HTTPLimits.allowFiles()
        do throws(HTTPError) {
            server = try HTTPServer(at: access.socket, identity: access.identity) { viewfinder.answer($0, $1) }
        } catch {
            viewfinder.close()
            throw error.failure
        }
        self.viewfinder = viewfinder
        host.interruption.offer(.index { viewfinder.completing })
    }

    /// The effects of photos that pages take, all of which are those of `photos`. Without it they hide the room as the
    /// frames do that the page shows: nobody who sees it hidden there expects it in the photo.
    static func photoEffects(
        _ photos: EffectBoard?, ofPage page: EffectBoard?
    ) -> @Sendable (PhotoSettings) -> PhotoSettings {
        { photos == nil ? $0.hidingRoom(as: page) : $0.withEffects(of: photos) }
    }

    /// What movies are like that pages start.
    static func movies(
        _ arguments: Arguments, _ names: MovieNames, _ sound: PageSound, by stage: StageHost?
    ) -> PageMovies {
        var movies = PageMovies(names)
        // Browsers do not play JPEG frames in .mkv, which other commands make by default.
        movies.kind = arguments[ServeOptions.movieKind] ?? .mp4
        movies.past = arguments[RunOptions.moviePast] ?? .zero
        movies.sound = sound
        movies.stage = stage
        movies.changeCameras = arguments.asksForNextCamera
        movies.quality = arguments.movieQuality
        movies.mount = arguments.mount
        movies.zoom = arguments[ViewOptions.zoom]
        movies.date = arguments.date
        return movies
    }

    /// What a session needs for its page, beside what the command line says.
    static func adjust(_ options: inout SessionOptions, _ arguments: Arguments) {
        // Each viewer chooses.
        options.formats = Set(StillFormat.allCases.filter { $0.lack == nil })
        // Once what a page shows hides the room, its photos do.
        if EffectOptions.places(arguments, of: [.page]).contains(.page) { options.photosMayHaveEffects = true }
        if !arguments.contains(SourceOptions.history) {
            options.history = max(options.history ?? .zero, ServeOptions.history)
            options.historyMemory = ServeOptions.historyMemory
        }
    }

    /// Ends all connections.
    func close() {
        server.close()
        viewfinder.close()
    }
}
