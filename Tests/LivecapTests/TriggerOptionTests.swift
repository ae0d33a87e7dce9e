// SPDX-License-Identifier: MIT
// What `--trigger` takes, and when what is noticed begins and ends a movie.

import LivecapCommandTable
import LivecapFrames
import LivecapIntents
import Testing

@testable import livecap

@Suite struct TriggerOptionTests {
    private static func box(_ x: Float, _ y: Float, _ width: Float, _ height: Float) -> PictureBox {
        PictureBox(origin: PicturePoint(x: x, y: y), width: width, height: height)
    }

    @Test(
        arguments: [
            ("motion", .motion(MotionTrigger())), ("motion:0.7", .motion(MotionTrigger(sensitivity: 0.7))),
            ("motion:50x100+50+0", .motion(MotionTrigger(in: box(0.5, 0, 0.5, 1)))),
            ("motion:50x100+50+0,1", .motion(MotionTrigger(in: box(0.5, 0, 0.5, 1), sensitivity: 1))),
            ("motion:25x50", .motion(MotionTrigger(in: box(0, 0, 0.25, 0.5)))),
            ("sound", .sound(SoundTrigger())), ("sound:-20", .sound(SoundTrigger(.level(-20)))),
            ("sound:-20dB", .sound(SoundTrigger(.level(-20)))), ("sound:+12", .sound(SoundTrigger(.aboveUsual(12)))),
            ("every 5s", .every(.seconds(5))), ("every:250ms", .every(.milliseconds(250))),
        ] as [(String, TriggerChoice)])
    func triggersAreRead(_ text: String, _ choice: TriggerChoice) { #expect(TriggerChoice(text) == choice) }

    @Test(arguments: [
        "", "Motion", "motion:", "motion:2", "motion:-0.1", "motion:nan", "motion:0.5,0.5", "motion:50x100+60+0",
        "motion:0x10", "motion:50x100+50", "motion:50x100+50+0,", "motion:50x100+50+0,0.5,0.5", "motion:50xinf",
        "sound:", "sound:20", "sound:+0", "sound:loud", "sound:nan", "every", "every:", "every 0s", "every 1us",
        "every 5 s", "picture",
    ]) func anythingElseIsRefused(text: String) { #expect(TriggerChoice(text) == nil) }

    /// A camera's H.264 is then decoded.
    @Test(arguments: [(["motion"], true), (["sound"], false), (["sound", "motion"], true), ([], false)])
    func aMovieKnowsWhetherItWatches(triggers: [String], watches: Bool) throws {
        let line = ["movie", "-o", "a.mkv", "--on-tap"] + triggers.flatMap { ["--trigger", $0] }
        guard case .run(_, let arguments) = try Livecap.program.parse(line) else {
            throw UsageError("asked for help", hint: "")
        }
        let past = Option("pre", ValueKind<Int64>.positiveNanoseconds().map(Duration.nanoseconds), help: "none")
        let beginning = try MovieBeginning(arguments, past: past, isTapped: true)
        #expect(beginning.watches == watches)
    }

    @Test func theQuietTimeIsThatOfTheOption() {
        #expect(
            TriggerChoice("motion:0.7")?.waiting(.seconds(9))
                == .motion(MotionTrigger(sensitivity: 0.7, quiet: .seconds(9))))
        #expect(
            TriggerChoice("sound:-20")?.waiting(.seconds(9)) == .sound(SoundTrigger(.level(-20), quiet: .seconds(9))))
        #expect(TriggerChoice("every 5s")?.waiting(.seconds(9)) == .every(.seconds(5)))
    }

    @Test(
        arguments: [
            (box(0, 0.4, 0.2, 0.2), "at the left"), (box(0.4, 0.4, 0.2, 0.2), "in the middle"),
            (box(0.8, 0.8, 0.2, 0.2), "at the lower right"), (box(0.3, 0, 0.4, 0.2), "at the top"),
            (box(0.3, 0.8, 0.4, 0.2), "at the bottom"),
        ] as [(PictureBox, String)])
    func whereItMovesIsSaid(_ box: PictureBox, _ place: String) {
        let cause = TriggerCause(.motion, time: .zero, motion: .init(box: box, share: 0.021))
        #expect(cause.words == "motion in 2.1 % of the picture, \(place)")
    }

