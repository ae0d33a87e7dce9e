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
    private let works: [StagedPlace: FrameTreatment]
    private let stages: [FrameTreatment: StageHost]
    /// End the stages, in an order in which none takes frames of one that has ended.
    private let ends: [@Sendable () -> Void]

    /// Nil unless `--fuse` or `--steady` name places. Nothing is done until one of them wants frames.
    init?(_ arguments: Arguments, _ host: Host) throws(Failure) {
        let (fused, steadied) = (Self.places(arguments, PlaceOptions.fuse), Self.places(arguments, PlaceOptions.steady))
        let places = fused.union(steadied)
        guard !places.isEmpty else { return nil }
        let works = Dictionary(
            uniqueKeysWithValues: places.map { place in
                (
                    place,
                    FrameTreatment(fused.contains(place) ? [.fused] : []).union(
                        steadied.contains(place) ? .steadied : [])
                )
            })
        let format = host.session.source.format
        if !fused.isEmpty, let refusal = FusedSource.refusal(of: format) { throw .camera(refusal) }
        if !steadied.isEmpty, let refusal = StageHost.refusalToSteady(format) { throw .camera(refusal) }
        let strength = arguments[PlaceOptions.strength] ?? LiveOptions.usualStrength
        let note: @Sendable (CameraError) -> Void = { Console.note("note: \($0.message); \($0.hint)") }
        func isShared(_ work: FrameTreatment) -> Bool { works[.share] == work }
        // What a movie may begin with is made all the time.
        func past(_ work: FrameTreatment) -> Duration {
            works[.movies] == work ? arguments[RunOptions.moviePast] ?? .zero : .zero
        }
        var stages: [FrameTreatment: StageHost] = [:]
        var ends: [@Sendable () -> Void] = []
        func add(_ stage: StageHost, to host: HostSinks) {
            let leave = host.attach(stage)
            stages[stage.treatment] = stage
            ends.insert(
                {
                    leave()
                    stage.close()
                }, at: 0)
        }
        do throws(SystemShortage) {
            let both: FrameTreatment = [.fused, .steadied]
            func addSteadying(after earlier: FrameTreatment, to host: HostSinks) throws(SystemShortage) {
                let made = earlier.union(.steadied)
                add(
                    try .steadying(
                        after: earlier, past: past(made), memory: arguments[SourceOptions.memory],
                        isShared: isShared(made),
                        whenFailed: note),
                    to: host)
            }
            if !fused.isEmpty {
                let stage = try StageHost.fusing(
                    LiveSettings(memory: strength), threads: LiveOptions.usualThreads, past: past(.fused),
                    memory: arguments[SourceOptions.memory], isShared: isShared(.fused), whenFailed: note)
                add(stage, to: host.session.sinks)
                if works.values.contains(both) { try addSteadying(after: .fused, to: stage.sinks) }
            }
            if works.values.contains(.steadied) { try addSteadying(after: [], to: host.session.sinks) }
        } catch { throw .camera(.shortage(error)) }
        self.works = works
        self.stages = stages
        self.ends = ends
    }

    /// What is done to the frames of a place, in a word or two; nil if nothing is.
    func treatment(of place: StagedPlace) -> String? { works[place]?.words }

    /// What makes the frames of a place; nil if it gets the camera's own.
    func stage(of place: StagedPlace) -> StageHost? { works[place].flatMap { stages[$0] } }

    /// Waits until frames are made for a place, or none will be of the present stream. Returns whether some are.
    func waitForStream(of place: StagedPlace) -> Bool {
        guard let work = works[place], let stage = stages[work] else { return false }
        // If the earlier stage makes no frames, the later one never learns of a stream.
        if work == [.fused, .steadied], stages[.fused]?.waitForStream() != true { return false }
        return stage.waitForStream()
    }

    /// Ends the stages, and what takes their frames.
    func close() { for end in ends { end() } }

    /// Such as "movies and the page get frames fused with their past".
    var words: String {
        let all: [FrameTreatment] = [.fused, [.fused, .steadied], .steadied]
        return all.compactMap(words(of:)).joined(separator: "; ")
    }

    private func words(of work: FrameTreatment) -> String? {
        let places = StagedPlace.allCases.filter { works[$0] == work }
        let names = places.map(\.words)
        guard let last = names.last else { return nil }
        let list = names.count < 2 ? last : names.dropLast().joined(separator: ", ") + " and " + last
        return "\(list) \(names.count > 1 || places == [.movies] ? "get" : "gets") \(work.ofFrames)"
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
        if places(arguments, PlaceOptions.steady).contains(.movies),
            arguments[StabilizationOptions.stabilise] ?? .off != .off
        {
            throw .pictures(
                "--steady movies: --stabilise steadies the same movies",
                hint:
                    "leave out one of them: --stabilise cinematic is steadier; --steady shares its work with other places"
            )
        }
        for (name, option) in [("--fuse", PlaceOptions.fuse), ("--steady", PlaceOptions.steady)] {
            let wanted = places(arguments, option)
            if let missing = StagedPlace.allCases.first(where: { wanted.contains($0) && !there.contains($0) }) {
                throw .pictures(
                    "\(name) \(missing.rawValue): \(missing.lack)",
                    hint: "add \(missing.option), or leave out '\(missing.rawValue)'")
            }
        }
    }
}

extension FrameTreatment {
    /// Such as "steadied frames".
    fileprivate var ofFrames: String {
        guard contains(.fused) else { return "steadied frames" }
        return "frames fused with their past\(contains(.steadied) ? " and steadied" : "")"
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
