// SPDX-License-Identifier: MIT
// Which places of a session get its frames fused or steadied, and what makes those.

import Camera
import Fusion
import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapLiveFusion
import LivecapStreams
import LivecapThreads

/// A place that can get frames of a stage, by the name of the option that asks for it.
enum StagedPlace: String, CaseIterable, Sendable {
    case to, share, movies, record, page

    /// The places of a list with commas; nil if one has no such name.
    static func places(_ text: String) -> Set<StagedPlace>? {
        let places = text.split(separator: ",", omittingEmptySubsequences: false).map {
            StagedPlace(rawValue: String($0))
        }
        return places.contains(nil) ? nil : Set(places.compactMap { $0 })
    }
}

/// Fuses and steadies a session's frames for some of its places, once for all of those that want the same.
struct StagedFrames: Sendable {
    /// What is done to frames before they come to a place.
    private struct Work: Hashable, Sendable {
        var fuses = false
        var steadies = false

        /// Such as "steadied frames".
        var words: String {
            switch (fuses, steadies) {
            case (true, false): "frames fused with their past"
            case (true, true): "frames fused with their past and steadied"
            case (false, _): "steadied frames"
            }
        }
    }

    private let works: [StagedPlace: Work]
    private let stages: [Work: StageHost]
    /// End the stages, in an order in which none takes frames of one that has ended.
    private let ends: [@Sendable () -> Void]

    /// Nil unless `--fuse` or `--steady` name places. Nothing is done until one of them wants frames.
    init?(_ arguments: Arguments, _ host: Host) throws(Failure) {
        let (fused, steadied) = (Self.places(arguments, PlaceOptions.fuse), Self.places(arguments, PlaceOptions.steady))
        let places = fused.union(steadied)
        guard !places.isEmpty else { return nil }
        let works = Dictionary(
            uniqueKeysWithValues: places.map { ($0, Work(fuses: fused.contains($0), steadies: steadied.contains($0))) })
        let format = host.session.source.format
        if !fused.isEmpty, let refusal = FusedSource.refusal(of: format) { throw .camera(refusal) }
        if !steadied.isEmpty, let refusal = StageHost.refusalToSteady(format) { throw .camera(refusal) }
        let strength = arguments[PlaceOptions.strength] ?? LiveOptions.usualStrength
        let note: @Sendable (CameraError) -> Void = { Console.note("note: \($0.message); \($0.hint)") }
        func isShared(_ work: Work) -> Bool { works[.share] == work }
        var stages: [Work: StageHost] = [:]
        var ends: [@Sendable () -> Void] = []
        func add(_ stage: StageHost, for work: Work, to host: HostSinks) {
            let leave = host.attach(stage)
            stages[work] = stage
            ends.insert(
                {
                    leave()
                    stage.close()
                }, at: 0)
        }
        do throws(SystemShortage) {
            let (fusing, steadying, both) = (Work(fuses: true), Work(steadies: true), Work(fuses: true, steadies: true))
            if !fused.isEmpty {
                let stage = try StageHost.fusing(
                    LiveSettings(memory: strength), threads: LiveOptions.usualThreads, isShared: isShared(fusing),
                    whenFailed: note)
                add(stage, for: fusing, to: host.session.sinks)
                if works.values.contains(both) {
                    add(
                        try .steadying(isShared: isShared(both), whenFailed: note), for: both, to: stage.sinks)
                }
            }
            if works.values.contains(steadying) {
                add(
                    try .steadying(isShared: isShared(steadying), whenFailed: note), for: steadying,
                    to: host.session.sinks)
            }
        } catch { throw .camera(.shortage(error)) }
        self.works = works
        self.stages = stages
        self.ends = ends
    }

    /// What is done to the frames of a place, in a word or two; nil if nothing is.
    func treatment(of place: StagedPlace) -> String? {
        works[place].map { work in
            [work.fuses ? "fused" : nil, work.steadies ? "steadied" : nil].compactMap { $0 }.joined(separator: " and ")
        }
    }

    /// What makes the frames of a place; nil if it gets the camera's own.
    func stage(of place: StagedPlace) -> StageHost? { works[place].flatMap { stages[$0] } }

    /// Waits until frames are made for a place, or none will be of the present stream. Returns whether some are.
    func waitForStream(of place: StagedPlace) -> Bool {
        guard let work = works[place], let stage = stages[work] else { return false }
        // If the earlier stage makes no frames, the later one never learns of a stream.
        if work.fuses, work.steadies, stages[Work(fuses: true)]?.waitForStream() != true { return false }
        return stage.waitForStream()
    }

    /// Ends the stages, and what takes their frames.
    func close() { for end in ends { end() } }

    /// Such as "movies and the page get frames fused with their past".
    var words: String {
        let all = [Work(fuses: true), Work(fuses: true, steadies: true), Work(steadies: true)]
        return all.compactMap(words(of:)).joined(separator: "; ")
    }

    private func words(of work: Work) -> String? {
        let places = StagedPlace.allCases.filter { works[$0] == work }
        let names = places.map(\.words)
        guard let last = names.last else { return nil }
        let list = names.count < 2 ? last : names.dropLast().joined(separator: ", ") + " and " + last
        return "\(list) \(names.count > 1 || places == [.movies] ? "get" : "gets") \(work.words)"
    }

    private static func places(_ arguments: Arguments, _ option: Option<Set<StagedPlace>>) -> Set<StagedPlace> {
        arguments[option] ?? []
    }

    /// Whether a place is to get frames of a stage.
    static func areAsked(for place: StagedPlace, _ arguments: Arguments) -> Bool {
        places(arguments, PlaceOptions.fuse).union(places(arguments, PlaceOptions.steady)).contains(place)
    }

    /// Refuses places that the command line does not have, before a camera is opened. `hasPage`: there is a page.
    static func check(_ arguments: Arguments, hasPage: Bool) throws(Failure) {
        let there: Set<StagedPlace> = Set(
            [
                arguments.contains(PlaceOptions.to) ? .to : nil, arguments[PlaceOptions.share] ? .share : nil,
                arguments.contains(RunOptions.movies) || arguments.contains(ServeOptions.movies) ? .movies : nil,
                arguments.contains(RunOptions.record) ? .record : nil, hasPage ? .page : nil,
            ].compactMap { $0 })
        if places(arguments, PlaceOptions.steady).contains(.movies) {
            throw .pictures(
                "--steady movies: movies are steadied by themselves, if at all",
                hint: "leave out 'movies'; those of 'livecap run' and 'livecap movie' have --stabilise")
        }
        for (name, option) in [("--fuse", PlaceOptions.fuse), ("--steady", PlaceOptions.steady)] {
            let wanted = places(arguments, option)
            if let missing = StagedPlace.allCases.first(where: { wanted.contains($0) && !there.contains($0) }) {
                throw .pictures(
                    "\(name) \(missing.rawValue): \(missing.lack)",
                    hint: "add \(missing.option), or leave out '\(missing.rawValue)'")
            }
        }
        if places(arguments, PlaceOptions.fuse).contains(.movies), arguments.contains(RunOptions.moviePast) {
            throw .pictures(
                "--pre: the past is not fused, so a movie of fused frames cannot begin there",
                hint: "leave out --pre, or 'movies' of --fuse")
        }
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
        }
    }

    fileprivate var lack: String {
        switch self {
        case .to: "there is no virtual camera"
        case .share: "no frames are shared"
        case .movies: "there is no place for movies"
        case .record: "there is no recording"
        case .page: "there is no page"
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
        }
    }
}
