// SPDX-License-Identifier: MIT
// When a movie's last picture is shown again.

import LivecapFrames
import Testing

@testable import LivecapMovies

@Suite struct PictureBeatTests {
    private static let now = Timestamp(nanoseconds: 1_000_000_000_000)

    private func beat(usual: Duration = .milliseconds(40)) -> PictureBeat {
        var beat = PictureBeat(.milliseconds(40))
        beat.frame(at: .milliseconds(1000), usual: usual, now: Self.now)
        return beat
    }

    /// The repetitions before a time, in milliseconds, and how many of them are not marked.
    private func repetitions(_ beat: PictureBeat, before time: Duration) -> (times: [Double], unmarked: Int) {
        var (beat, times, unmarked) = (beat, [Double](), 0)
        while let (place, isMarked) = beat.repetition(before: time) {
            times.append(place.milliseconds)
            unmarked += isMarked ? 0 : 1
            beat.repeated(at: place)
        }
        return (times, unmarked)
    }

    @Test func nothingIsMissingUpToTwoIntervals() {
        #expect(repetitions(beat(), before: .milliseconds(1080)).times.isEmpty)
        #expect(repetitions(beat(), before: .milliseconds(1100)).times == [1040])
    }

    @Test func theyAreMarkedOnceTheCameraHasBeenAwayForAWhile() {
        let found = repetitions(beat(), before: .milliseconds(2000))
        #expect(found.times.count == 23 && found.times.last == 1920)
        // Those before 1250 ms.
        #expect(found.unmarked == 6)
    }

    @Test(arguments: [(24, 0), (23, 0), (10, 17), (0, 17)]) func whatWasLeftOutIsNotAway(leftOut: Int, marked: Int) {
        var (beat, found) = (beat(), 0)
        while let (place, isMarked) = beat.repetition(before: .milliseconds(2000), leftOut: leftOut) {
            found += isMarked ? 1 : 0
            beat.repeated(at: place)
        }
        #expect(found == marked)
    }

    @Test func aSlowCameraIsNotAway() {
        #expect(repetitions(beat(usual: .seconds(1)), before: .milliseconds(3900)).unmarked == 71)
    }

    @Test func framesAreExpectedAsLateAsTheLastOneCame() {
        let beat = beat()
        #expect(beat.settled(at: Self.now + .milliseconds(100)) == .milliseconds(1000))
        #expect(beat.settled(at: Self.now + .milliseconds(1250)) == .milliseconds(2000))
    }

    @Test func whatIsNotLaterThanTheLastPictureIsTooLate() {
        var beat = beat()
        #expect(beat.isTaken(.milliseconds(1000)) && !beat.isTaken(.milliseconds(1001)))
        beat.repeated(at: .milliseconds(1040))
        #expect(beat.isTaken(.milliseconds(1040)))
    }
}
