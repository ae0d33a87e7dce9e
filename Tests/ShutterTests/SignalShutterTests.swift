// SPDX-License-Identifier: MIT
// Signals as a shutter, one by one. They are sent to single threads of this process, so that they reach no other test.

import Glibc
import LivecapCSystem
import LivecapFiles
import LivecapFrames
import LivecapPatience
import LivecapThreads
import Synchronization
import Testing

@testable import Shutter

extension Sources {
    @Suite struct SignalShutterTests {
        private let events = Log<ShutterEvent>()

        private func shutter() throws -> SignalShutter {
            let shutter = try SignalShutter(onEvent: events.add)
            try eventually("the thread") { threads(named: "tap signals").count == 1 }
            return shutter
        }

        private func send(_ signal: Int32, _ value: Int32 = 0) throws {
            #expect(lc_queue_signal(try #require(threads(named: "tap signals").first), signal, value) == 0)
        }

        @Test func aSignalIsAClick() throws {
            let shutter = try shutter()
            let before = Timestamp.now
            try send(SIGUSR1)
            let reported = try events.first(2)
            #expect(isClick(reported))
            guard case .pressed(let time) = reported[0] else { return }
            #expect((before...Timestamp.now).contains(time))
            shutter.close()
        }

        @Test(arguments: [SIGUSR1, lc_first_realtime_signal()])
        func signalValueIsTheAgeInMilliseconds(_ signal: Int32) throws {
            let shutter = try shutter()
            let before = Timestamp.now
            try send(signal, 250_000)
            _ = try events.first(2)
            try send(signal, -5)
            let reported = try events.first(4)
            let after = Timestamp.now
            guard case .pressed(let past) = reported[0], case .pressed(let present) = reported[2] else {
                Issue.record("\(reported)")
                return
            }
            #expect((before - .seconds(250)...after - .seconds(250)).contains(past))
            #expect((before...after).contains(present))
            shutter.close()
        }

        @Test func eachPressHasItsOwnTimeHoweverLateItIsRead() throws {
            let gate = Gate()
            let shutter = try SignalShutter { event in
                events.add(event)
                gate.wait()
            }
            try press(3)
            let after = Timestamp.now
            gate.open()
            let times = try events.first(6).compactMap { if case .pressed(let time) = $0 { time } else { nil } }
            #expect(times.count == 3 && times == times.sorted() && times[2] <= after)
            shutter.close()
        }

        @Test func severalThreadsAtOnceLoseNothing() throws {
            let shutter = try shutter()
            let threads = try (0..<4).map { _ in try pressing(250) }
            for thread in threads { thread.join() }
            #expect(try events.first(2000).count == 2000)
            #expect(shutter.droppedPresses == 0)
            shutter.close()
        }

        @Test func pressesWithoutRoomAreCounted() throws {
            let gate = Gate()
            let shutter = try SignalShutter { event in
                events.add(event)
                gate.wait()
            }
            try press(1)
            _ = try events.first(1)
            // The thread is in its handler now, and reads nothing.
            try press(Int(LC_PRESSES_MAX) + 10)
            gate.open()
            try eventually("the count") { shutter.droppedPresses == 10 }
            #expect(try events.first(2050).count == 2 * (1 + Int(LC_PRESSES_MAX)))
            shutter.close()
        }

        /// An eventfd that cannot be raised makes the handler's write fail.
        @Test func theHandlerKeepsErrno() throws {
            let gate = Gate()
            let shutter = try SignalShutter { event in
                events.add(event)
                gate.wait()
            }
            try press(1)
            _ = try events.first(1)
            let wake = try #require(CaughtPresses.process.withLock { $0.wake?.descriptor })
            var count: UInt64 = .max - 1
            #expect(write(wake, &count, 8) == 8)
            let seen = Atomic<Int32>(0)
            try SystemThread(name: "presser") {
                lc_presses_unblock()
                errno = EDOM
                raise(SIGUSR1)
                seen.store(errno, ordering: .relaxed)
            }.join()
            #expect(seen.load(ordering: .relaxed) == EDOM)
            gate.open()
            #expect(try events.first(4).count == 4)
            shutter.close()
        }

        @Test func whatAThreadBlockedUntilNowIsEarly() throws {
            let early = Guarded<Int?>(nil)
            try SystemThread(name: "maker") {
                // It blocks all signals.
                let thread = threads(named: "maker").first ?? 0
                for _ in 0..<3 { _ = lc_queue_signal(thread, lc_first_realtime_signal(), 0) }
                let shutter = try? SignalShutter()
                early.withLock { $0 = shutter?.earlyPresses }
            }.join()
            // Under the thread sanitizer, whose own handler keeps one signal of each kind, three may be one.
            let counts = getenv("LIVECAP_SANITIZER") == nil ? 3...3 : 1...3
            #expect(counts.contains(early.withLock { $0 } ?? 0))
        }

        @Test func aSecondShutterIsRefused() throws {
            let first = try shutter()
            #expect(throws: ShutterError.signalsInUse) { try SignalShutter() }
            first.close()
            try SignalShutter().close()
        }

        @Test func closeMakesTheSignalsDoWhatTheyDidBefore() throws {
            for number in [SIGUSR1, lc_first_realtime_signal()] { signal(number, SIG_IGN) }
            defer { for number in [SIGUSR1, lc_first_realtime_signal()] { signal(number, SIG_DFL) } }
            let shutter = try shutter()
            #expect(!BlockedSignals.isIgnored(SIGUSR1))
            shutter.close()
            #expect(BlockedSignals.isIgnored(SIGUSR1) && BlockedSignals.isIgnored(lc_first_realtime_signal()))
        }

        @Test func closeIsFinal() throws {
            let shutter = try shutter()
            shutter.close()
            shutter.close()
            #expect(events.entries.isEmpty)
        }

        /// Presses from a thread of its own, each of which has been caught when this returns.
        private func press(_ count: Int) throws { try pressing(count).join() }

        private func pressing(_ count: Int) throws -> SystemThread {
            try SystemThread(name: "presser") {
                lc_presses_unblock()
                for _ in 0..<count { raise(SIGUSR1) }
            }
        }
    }
}

/// Holds up a thread until it is opened.
final class Gate: Sendable {
    private let isOpen = Atomic<Bool>(false)
    private let bell = Doorbell(spinNanoseconds: 0)

    func wait() { bell.wait { isOpen.load(ordering: .acquiring) } }

    func open() {
        // Pairs with the acquiring load in `wait`.
        isOpen.store(true, ordering: .releasing)
        bell.ring()
    }
}

/// The ids of this process's threads with this name.
func threads(named name: String) -> [pid_t] {
    names(in: "/proc/self/task").compactMap { thread in
        guard let file = fopen("/proc/self/task/\(thread)/comm", "r") else { return nil }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 16)
        let count = fread(&text, 1, text.count, file)
        return String(decoding: text[..<count], as: UTF8.self) == "\(name)\n" ? pid_t(thread) : nil
    }
}

/// The names in a directory, without hidden ones.
func names(in directory: String) -> [String] {
    guard let handle = opendir(directory) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
        names.append(
            withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names.filter { !$0.hasPrefix(".") }
}
