// SPDX-License-Identifier: MIT
// Which places of a session get its frames fused, and what fuses them.

import Camera
import Fusion
import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapLiveFusion
import LivecapStreams
import LivecapThreads

/// A place that can get fused frames, by the name of the option that asks for it.
enum FusedPlace: String, CaseIterable, Sendable {
    case to, share, movies, page

    /// The places of a list with commas; nil if one has no such name.
    static func places(_ text: String) -> Set<FusedPlace>? {
        let places = text.split(separator: ",", omittingEmptySubsequences: false).map {
            FusedPlace(rawValue: String($0))
        }
        return places.contains(nil) ? nil : Set(places.compactMap { $0 })
    }
}

/// Fuses a session's frames for some of its places, once for all of them.
struct FusedFrames {
    private let stage: StageHost
    private let places: Set<FusedPlace>
    private let leave: @Sendable () -> Void

    /// Nil unless `--fuse` names places. Nothing is fused until one of them wants frames.
    init?(_ arguments: Arguments, _ session: Session) throws(Failure) {
        let places = Self.places(arguments)
        guard !places.isEmpty else { return nil }
        let source = session.session.source
        if let refusal = FusedSource.refusal(of: source.format) { throw .camera(refusal) }
        let settings = LiveSettings(memory: arguments[PlaceOptions.strength] ?? LiveOptions.usualStrength)
        do throws(SystemShortage) {
            stage = try .fusing(
                settings, threads: LiveOptions.usualThreads, isShared: places.contains(.share),
                whenFailed: { Console.note("note: \($0.message); \($0.hint)") })
        } catch { throw .camera(.shortage(error)) }
        self.places = places
        leave = session.session.sinks.attach(stage)
    }

    /// What fuses the frames of a place; nil if it gets the camera's own.
    func stage(of place: FusedPlace) -> StageHost? { places.contains(place) ? stage : nil }

    /// Ends the fusion, and what takes its frames.
    func close() {
        leave()
        stage.close()
    }

    /// Such as "movies and the page get frames fused with their past".
    var words: String {
        let names = FusedPlace.allCases.filter(places.contains).map(\.words)
        let list = names.count < 2 ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + names.last!
        let verb = names.count > 1 || places == [.movies] ? "get" : "gets"
        return "\(list) \(verb) frames fused with their past"
    }

    private static func places(_ arguments: Arguments) -> Set<FusedPlace> { arguments[PlaceOptions.fuse] ?? [] }

    /// Refuses places that the command line does not have, before a camera is opened. `hasPage`: there is a page.
    static func check(_ arguments: Arguments, hasPage: Bool) throws(Failure) {
        let there: Set<FusedPlace> = Set(
            [
                arguments.contains(PlaceOptions.to) ? .to : nil, arguments[PlaceOptions.share] ? .share : nil,
                arguments.contains(RunOptions.movies) || arguments.contains(ServeOptions.movies) ? .movies : nil,
                hasPage ? .page : nil,
            ].compactMap { $0 })
        let wanted = places(arguments)
        if let missing = FusedPlace.allCases.first(where: { wanted.contains($0) && !there.contains($0) }) {
            throw .pictures(
                "--fuse \(missing.rawValue): \(missing.lack)",
                hint: "add \(missing.option), or leave out '\(missing.rawValue)'")
        }
        if wanted.contains(.movies), arguments.contains(RunOptions.moviePast) {
            throw .pictures(
                "--pre: the past is not fused, so a movie of fused frames cannot begin there",
                hint: "leave out --pre, or 'movies' of --fuse")
        }
    }
}

extension FusedPlace {
    /// What it is called in a sentence.
    fileprivate var words: String {
        switch self {
        case .to: "the virtual camera"
        case .share: "the shared memory"
        case .movies: "movies"
        case .page: "the page"
        }
    }

    fileprivate var lack: String {
        switch self {
        case .to: "there is no virtual camera"
        case .share: "no frames are shared"
        case .movies: "there is no place for movies"
        case .page: "there is no page"
        }
    }

    /// The option that asks for it.
    fileprivate var option: String {
        switch self {
        case .to: "--to pipewire"
        case .share: "--share"
        case .movies: "--movies DIR"
        case .page: "--serve"
        }
    }
}
