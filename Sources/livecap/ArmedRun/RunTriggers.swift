// SPDX-License-Identifier: MIT
// What takes pictures, and films movies, without a hand on the shutter, while livecap is armed.

import Camera
import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapIntents
import LivecapSound
import LivecapThreads

/// The triggers of a run: they put what they notice into its inbox. Used by the run's thread.
final class RunTriggers {
    private var leaves: [@Sendable () -> Void] = []
    private var watches: [SoundWatch] = []
    private let microphone: MovieMicrophone?
    private let takesPictures: Bool
    private var films: TriggeredMovies?
    /// What they are, for people.
    let words: String

    /// Nil unless the command line asks for triggers.
    init?(
        _ arguments: Arguments, _ host: Host, _ inbox: RunInbox, microphone: MovieMicrophone?
    ) throws(Failure) {
        let isFilming = TriggerOptions.filmsMovies(arguments)
        let choices = TriggerOptions.choices(
            arguments, TriggerOptions.trigger, quiet: TriggerOptions.usualQuiet(films: isFilming))
        guard !choices.isEmpty else { return nil }
        self.microphone = microphone
        takesPictures = TriggerOptions.action(arguments) != .movie
        films = isFilming ? TriggeredMovies() : nil
        words = "pictures by themselves: \(choices.map(\.words).joined(separator: ", "))"
        for (number, choice) in choices.enumerated() {
            let take: @Sendable (TriggerEvent) -> Void = { inbox.put(.trigger($0, number: number)) }
            try attempt { () throws(CameraError) in try self.begin(choice, host, take) }
        }
    }

    deinit { close() }

    private func begin(
        _ choice: TriggerChoice, _ host: Host, _ take: @escaping @Sendable (TriggerEvent) -> Void
    ) throws(CameraError) {
        switch choice {
        case .motion(let trigger):
            let end: @Sendable (CameraError?) -> Void = { error in
                if let error { Console.note("note: motion is noticed no more: \(error.message); \(error.hint)") }
            }
            leaves.append(try host.session.followMotion(trigger, end: end, take))
        case .sound(let trigger):
            guard let capture = microphone?.capture else { return }
            watches.append(
                try CameraError.wrapping { () throws(SystemShortage) in try SoundWatch(capture, trigger, take) })
        case .every(let interval):
            leaves.append(try host.session.followTime(every: interval) { take(.began($0)) })
        }
    }

    /// Notices no more.
    func close() {
        for leave in leaves { leave() }
        leaves = []
        for watch in watches { watch.close() }
        watches = []
    }

    /// Prints what has happened to the sound.
    func reportNotices() { microphone?.reportNotices() }

    /// Whether a picture is to be taken of a cause.
    func takesPicture(of cause: TriggerCause) -> Bool { takesPictures || cause.kind == .time }

    /// What is to be done about the movie of now, after something was noticed.
    func movie(after event: TriggerEvent, number: Int, isCompleting: Bool) -> TriggeredMovies.Step? {
        films?.note(event, number: number, isCompleting: isCompleting)
    }

    /// The same after a movie has ended, by whatever.
    func movieEnded() -> TriggeredMovies.Step? { films?.movieEnded() }

    /// A movie that was to begin was refused.
    func movieRefused() { films?.refused() }
}

/// When triggers begin and end movies: a plain value. A movie that somebody else began goes on.
struct TriggeredMovies {
    /// What is to be done.
    enum Step: Hashable {
        /// Begin a movie of what began at this time.
        case start(Timestamp)
        /// Make a movie of what began at this time and is over.
        case film(Timestamp)
        /// Complete the last movie soon: another is to begin.
        case hurry
        /// End the movie.
        case stop
    }

    /// The numbers of the triggers that notice something.
    private var active: Set<Int> = []
    /// Whether the movie of now is theirs.
    private var isOwn = false
    /// What began while the last movie was being completed.
    private var waiting: Timestamp?

    init() {}

    /// After what the trigger of a number reports. `isCompleting`: whether a movie is being completed, so that none can
    /// begin.
    mutating func note(_ event: TriggerEvent, number: Int, isCompleting: Bool) -> Step? {
        switch event {
        case .began(let cause):
            guard cause.kind != .time else { return nil }
            active.insert(number)
            guard !isOwn else { return nil }
            if isCompleting {
                waiting = waiting ?? cause.time
                return .hurry
            }
            isOwn = true
            return .start(cause.time)
        case .ended:
            active.remove(number)
            guard active.isEmpty else { return nil }
            defer { isOwn = false }
            return isOwn ? .stop : nil
        }
    }

    /// After the end of a movie.
    mutating func movieEnded() -> Step? {
        isOwn = false
        guard let time = waiting.take() else { return nil }
        guard !active.isEmpty else { return .film(time) }
        isOwn = true
        return .start(time)
    }

    /// Somebody else films.
    mutating func refused() { isOwn = false }
}