    @Test func aCauseIsReportedWithItsReason() {
        let time = Timestamp(nanoseconds: 5_000_000_000)
        let sound = TriggerCause(
            .sound, time: time, noticed: time + .milliseconds(10), sound: .init(level: -12.4, usual: -53.2))
        #expect(sound.words == "a sound of -12 dB, where -53 dB are usual")
        let names = sound.members.map(\.0)
        #expect(names == ["trigger", "timeNs", "momentNs", "noticedNs", "levelDb", "usualDb"])
        let motion = TriggerCause(
            .motion, time: time, motion: .init(box: Self.box(0, 0, 0.5, 0.5), share: 0.1))
        #expect(motion.members.map(\.0) == ["trigger", "timeNs", "momentNs", "noticedNs", "share", "box"])
    }
}

@Suite struct TriggeredMoviesTests {
    private func began(_ seconds: Double, _ kind: TriggerCause.Kind = .motion) -> TriggerEvent {
        .began(TriggerCause(kind, time: .zero + .seconds(seconds)))
    }

    private func ended(_ seconds: Double) -> TriggerEvent { .ended(.motion, last: .zero + .seconds(seconds)) }

    private func time(_ seconds: Double) -> Timestamp { .zero + .seconds(seconds) }

    @Test func aMovieLastsUntilAllIsQuiet() {
        var movies = TriggeredMovies()
        #expect(movies.note(began(5), number: 0, isCompleting: false) == .start(time(5)))
        #expect(movies.note(began(6), number: 1, isCompleting: false) == nil)
        #expect(movies.note(ended(7), number: 0, isCompleting: false) == nil)
        #expect(movies.note(ended(8), number: 1, isCompleting: false) == .stop)
        #expect(movies.movieEnded() == nil)
        #expect(movies.note(began(9), number: 0, isCompleting: false) == .start(time(9)))
    }

    @Test func theMovieOfSomebodyElseGoesOn() {
        var movies = TriggeredMovies()
        #expect(movies.note(began(5), number: 0, isCompleting: false) != nil)
        movies.refused()
        #expect(movies.note(ended(7), number: 0, isCompleting: false) == nil)
    }

    @Test func aMovieThatWasEndedByHandIsNotEndedAgain() {
        var movies = TriggeredMovies()
        #expect(movies.note(began(5), number: 0, isCompleting: false) != nil)
        #expect(movies.movieEnded() == nil)
        #expect(movies.note(ended(7), number: 0, isCompleting: false) == nil)
    }

    @Test func whatBeginsWhileAMovieIsCompletedIsFilmedAfterwards() {
        var movies = TriggeredMovies()
        #expect(movies.note(began(5), number: 0, isCompleting: true) == .hurry)
        #expect(movies.movieEnded() == .start(time(5)))
        #expect(movies.note(ended(7), number: 0, isCompleting: false) == .stop)
        // If it is over by then, the movie is made all the same, and ends at once.
        var others = TriggeredMovies()
        #expect(others.note(began(5), number: 0, isCompleting: true) == .hurry)
        #expect(others.note(ended(7), number: 0, isCompleting: true) == nil)
        #expect(others.movieEnded() == .film(time(5)))
        #expect(others.movieEnded() == nil)
        #expect(others.note(began(9), number: 0, isCompleting: false) == .start(time(9)))
    }

    @Test func timesAreNotFilmed() {
        var movies = TriggeredMovies()
        #expect(movies.note(began(5, .time), number: 0, isCompleting: false) == nil)
    }

    @Test func aSingleMovieEndsOnceAllIsQuiet() {
        var state = MovieTriggerState()
        state.active = [0, 1]
        state.isOwn = true
        var isOver = state.end(0)
        #expect(!isOver)
        isOver = state.end(1)
        #expect(isOver && state.hasEnded)
        // A movie that began with a tap does not.
        var tapped = MovieTriggerState()
        tapped.active = [0]
        isOver = tapped.end(0)
        #expect(!isOver && !tapped.hasEnded)
    }
}
