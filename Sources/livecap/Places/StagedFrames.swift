// SPDX-License-Identifier: MIT
// Which places of a session get its frames fused, steadied or with effects, and what makes those.

import Camera
import Fusion
import LiveCapture
import LivecapCommandTable
import LivecapEffects
import LivecapFrames
import LivecapLiveFusion
import LivecapStreams
import LivecapThreads

/// A place that can get frames of a stage, by the name of the option that asks for it.
enum StagedPlace: String, CaseIterable, Sendable {
    case to, share, movies, record, page, view

    /// The places of a list with commas; nil if one has no such name.
    static func places(_ text: String) -> Set<StagedPlace>? {
        let places = text.split(separator: ",", omittingEmptySubsequences: false).map {
            StagedPlace(rawValue: String($0))
        }
        return places.contains(nil) ? nil : Set(places.compactMap { $0 })
    }
}

/// Fuses and steadies a session's frames, and draws effects into them, for some of its places: once for all of those
/// that want the same.
struct StagedFrames: Sendable {
    /// What is done to frames before they come to a place.
    private let works: [StagedPlace: FrameTreatment]
    private let stages: [FrameTreatment: StageHost]
    /// What effects are drawn; nil if no place gets frames with effects.
    let board: EffectBoard?
    /// End the stages, in an order in which none takes frames of one that has ended.
    private let ends: [@Sendable () -> Void]

    /// Nil unless the command line names places for `--fuse`, `--steady` or `--effects`. Nothing is done until one of
    /// them wants frames.
    init?(_ arguments: Arguments, _ host: Host, hasPage: Bool, hasWindow: Bool = false) throws(Failure) {
        var works: [StagedPlace: FrameTreatment] = [:]
        for treatment in FrameTreatment.steps {
            for place in Self.places(arguments, treatment, hasPage: hasPage, hasWindow: hasWindow) {
                works[place, default: []].insert(treatment)
            }
        }
        let board = host.session.effects
        // Photos may have effects where no frames have any.
        board.set(EffectOptions.settings(arguments))
        guard !works.isEmpty else { return nil }
        let wanted = works.values.reduce(FrameTreatment()) { $0.union($1) }, format = host.session.source.format
        if let refusal = wanted.refusal(of: format) { throw .camera(refusal) }
        let maker = StageMaker(arguments, works, board)
        var stages: [FrameTreatment: StageHost] = [:]
        var ends: [@Sendable () -> Void] = []
        /// The sinks of what makes frames with a treatment, which is made where there is none yet.
        func sinks(_ treatment: FrameTreatment) throws(SystemShortage) -> HostSinks {
            if let stage = stages[treatment] { return stage.sinks }
            guard let last = treatment.last else { return host.session.sinks }
            let earlier = treatment.subtracting(last), before = try sinks(earlier)
            let stage = try maker.stage(last, after: earlier), leave = before.attach(stage)
            stages[treatment] = stage
            ends.insert(
                {
                    leave()
                    stage.close()
                }, at: 0)
            return stage.sinks
        }
        do throws(SystemShortage) {
            for treatment in Set(works.values) { _ = try sinks(treatment) }
        } catch { throw .camera(.shortage(error)) }
        self.works = works
        self.stages = stages
        self.board = wanted.contains(.withEffects) ? board : nil
        if wanted.contains(.withEffects) {
            let gestures = GestureReactions(host.session)
            ends.insert(gestures.close, at: 0)
            ends.insert(EffectNotes.follow(board, on: host.tasks), at: 0)
        }
        self.ends = ends
    }

    /// What is done to the frames of a place, in a word or two; nil if nothing is.
    func treatment(of place: StagedPlace) -> String? { works[place]?.words }

    /// What makes the frames of a place; nil if it gets the camera's own.
    func stage(of place: StagedPlace) -> StageHost? { works[place].flatMap { stages[$0] } }

    /// What effects are drawn into the frames of a place; nil if it gets none with effects, now or later.
    func board(of place: StagedPlace) -> EffectBoard? {
        works[place]?.contains(.withEffects) == true ? board : nil
    }

    /// Waits until frames are made for a place, or none will be of the present stream. Returns whether some are.
    func waitForStream(of place: StagedPlace) -> Bool {
        guard let work = works[place], !work.isEmpty else { return false }
        // If an earlier stage makes no frames, a later one never learns of a stream.
        return work.beginnings.allSatisfy { stages[$0]?.waitForStream() == true }
    }

    /// Ends the stages, and what takes their frames.
    func close() { for end in ends { end() } }

