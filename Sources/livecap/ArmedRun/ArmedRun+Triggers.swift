// SPDX-License-Identifier: MIT
// What an armed run does about the things its triggers notice.

import LiveCapture
import LivecapFrames
import LivecapIntents

extension ArmedRun {
    /// Takes a picture of what a trigger has noticed, and begins or ends a movie.
    func obey(_ event: TriggerEvent, _ number: Int) {
        guard let triggers else { return }
        if case .began(let cause) = event, triggers.takesPicture(of: cause) {
            // Sound has the times of this machine's clock.
            let tap = cause.kind == .sound && host.clock == .own ? .now : cause.tap
            if let shot = take(tap, within: cause.kind == .sound ? .milliseconds(10) : .zero) {
                causes[shot.id] = cause.kind
            }
        }
        film(triggers.movie(after: event, number: number, isCompleting: movies?.isCompleting == true))
    }

    /// Begins or ends a movie, as triggers ask for it.
    func film(_ step: TriggeredMovies.Step?) {
        guard let step, let movies, takesTaps else { return }
        switch step {
        case .start(let time): if movies.obey(MovieIntent(.start), at: time) != nil { triggers?.movieRefused() }
        case .film(let time):
            // Without a past, it would show nothing of it.
            guard movies.beginInThePast, movies.obey(MovieIntent(.start), at: time) == nil else { return }
            _ = movies.obey(MovieIntent(.stop), at: .now)
        case .hurry: movies.completeSoon()
        // It may have been ended by hand.
        case .stop: _ = movies.obey(MovieIntent(.stop), at: .now)
        }
    }

    /// Reports what a trigger has noticed, and why it says so. People are not told that a time has come, or that it is
    /// quiet.
    func report(_ event: TriggerEvent, _ console: inout Console) throws(Failure) {
        guard console.writesJSON else {
            if case .began(let cause) = event, cause.kind != .time { Console.note("triggered by \(cause.words)") }
            return
        }
        switch event {
        case .began(let cause): try console.print(.object([("event", "trigger")] + cause.members))
        case .ended(let kind, let last):
            try console.print(
                .object([
                    ("event", "quiet"), ("trigger", .string(kind.rawValue)), ("lastNs", .integer(last.nanoseconds)),
                ]))
        }
        try console.flush()
    }
}
