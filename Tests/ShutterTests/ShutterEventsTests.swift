// SPDX-License-Identifier: MIT
// A shutter's events as a sequence: several readers, the end, cancelling, and readers that are too slow.

import LivecapFrames
import LivecapThreads
import Testing

@testable import Shutter

private func at(_ milliseconds: Int64) -> Timestamp { .zero + .milliseconds(milliseconds) }

extension Sources {
    @Suite struct ShutterEventsTests {
        private let feed = ShutterFeed()
        private var events: ShutterEvents { ShutterEvents(feed, of: feed) }

        @Test func theExampleReadsToTheEndOfTheInput() async throws {
            let pipe = try Ends.pipe()
            let shutter = try TerminalShutter(descriptor: pipe.inner)
            let events = shutter.events
            let reader = Task {
                var times: [Timestamp] = []
                for await case .pressed(let time) in events { times.append(time) }
                return times
            }
            // Whether or not the task reads yet, the end is the last thing that it sees.
            pipe.hangUp()
            #expect(await reader.value.isEmpty)
            shutter.close()
        }

        @Test func everyReaderGetsEveryEvent() async throws {
            let pipe = try Ends.pipe()
            let shutter = try TerminalShutter(descriptor: pipe.inner)
            var readers = [shutter.events.makeAsyncIterator(), shutter.events.makeAsyncIterator()]
            pipe.type("\n\n")
            pipe.hangUp()
            for index in readers.indices {
                var all: [ShutterEvent] = []
                while let event = await readers[index].next() { all.append(event) }
                #expect(all.count == 4 && isClick(all) && isClick(all, from: 2))
            }
            shutter.close()
        }

        @Test func aReaderGetsTheEventsSinceItBegan() async {
            feed.send(.pressed(at: at(1)))
            var reader = events.makeAsyncIterator()
            feed.send(.released(at: at(2)))
            #expect(await reader.next() == .released(at: at(2)))
        }

        @Test func closeEndsItAfterTheLastEvent() async {
            var reader = events.makeAsyncIterator()
            feed.send(.pressed(at: at(1)))
            feed.end()
            #expect(await reader.next() == .pressed(at: at(1)))
            #expect(await reader.next() == nil)
            var late = events.makeAsyncIterator()
            #expect(await late.next() == nil)
        }

        @Test func closeEndsAReaderThatWaits() async throws {
            let pipe = try Ends.pipe()
            let shutter = try TerminalShutter(descriptor: pipe.inner)
            let events = shutter.events
            let reader = Task { for await _ in events {} }
            shutter.close()
            await reader.value
        }

        @Test func cancellingEndsOneReaderAlone() async {
            let (first, hasBegun) = (Log<ShutterEvent>(), Gate())
            let events = events
            let cancelled = Task {
                var reader = events.makeAsyncIterator()
                hasBegun.open()
                while let event = await reader.next() { first.add(event) }
            }
            var other = events.makeAsyncIterator()
            hasBegun.wait()
            cancelled.cancel()
            await cancelled.value
            feed.send(.pressed(at: at(1)))
            #expect(await other.next() == .pressed(at: at(1)))
            #expect(first.entries.isEmpty)
        }

        @Test func aReaderThatIsTooSlowLosesPressesAndCountsThem() async {
            var reader = events.makeAsyncIterator()
            for number in 0..<Int64(ShutterEvents.maxUnread + 7) {
                feed.send(.pressed(at: at(number)))
                feed.send(.released(at: at(number)))
            }
            feed.end()
            #expect(reader.droppedCount == 7)
            var all: [ShutterEvent] = []
            while let event = await reader.next() { all.append(event) }
            // As many releases as presses: no button stays down.
            #expect(all.count == 2 * ShutterEvents.maxUnread)
            #expect(all.last == .released(at: at(Int64(ShutterEvents.maxUnread) - 1)))
        }

        @Test func aShutterListensAsLongAsSomebodyReads() async throws {
            let pipe = try Ends.pipe()
            var reader = try TerminalShutter(descriptor: pipe.inner).events.makeAsyncIterator()
            pipe.type("\n")
            guard case .pressed? = await reader.next() else {
                Issue.record("the shutter has gone")
                return
            }
        }
    }
}
