// SPDX-License-Identifier: MIT
// Traces are valid JSON, whatever they contain, from any number of threads, and however they end.

import Foundation
import LivecapFiles
import LivecapFrames
import LivecapThreads
import Synchronization
import Testing

@testable import LiveCapture
@testable import LivecapDeveloping

@Suite(.timeLimit(.usual)) final class TraceTests {
    private let folder: URL
    private var path: String { folder.appendingPathComponent("trace.json").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("trace-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func time(_ nanoseconds: Int64) -> Timestamp { Timestamp(nanoseconds: nanoseconds) }

    private func written() throws -> String {
        try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
    }

    private func parse(_ text: String) throws -> [[String: Any]] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    }

    /// The events in the file, without the names of tracks.
    private func events() throws -> [[String: Any]] { try parse(written()).filter { $0["ph"] as? String != "M" } }

    @Test("Spans, instants and counters record time, duration, track and shot")
    func kinds() throws {
        let trace = try Trace(path: path)
        trace.span(
            "align", on: .worker(2), from: time(1_000_001), to: time(1_002_500), shot: 7, ["frames": 8, "ok": true])
        trace.instant("tap", on: .taps, at: time(5), ["from": "terminal", "lag": -0.5])
        trace.counter("shots waiting", 3, at: time(-1_001))
        #expect(trace.close() == outcome(events: 3))

        let events = try events()
        #expect(events.map { $0["ph"] as? String } == ["X", "i", "C"])
        #expect(events.map { $0["name"] as? String } == ["align", "tap", "shots waiting"])
        #expect(events.allSatisfy { $0["pid"] as? Int32 == getpid() })
        let arguments = events.map { $0["args"] as? [String: Any] }
        #expect(arguments[0]?["shot"] as? Int == 7 && arguments[0]?["frames"] as? Int == 8)
        #expect(arguments[0]?["ok"] as? Bool == true)
        #expect(arguments[1]?["from"] as? String == "terminal" && arguments[1]?["lag"] as? Double == -0.5)
        #expect(arguments[2]?["value"] as? Double == 3)
        // Exact to the nanosecond, which a Double would not be on a machine that has been up for long.
        let text = try written()
        #expect(text.contains("\"ts\":1000.001,\"dur\":2.499"))
        #expect(text.contains("\"ts\":0.005,") && text.contains("\"ts\":-1.001,"))
    }

    @Test("Every track has a name, once, and a place")
    func tracks() throws {
        let trace = try Trace(path: path)
        let tracks: [Trace.Track] = [.frames, .taps, .select, .worker(1), .worker(2), .store, .readiness, .queues]
        for _ in 0..<2 { for track in tracks { trace.instant("here", on: track, at: time(1)) } }
        trace.close()
        let all = try parse(written())
        let names = all.filter { $0["name"] as? String == "thread_name" }
        #expect(
            names.map { ($0["args"] as? [String: Any])?["name"] as? String } == [
                "frames", "taps", "select", "worker 1", "worker 2", "store", "readiness", "queues",
            ])
        #expect(Set(names.map { $0["tid"] as? Int }) == Set(try events().map { $0["tid"] as? Int }))
        #expect(all.filter { $0["name"] as? String == "thread_sort_index" }.count == tracks.count)
    }

    @Test("Shots overlap on lines of their own, with stages within")
    func shots() throws {
        let trace = try Trace(path: path)
        trace.beginShot(1, at: time(0), ["asked": "quality"])
        trace.beginShot(255, at: time(10))
        trace.stage("wait", of: 1, from: time(0), to: time(20))
        trace.endShot(255, at: time(30))
        trace.endShot(1, at: time(40))
        trace.close()
        let events = try events()
        #expect(events.map { $0["ph"] as? String } == ["b", "b", "b", "e", "e", "e"])
        #expect(events.map { $0["id"] as? String } == ["0x1", "0xff", "0x1", "0x1", "0xff", "0x1"])
        #expect(events.allSatisfy { $0["cat"] as? String == "shot" })
    }

    @Test("Any text is escaped and read back unchanged")
    func escaping() throws {
        let texts = ["", "\"\\/", "line\nbreak\r\t\u{0}\u{1f}\u{7f}", "Ölmühle 📷 \u{2028}", "]},{"]
        let trace = try Trace(path: path)
        for text in texts { trace.instant(text, on: .taps, at: time(0), ["text": .text(text)]) }
        trace.close()
        let events = try events()
        #expect(events.map { $0["name"] as? String } == texts)
        #expect(events.map { ($0["args"] as? [String: Any])?["text"] as? String } == texts)
    }

    @Test("Numbers that JSON cannot express do no harm")
    func oddNumbers() throws {
        let trace = try Trace(path: path)
        trace.instant(
            "odd", on: .taps, at: time(.min), shot: .max,
            ["nan": .number(.nan), "inf": .number(.infinity), "tiny": 1e-300, "big": TraceValue(UInt64.max)])
        trace.counter("odd", .nan, at: time(0))
        trace.span("backwards", on: .store, from: time(9), to: time(3))
        trace.close()
        let events = try events()
        #expect(events.count == 2)
        #expect((events[0]["args"] as? [String: Any])?["nan"] is NSNull)
        #expect(events[1]["dur"] as? Double == 0)
        #expect(try written().contains("\"shot\":18446744073709551615"))
    }

    @Test("Threads do not interleave within lines")
    func threads() throws {
        let trace = try Trace(path: path)
        let threads = (1...4).map { number in
            try! SystemThread(name: "worker") {
                for index in 0..<250 {
                    trace.instant("event", on: .worker(number), at: Timestamp(nanoseconds: Int64(index)))
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(trace.close() == outcome(events: 1000))
        let events = try events()
        for number in 1...4 {
            let own = events.filter { $0["tid"] as? Int == 100 + number }
            let times = own.map { $0["ts"] as? Double }
            let wanted = (0..<250).map { index -> Double? in Double(index) / 1000 }
            #expect(times == wanted)
        }
    }

    @Test("The trace of a killed program lacks only its end, wherever it is cut")
    func cut() throws {
        let shared = Shared()
        var calls = FileCalls()
        calls.write = { descriptor, bytes in
            defer { shared.count.wrappingAdd(1, ordering: .releasing) }
            return write(descriptor, bytes.baseAddress, bytes.count)
        }
        let trace = try Trace(path: path, bufferBytes: 1 << 20, calls: calls)
        for index in 0..<20 { trace.instant("event", on: .taps, at: time(Int64(index))) }
        while shared.count.load(ordering: .acquiring) < 2 { usleep(1000) }
        let text = try written()
        #expect(try parse(text + "]").count == 1 + 2 + 20)
        for length in stride(from: 100, to: text.utf8.count, by: 7) {
            let cut = String(decoding: text.utf8.prefix(length), as: UTF8.self)
            let whole = cut.range(of: ",\n", options: .backwards).map { cut[..<$0.lowerBound] } ?? "["
            _ = try parse(whole + "]")
        }
        trace.close()
    }

    @Test("When the disk falls behind, events are left out, and the trace says how many")
    func slowDisk() throws {
        let (gate, entered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let count = Shared()
        var calls = FileCalls()
        calls.write = { descriptor, bytes in
            if count.count.wrappingAdd(1, ordering: .relaxed).newValue == 2 {
                entered.signal()
                gate.wait()
            }
            return write(descriptor, bytes.baseAddress, bytes.count)
        }
        let trace = try Trace(path: path, bufferBytes: 4096, calls: calls)
        trace.instant("first", on: .taps, at: time(1))
        entered.wait()
        for index in 0..<200 { trace.instant("event", on: .taps, at: time(Int64(index))) }
        gate.signal()
        let outcome = trace.close()
        #expect(outcome.failure == nil && outcome.lost > 100 && outcome.events + outcome.lost == 201)
        let last = try #require(try events().last)
        #expect(last["name"] as? String == "lost \(outcome.lost) events")
        #expect(last["ts"] as? Double == 0.199)
        #expect(try events().count == outcome.events + 1)
    }

    @Test("A full disk is reported on closing, and everything written before is readable")
    func fullDisk() throws {
        let count = Shared()
        let failed = DispatchSemaphore(value: 0)
        var calls = FileCalls()
        calls.write = { descriptor, bytes in
            switch count.count.wrappingAdd(1, ordering: .relaxed).newValue {
            case 1, 2: return write(descriptor, bytes.baseAddress, bytes.count)
            case 3: return write(descriptor, bytes.baseAddress, bytes.count / 2)
            case 4:
                failed.signal()
                errno = ENOSPC
                return -1
            default: return write(descriptor, bytes.baseAddress, bytes.count)
            }
        }
        let trace = try Trace(path: path, bufferBytes: 1 << 20, calls: calls)
        trace.instant("kept", on: .taps, at: time(1))
        while count.count.load(ordering: .relaxed) < 2 { usleep(1000) }
        trace.instant("lost", on: .taps, at: time(2))
        failed.wait()
        trace.instant("late", on: .taps, at: time(3))
        let outcome = trace.close()
        #expect(outcome.failure == .failed(path, call: "write", errno: ENOSPC))
        #expect(outcome.events == 1 && outcome.lost == 2)
        #expect(try events().map { $0["name"] as? String } == ["kept"])
    }

    @Test("After closing, events are ignored, and closing again reports the same")
    func afterwards() throws {
        let trace = try Trace(path: path)
        trace.instant("event", on: .taps, at: time(1))
        let outcome = trace.close()
        let text = try written()
        trace.instant("late", on: .taps, at: time(2))
        #expect(trace.close() == outcome)
        #expect(try written() == text)
    }

    @Test("A released trace is complete")
    func letGo() throws {
        try Trace(path: path).instant("event", on: .taps, at: time(1))
        #expect(try events().count == 1)
    }

    @Test("A trace that cannot be created is refused at once")
    func refused() throws {
        let nowhere = path + "/trace.json"
        #expect(throws: FileError.failed(nowhere, call: "open", errno: ENOENT)) { try Trace(path: nowhere) }
        #expect(throws: FileError.failed("/dev/full", call: "write", errno: ENOSPC)) {
            try Trace(path: "/dev/full")
        }
        try Trace(path: path).close()
        try Trace(path: path).close()
        #expect(throws: FileError.failed(path, call: "open", errno: EEXIST)) {
            try Trace(path: path, overwrite: false)
        }
    }

    private func outcome(events: Int) -> TraceOutcome {
        var outcome = TraceOutcome()
        outcome.events = events
        return outcome
    }
}

/// A counter shared with the calls.
private final class Shared: Sendable {
    let count = Atomic<Int>(0)
}