    /// Such as "movies and the page get frames fused with their past".
    var words: String {
        Set(works.values).sorted { $0.rawValue < $1.rawValue }.compactMap(words(of:)).joined(separator: "; ")
    }

    private func words(of work: FrameTreatment) -> String? {
        let places = StagedPlace.allCases.filter { works[$0] == work }
        let names = places.map(\.words)
        guard let last = names.last else { return nil }
        let list = names.count < 2 ? last : names.dropLast().joined(separator: ", ") + " and " + last
        return "\(list) \(names.count > 1 || places == [.movies] ? "get" : "gets") \(work.ofFrames)"
    }

    /// The places whose frames are to be treated so.
    private static func places(
        _ arguments: Arguments, _ step: FrameTreatment, hasPage: Bool = false, hasWindow: Bool = false
    ) -> Set<StagedPlace> {
        switch step {
        case .fused: arguments[PlaceOptions.fuse] ?? []
        case .steadied: arguments[PlaceOptions.steady] ?? []
        default: EffectOptions.places(arguments, of: there(arguments, hasPage: hasPage, hasWindow: hasWindow))
        }
    }

    /// The places that a command line has. `hasPage`: there is a page; `hasWindow`: there is a window.
    private static func there(_ arguments: Arguments, hasPage: Bool, hasWindow: Bool) -> Set<StagedPlace> {
        let places: [(StagedPlace, Bool)] = [
            (.to, arguments.contains(PlaceOptions.to)), (.share, arguments[PlaceOptions.share]),
            // A page can always start movies.
            (.movies, arguments.contains(RunOptions.movies) || arguments.contains(ServeOptions.movies) || hasPage),
            (.record, arguments.contains(RunOptions.record)), (.page, hasPage), (.view, hasWindow),
        ]
        return Set(places.filter(\.1).map(\.0))
    }

    /// Whether a place is to get frames of a stage.
    static func areAsked(for place: StagedPlace, _ arguments: Arguments) -> Bool {
        FrameTreatment.steps.contains { places(arguments, $0).contains(place) }
    }

    /// Refuses places that the command line does not have, before a camera is opened. `hasPage`: there is a page;
    /// `hasWindow`: there is a window.
    static func check(_ arguments: Arguments, hasPage: Bool, hasWindow: Bool = false) throws(Failure) {
        let there = there(arguments, hasPage: hasPage, hasWindow: hasWindow)
        if places(arguments, .steadied).contains(.movies),
            arguments[StabilizationOptions.stabilise] ?? .off != .off
        {
            throw .pictures(
                "--steady movies: --stabilise steadies the same movies",
                hint:
                    "leave out one of them: --stabilise cinematic is steadier; --steady shares its work with other places"
            )
        }
        for (name, step) in zip(["--fuse", "--steady", "--effects-in"], FrameTreatment.steps) {
            let wanted = places(arguments, step, hasPage: hasPage, hasWindow: hasWindow)
            if let missing = StagedPlace.allCases.first(where: { wanted.contains($0) && !there.contains($0) }) {
                throw .pictures(
                    "\(name) \(missing.rawValue): \(missing.lack)",
                    hint: "add \(missing.option), or leave out '\(missing.rawValue)'")
            }
        }
        try EffectOptions.check(arguments, of: there)
    }
}

extension FrameTreatment {
    /// Such as "frames fused with their past and steadied".
    fileprivate var ofFrames: String {
        if self == .steadied { return "steadied frames" }
        let words = words ?? ""
        return "frames \(words.hasPrefix("fused") ? "fused with their past\(words.dropFirst(5))" : words)"
    }
}

extension StagedPlace {
    /// What it is called in a sentence.
    fileprivate var words: String {
        switch self {
        case .to: "the virtual camera"
        case .share: "the shared memory"
        case .movies: "movies"
        case .record: "the recording"
        case .page: "the page"
        case .view: "the window"
        }
    }

    fileprivate var lack: String {
        switch self {
        case .to: "there is no virtual camera"
        case .share: "no frames are shared"
        case .movies: "there is no place for movies"
        case .record: "there is no recording"
        case .page: "there is no page"
        case .view: "there is no window"
        }
    }

    /// The option that asks for it.
    fileprivate var option: String {
        switch self {
        case .to: "--to pipewire"
        case .share: "--share"
        case .movies: "--movies DIR"
        case .record: "--record FILE of 'livecap run'"
        case .page: "--serve"
        case .view: "--view of 'livecap run'"
        }
    }
}
