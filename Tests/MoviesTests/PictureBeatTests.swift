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

    // MARK: A rate of its own

    private func exact(_ last: Int) -> PictureBeat {
        var beat = PictureBeat(.milliseconds(40), isExact: true)
        beat.frame(at: .milliseconds(40 * last), usual: .milliseconds(40), now: Self.now)
        return beat
    }

    @Test func picturesOfARateAreOneIntervalApart() {
        #expect(repetitions(exact(25), before: .milliseconds(1040)).times.isEmpty)
        #expect(repetitions(exact(25), before: .milliseconds(1120)).times == [1040, 1080])
    }

    @Test func framesAreSeenAtTheTimesOfTheRate() {
        #expect(PictureBeat(.milliseconds(40), isExact: true).place(of: .milliseconds(59)) == .milliseconds(40))
        #expect(PictureBeat(.milliseconds(40)).place(of: .milliseconds(59)) == .milliseconds(59))
        // The next time is preferred to a nearer one.
        for (time, place) in [(1011, 1040), (1069, 1040), (1071, 1080), (1009, 1000), (1500, 1520), (1495, 1480)] {
            #expect(exact(25).place(of: .milliseconds(time)) == .milliseconds(place), "\(time)")
        }
    }
}
