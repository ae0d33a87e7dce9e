// SPDX-License-Identifier: MIT
// A session's frames as asynchronous code follows them.

import FrameRing
import LivecapFrames
import Synchronization
import Testing

@testable import LiveCapture

@Suite(.timeLimit(.usual)) struct FrameStreamTests {
    @Test func everyFrameComesInOrderAndThenTheEnd() async throws {
        let (session, script) = try scripted()
        let frames = session.frames(.every)
        session.begin()
        script.frames(0..<5)
        script.play(.end)
        var counters: [UInt64] = []
        while let frame = await frames.next() { counters.append(frame.metadata.id.counter) }
        #expect(counters == [0, 1, 2, 3, 4] && frames.missed == 0)
        session.end()
    }

    @Test func theNewestFrameReplacesThoseBefore() async throws {
        let (session, script) = try scripted()
        let frames = session.frames()
        session.begin()
        script.frames(0..<5)
        #expect(await frames.next()?.metadata.id.counter == 4)
        #expect(frames.missed == 4)
        script.frames(5..<6)
        #expect(await frames.next()?.metadata.id.counter == 5)
        #expect(frames.missed == 4)
        session.end()
        #expect(await frames.next() == nil)
    }

    @Test func aReaderWaitsForTheNextFrame() async throws {
        let (session, script) = try scripted()
        session.begin()
        script.frames(0..<2)
        let follows = Mutex(false)
        let reader = Task { () async -> UInt64? in
            let frames = session.frames()
            follows.withLock { $0 = true }
            return await frames.next()?.metadata.id.counter
        }
        await until { follows.withLock { $0 } }
        script.frames(2..<3)
        #expect(await reader.value == 2)
        session.end()
    }

    @Test func aCancelledReaderStops() async throws {
        let (session, _) = try scripted()
        session.begin()
        let reader = Task { () async -> Bool in
            let frames = session.frames()
            return await frames.next() == nil
        }
        reader.cancel()
        #expect(await reader.value)
        session.end()
    }

    @Test func aSessionThatIsNeverStartedHasNoFrames() async throws {
        let (session, _) = try scripted()
        let frames = session.frames()
        session.end()
        #expect(await frames.next() == nil)
    }
}
