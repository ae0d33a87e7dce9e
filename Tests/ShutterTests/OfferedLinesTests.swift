// SPDX-License-Identifier: MIT
// Lines of which only the newest counts: for clients that read slowly, there are fewer of them.

import Glibc
import LivecapPatience
import LivecapThreads
import Testing

@testable import Shutter

@Suite struct OutboxTests {
    private let stop: StopRequest
    private let outbox: Outbox

    init() throws {
        stop = try StopRequest()
        outbox = Outbox(maxBytes: 100, waking: stop)
    }

    /// What a client receives that takes so many bytes at once, and no more after `room` of them.
    private func receive(_ outbox: Outbox, atOnce: Int = .max, room: Int = .max) -> String {
        var bytes: [UInt8] = []
        outbox.drain { waiting in
            let count = min(waiting.count, atOnce, room - bytes.count)
            bytes += waiting[..<count]
            return count
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func theNewestTakesThePlaceOfTheOneBefore() {
        for number in 1...1000 { outbox.offer("offer \(number)") }
        #expect(outbox.isWaiting && !outbox.isDone && !outbox.hasOverflown)
        #expect(receive(outbox) == "offer 1000\n")
        #expect(!outbox.isWaiting && outbox.isDone)
        #expect(receive(outbox) == "")
    }

    @Test func whatIsSentComesFirstAndIsComplete() {
        outbox.offer("old")
        outbox.add("first")
        outbox.add("second")
        outbox.offer("new")
        #expect(receive(outbox, atOnce: 3) == "first\nsecond\nnew\n")
    }

    /// A line that is on its way is not exchanged for another.
    @Test func whatIsBeingSentStaysWhole() {
        outbox.offer("the first")
        #expect(receive(outbox, room: 4) == "the ")
        outbox.offer("second")
        outbox.offer("third")
        #expect(receive(outbox, room: 2) == "fi")
        outbox.add("answer")
        outbox.offer("fourth")
        #expect(receive(outbox) == "rst\nanswer\nfourth\n")
    }

    @Test func whatIsWithdrawnIsNotSent() {
        outbox.offer("old")
        outbox.offer(nil)
        #expect(!outbox.isWaiting)
        outbox.add("answer")
        #expect(receive(outbox) == "answer\n")
        outbox.offer("begun")
        #expect(receive(outbox, room: 1) == "b")
        outbox.offer("next")
        outbox.offer(nil)
        #expect(receive(outbox) == "egun\n")
    }

    @Test func lineEndsWithinBecomeSpaces() {
        outbox.offer("a\nb")
        #expect(receive(outbox) == "a b\n")
    }

    @Test func theThreadIsWokenForTheFirst() {
        func isWoken() -> Bool {
            var polled = [pollfd(stop.wake.descriptor)]
            polled.wait(milliseconds: 0)
            defer { stop.wake.clear() }
            return polled[0].isReadable
        }
        #expect(!isWoken())
        outbox.offer("first")
        #expect(isWoken())
        outbox.offer("second")
        outbox.offer(nil)
        #expect(!isWoken())
        outbox.offer("third")
        #expect(isWoken())
        _ = receive(outbox)
        outbox.offer("fourth")
        #expect(isWoken())
    }

    @Test func nothingIsOfferedToAClientThatHasLeft() {
        outbox.offer("old")
        outbox.shut()
        outbox.offer("new")
        #expect(!outbox.isWaiting && receive(outbox) == "")
    }

    /// Answers that a client leaves unread end the connection, whatever is offered.
    @Test func answersAreStillBounded() {
        outbox.offer(String(repeating: "x", count: 1000))
        outbox.add(String(repeating: "y", count: 99))
        #expect(!outbox.hasOverflown)
        outbox.add("z")
        #expect(outbox.hasOverflown)
    }
}

extension Sources {
    @Suite struct OfferedLinesTests {
        private let folder: Folder
        private let path: String

        init() throws {
            folder = try Folder()
            path = "\(folder.path)/s"
        }

        /// What the kernel keeps for a client that does not read becomes old, so it keeps little.
        @Test func theKernelKeepsFewOfThem() throws {
            var ends: [Int32] = [0, 0]
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
            let client = SocketClient(OwnedDescriptor(ends[0]), waking: try StopRequest())
            let reader = OwnedDescriptor(ends[1])
            let request = Array("{\"facts\":{\"follow\":[\"faces\"]}}\n".utf8)
            try #require(write(reader.number, request, request.count) == request.count)
            var replies: [SocketReply] = []
            client.serve(pollfd(fd: ends[0], events: 0, revents: Int16(POLLIN)), now: .now, until: { false }) {
                replies.append($1)
            }
            let reply = try #require(replies.first)
            /// Writes as much as the kernel takes.
            func pass() { client.answer(pollfd(fd: ends[0], events: 0, revents: Int16(POLLOUT))) }
            let rest = String(repeating: "x", count: 1000)
            for number in 1...1000 {
                reply.offer("\(number) \(rest)")
                pass()
            }
            var splitter = LineSplitter(maxBytes: 1 << 16)
            var numbers: [Int] = []
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = read(reader.number, &bytes, bytes.count), count > 0 {
                for case .whole(let line) in splitter.lines(in: bytes[..<count]) {
                    numbers.append(Int(String(decoding: line.prefix { $0 != 0x20 }, as: UTF8.self)) ?? 0)
                }
                pass()
            }
            // Those that were written first, without a gap, one that was on its way, and the newest.
            #expect(numbers.last == 1000 && Array(numbers.dropLast()) == Array(1..<numbers.count), "\(numbers)")
            #expect(numbers.count <= 16, "\(numbers)")
        }

        /// A client that reads nothing for as long as ten thousand lines take stays connected. It then gets those that
        /// the kernel holds, which are few, and the newest.
        @Test func aClientThatReadsSlowlyGetsFewerAndTheNewest() throws {
            let held = Guarded<[SocketReply]>([])
            let shutter = try SocketShutter(path: path) { request, reply in
                if request.wish != .left { held.withLock { $0.append(reply) } }
            }
            let client = try SocketProbe(path)
            client.send("{\"facts\":{\"follow\":[\"faces\"]}}\n")
            try eventually("the request") { held.withLock { !$0.isEmpty } }
            let reply = held.withLock { $0[0] }
            let rest = String(repeating: "x", count: 1000)
            for number in 1...10_000 { reply.offer("\(number) \(rest)") }
            #expect(reply.isConnected)
            // Answers are not left out.
            reply.send("answer")
            var numbers: [Int] = []
            var hasAnswer = false
            // The answer may come before the newest or after it.
            while numbers.last != 10_000 || !hasAnswer, let line = client.line() {
                if line == "answer" { hasAnswer = true } else { numbers.append(Int(line.prefix { $0 != " " }) ?? 0) }
            }
            #expect(hasAnswer && numbers == numbers.sorted() && numbers.last == 10_000)
            #expect(numbers.count < 100, "\(numbers)")
            shutter.close()
        }
    }
}
