// SPDX-License-Identifier: MIT
// Signals as a shutter. They are sent to its thread only, because the other threads of the tests do not block them.

import Files
import Frames
import Glibc
import LivecapCSystem
import Synchronization
import Testing
import Threads

@testable import Shutter

extension Sources {
    @Suite struct SignalShutterTests {
        private let events = Log<ShutterEvent>()

        /// Makes a shutter on a separate thread, because the signals stay blocked on the thread that makes
        /// it.
        private func shutter() throws -> SignalShutter {
            let made = Guarded<SignalShutter?>(nil)
            let events = events
            try! SystemThread(name: "maker") {
                let shutter = try? SignalShutter(onEvent: events.add)
                made.withLock { $0 = shutter }
            }.join()
            try eventually("the thread") { threads(named: "tap signals").count == 1 }
            return try #require(made.withLock { $0 })
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

        @Test func eachQueuedSignalIsAPress() throws {
            let shutter = try shutter()
            for _ in 0..<20 { try send(lc_first_realtime_signal()) }
            #expect(try events.first(40).count == 40)
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

        @Test func closeIsFinal() throws {
            let shutter = try shutter()
            shutter.close()
            shutter.close()
            #expect(events.entries.isEmpty)
        }
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
            withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names.filter { !$0.hasPrefix(".") }
}
