// SPDX-License-Identifier: MIT
// Taps of every kind, at every time in the life of a session: each ends exactly once, and keeps its id.

import FrameRing
import LivecapFrames
import LivecapThreads
import Synchronization
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct TapTests {
    private let quick = PhotoSettings(quality: .mean, frames: 2)

    private func counter(_ capture: PhotoCapture) async throws -> UInt64 {
        try await capture.photo().reference.id.counter
    }

    @Test func everyKindOfTapFindsItsFrame() async throws {
        let (session, script) = try scripted()
        session.begin()
        let output = session.photoOutput
        script.frames(0..<20)
        let taps: [Tap] = [
            .now, .at(moment(52)), .at(moment(230)), .frame(FrameID(epoch: 0, counter: 7)), .offset(.milliseconds(88)),
            .offset(.milliseconds(301)),
        ]
        let shots = taps.map { output.capture(quick, at: $0) }
        #expect(shots.map(\.id.number) == [1, 2, 3, 4, 5, 6])
        script.frames(20..<32)
        var counters: [UInt64] = []
        for shot in shots {
            let photo = try await shot.photo()
            #expect(photo.shot == shot.id)
            counters.append(photo.reference.id.counter)
        }
        #expect(counters == [19, 5, 23, 7, 9, 30])
        session.end()
    }

    @Test func aFrameThatHasGoneOneThatNeverWasAndOneOfAnotherEpoch() async throws {
        let driven = try HandDrivenDesk(history: 10)
        driven.frames(0..<30)
        func failure(_ id: FrameID) async -> PhotoError? {
            await driven.desk.submit(quick, at: .frame(id), into: nil, number: nil, nil).failure()
        }
        #expect(await failure(FrameID(epoch: 0, counter: 17)) == .tooOld(by: .milliseconds(30)))
        for id in [FrameID(epoch: 0, counter: 30), FrameID(epoch: 1, counter: 25), FrameID(epoch: 1, counter: 5)] {
            #expect(await failure(id) == .noSuchFrame(id))
        }
    }

    /// A shutter sound at `willBeginCapture` would promise a photo.
    @Test func aTapThatCannotBeServedNeverBegins() async throws {
        let driven = try HandDrivenDesk(shots: 1, history: 10) { $0.overload = .refuse }
        driven.frames(0..<30)
        #expect(await driven.tap(at: 20, quick).story() == "too-old")
        let first = driven.tap(at: 280, quick)
        #expect(await driven.tap(at: 290, quick).story() == "overloaded")
        driven.work()
        #expect(await first.story() == "begin captured photo")
    }

    @Test func aTapThatWaitsForFramesHasBegun() async throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<20)
        let shot = driven.tap(at: 190, PhotoSettings(quality: .mean, frames: 4, laterFrames: 2))
        var events = shot.makeAsyncIterator()
        guard case .willBeginCapture? = await events.next() else {
            Issue.record("it has not begun")
            return
        }
        #expect(driven.places.hasPrefix("waiting 1"))
        shot.cancel()
    }

    @Test func damagedFrameIsReplacedByItsNeighbour() async throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<5)
        let damaged = driven.frame(at: 50, damage: .short)
        driven.frame(at: 60)
        let shot = driven.desk.submit(quick, at: .frame(damaged.id), into: nil, number: nil, nil)
        driven.work()
        let photo = try await shot.photo()
        #expect(photo.reference.id.counter == 4)
        #expect(photo.rejected.first?.id == damaged.id)
        #expect(photo.notes == ["frame 0:5 is damaged (\(Damage.short.name)): the picture shows 0:4"])
    }

    @Test func aNeighbourOfADamagedFrameIsWhatItIs() async throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<5)
        driven.frame(at: 50, damage: .short)
        let shot = driven.tap(at: 51, quick)
        driven.frame(at: 60)
        driven.work()
        // Nobody asked for frame 5 itself.
        #expect(try await shot.photo().notes.isEmpty)
    }

    @Test func onlyThoseThatAreDueAreLookedAtAndTheOrderStays() async throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<10)
        let later = [400.0, 300, 200].map { driven.tap(at: $0, quick) }
        let now = driven.tap(at: 60, quick)
        #expect(driven.places == "waiting 3, reading 1, ready 0, in work 0")
        driven.frames(10..<21)
        #expect(driven.places == "waiting 2, reading 2, ready 0, in work 0")
        driven.frames(21..<41)
        driven.work()
        for (shot, frame) in zip([now] + later.reversed(), [6, 20, 30, 40]) {
            #expect(try await shot.photo().reference.id.counter == UInt64(frame))
        }
        #expect(driven.isAtRest())
    }

    @Test func theNewestFrameIsToldTrulyAcrossEpochs() async throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<5)
        driven.hand.beginEpoch()
        driven.frame(at: 50)
        let shot = driven.tap(at: 20, quick)
        driven.work()
        for await case .didFinishCapture(let frames) in shot {
            #expect(frames.newest == FrameID(epoch: 1, counter: 5))
        }
    }

    @Test func beforeTheStart() async throws {
        let (session, script) = try scripted()
        let output = session.photoOutput
        let shots = [Tap.now, .offset(.zero), .offset(.milliseconds(40)), .at(moment(40))].map {
            output.capture(quick, at: $0)
        }
        let unknown = FrameID(epoch: 0, counter: 0)
        #expect(await output.capture(quick, at: .frame(unknown)).failure() == .noSuchFrame(unknown))
        session.begin()
        script.frames(0..<6)
        var counters: [UInt64] = []
        for shot in shots { counters.append(try await counter(shot)) }
        #expect(counters == [0, 0, 4, 4])
        session.end()
    }

    @Test func ofACameraThatIsNotRunning() async throws {
        let (session, _) = try scripted(clock: .monotonic)
        #expect(await session.photoOutput.capture(quick).failure() == .notRunning)
        session.end()
    }

    @Test func afterTheStreamsEnd() async throws {
        let (session, script) = try scripted()
        session.begin()
        script.frames(0..<10)
        script.play(.end)
        wait { session.hasEnded }
        let output = session.photoOutput
        #expect(try await counter(output.capture(quick, at: .at(moment(31)))) == 3)
        #expect(try await counter(output.capture(quick)) == 9)
        let late = await output.capture(quick, at: .at(moment(200))).failure()
        #expect(late == .noFrame(at: moment(200), distance: .milliseconds(110)))
        session.end()
    }

    @Test func afterTheStreamFailed() async throws {
        let (session, script) = try scripted(clock: .monotonic, begin: .now)
        session.begin()
        script.frames(0..<10)
        script.play(.fail(.disconnected(path: "script")))
        wait { session.hasEnded }
        let output = session.photoOutput
        let newest = try #require(session.ring.newestTime)
        #expect(try await counter(output.capture(quick, at: .at(newest))) == 9)
        let late = newest + .milliseconds(500)
        #expect(await output.capture(quick, at: .at(late)).failure() == .streamEnded(.disconnected(path: "script")))
        session.end()
        #expect(await output.capture(quick, at: .at(late)).failure() == .notRunning)
    }

    @Test func afterTheStop() async throws {
        let (session, script) = try scripted()
        session.begin()
        script.frames(0..<10)
        session.end()
        for tap in [Tap.now, .at(moment(50)), .at(moment(500))] {
            #expect(await session.photoOutput.capture(quick, at: tap).failure() == .notRunning)
        }
        #expect(session.photoOutput.shotsInProgress == 0)
    }

    @Test func interleavedShotsHaveTheirEventsInOrder() async throws {
        let (session, script) = try scripted()
        session.begin()
        let kinds = [PhotoSettings(quality: .mean, laterFrames: 2), PhotoSettings(quality: .speed), quick]
        var shots: [PhotoCapture] = []
        for number in 0..<12 {
            let tap = Tap.at(moment(Double(7 * number)))
            shots.append(session.photoOutput.capture(kinds[number % 3], at: tap))
        }
        script.frames(0..<12)
        for shot in shots { #expect(await shot.story() == "begin captured photo") }
        session.end()
    }

    /// Whatever is asked, from any number of threads: taps = photos + failures.
    @Test func manyThreadsAtOnceLoseNothing() async throws {
        let (session, script) = try scripted { $0.overload = .queue }
        session.begin()
        script.frames(0..<5)
        let shots = Guarded<[PhotoCapture]>([])
        let (quick, output) = (quick, session.photoOutput)
        @Sendable func tapAway() {
            for number in 0..<8 {
                let tap: Tap = number % 2 == 0 ? .now : .offset(.milliseconds(Int64(20 * number)))
                let shot = output.capture(quick, at: tap)
                if number == 5 { shot.cancel() }
                shots.withLock { $0.append(shot) }
            }
        }
        let threads = (0..<4).map { try! SystemThread(name: "tap \($0)") { tapAway() } }
        script.frames(5..<30)
        for thread in threads { thread.join() }
        session.end()
        let all = shots.withLock { $0 }
        #expect(Set(all.map(\.id)).count == 32)
        var ends = (photos: 0, failures: 0)
        for shot in all {
            let story = await shot.story()
            if story.hasSuffix("photo") { ends.photos += 1 } else { ends.failures += 1 }
            let word = String(story.split(separator: " ").last ?? "")
            #expect(["photo", "cancelled", "stream-ended", "too-old", "no-frame"].contains(word), "\(story)")
        }
        #expect(ends.photos + ends.failures == 32)
        #expect(session.photoOutput.shotsInProgress == 0)
    }
}
