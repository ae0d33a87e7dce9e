// SPDX-License-Identifier: MIT
// Several readers of the same events: each gets all of them, and none takes any from another.

import LivecapFrames
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) struct ReaderTests {
    private let quick = PhotoSettings(quality: .mean, frames: 2)

    @Test func everyReaderOfAShotGetsTheWholeStory() async throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<20)
        let shot = driven.tap(at: 100)
        let early = Task { await shot.story() }
        let photo = Task { try await shot.photo().reference.id }
        driven.work()
        #expect(await early.value == "begin captured photo")
        #expect(try await photo.value.counter == 10)
        #expect(await shot.story() == "begin captured photo")
        #expect(try await shot.photo().reference.id.counter == 10)
    }

    @Test func aCancelledReaderLeavesTheShotToTheOthers() async throws {
        let driven = try HandDrivenDesk()
        driven.frames(0..<20)
        let shot = driven.tap(at: 100)
        let cancelled = Task { await shot.failure() }
        cancelled.cancel()
        #expect(await cancelled.value == .cancelled)
        driven.work()
        #expect(await shot.story() == "begin captured photo")
    }

    @Test func aCancelledPhotoCancelsItsShot() async throws {
        let (session, script) = try scripted()
        session.begin()
        script.frames(0..<5)
        let output = session.photoOutput
        let photo = Task { () async -> PhotoError? in
            do throws(PhotoError) {
                _ = try await output.photo(quick, at: .at(moment(5000)))
                return nil
            } catch { return error }
        }
        await until { output.shotsInProgress == 1 }
        photo.cancel()
        #expect(await photo.value == .cancelled)
        #expect(output.shotsInProgress == 0)
        session.end()
    }

    @Test func everyReaderOfASessionGetsItsEvents() async throws {
        let (session, script) = try scripted()
        func follow() -> Task<[SessionEvent], Never> {
            let events = session.events
            return Task {
                var story: [SessionEvent] = []
                for await event in events {
                    story.append(event)
                    if event == .stopped { break }
                }
                return story
            }
        }
        let first = follow()
        session.begin()
        script.frames(0..<3)
        let second = follow()
        session.end()
        let (a, b, late) = (await first.value, await second.value, await follow().value)
        #expect(a.first == .running && a.suffix(2) == [.ended, .stopped])
        #expect(b == a && late == a)
    }

    @Test func eventsEndWithTheSession() async throws {
        var session = Optional(try scripted().session)
        let events = try #require(session).events
        let reader = Task { await events.reduce(into: []) { $0.append($1) } }
        session = nil
        #expect(await reader.value.isEmpty)
    }

    @Test func aLateReaderLosesTheOldestEvents() async {
        let log = EventLog<Int>(limit: 10)
        let sequence = log.sequence
        for number in 0..<25 { log.add(number) }
        log.finish()
        let read = await sequence.reduce(into: []) { $0.append($1) }
        #expect(read.count >= 10 && read == Array((25 - read.count)..<25))
    }
}
