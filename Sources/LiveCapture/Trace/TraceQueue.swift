// SPDX-License-Identifier: MIT
// The bounded buffer between adding an event and writing it, and the thread that writes.

import FrameRing
import Glibc
import LivecapFiles
import LivecapFrames
import LivecapThreads

/// Lines waiting to be written. Its creator must call `close`, which ends it.
final class TraceQueue: Sendable {
    /// How long a line waits for others; at most this much is lost in a kill while the disk keeps up.
    private static let longestWait = Duration.milliseconds(100)

    /// The process's id, which is part of every event.
    let process = getpid()
    private let capacity: Int
    private let state = Guarded(State())
    private let changed = OwnedSignal()

    fileprivate struct State: Sendable {
        /// Lines not taken yet, each after the comma and newline that separate it from the one before.
        var lines: [UInt8] = []
        var lineCount = 0
        /// The number of events left out since the last line, and the time of the last of them.
        var leftOut = 0
        var lastLeftOut = Timestamp.zero
        var named: Set<Trace.Track> = []
        var isClosing = false
        var total = TraceOutcome()
        var thread: SystemThread?
        var outcome: TraceOutcome?
    }

    init(_ file: sending TraceFile, bufferBytes: Int) throws(FileError) {
        capacity = bufferBytes
        let head = TraceLine.head(process: process)
        try file.append(head)
        let writer = TraceWriter(file, self)
        let thread = try FileError.wrapping { () throws(SystemShortage) in
            try SystemThread(name: "trace") { writer.run() }
        }
        state.withLock { $0.thread = thread }
    }

    // MARK: For any thread

    /// Adds an event's line, or counts it as left out. Never waits for the disk.
    func put(_ line: [UInt8], on track: Trace.Track, at time: Timestamp) {
        let wakes = state.withLock { state in
            guard !state.isClosing else { return false }
            let before = state.lines.count
            let naming = state.named.contains(track) ? [] : TraceLine.naming(track, process: process)
            guard before + naming.count + line.count + 4 <= capacity, state.total.failure == nil else {
                (state.leftOut, state.lastLeftOut) = (state.leftOut + 1, time)
                return false
            }
            if !naming.isEmpty {
                state.append(naming)
                state.named.insert(track)
            }
            state.append(line)
            state.lineCount += 1
            // The writer waits for the first line, and then until the buffer is half full or its time is up.
            return before == 0 || (before < capacity / 2 && state.lines.count >= capacity / 2)
        }
        if wakes { changed.notify() }
    }

    /// Ends the trace, and returns its outcome.
    @discardableResult
    func close() -> TraceOutcome {
        let thread = state.withLock { state in
            state.isClosing = true
            defer { state.thread = nil }
            return state.thread
        }
        changed.notify()
        _ = changed.wait(until: .distantFuture) { state.withLock { $0.outcome != nil } }
        thread?.join()
        return state.withLock { $0.outcome! }
    }

    // MARK: For the writing thread

    fileprivate struct Batch {
        var lines: [UInt8]
        var events: Int
        var isLast: Bool
    }

    /// Waits for lines and takes them. `empty` becomes the buffer for the next ones. The last batch has `isLast` set.
    fileprivate func take(_ empty: [UInt8]) -> Batch {
        _ = changed.wait(until: .distantFuture) { state.withLock { !$0.lines.isEmpty || $0.isClosing } }
        _ = changed.wait(until: .now + Self.longestWait) {
            state.withLock { $0.lines.count >= capacity / 2 || $0.isClosing }
        }
        return state.withLock { state in
            if state.leftOut > 0, state.total.failure == nil {
                // After the lines that were there already. The capacity does not apply to this line.
                state.append(
                    TraceLine.loss(of: state.leftOut, at: state.lastLeftOut, process: process))
                state.total.lost += state.leftOut
                state.leftOut = 0
            }
            let batch = Batch(lines: state.lines, events: state.lineCount, isLast: state.isClosing)
            (state.lines, state.lineCount) = (empty, 0)
            return batch
        }
    }

    /// Records that a batch was written.
    fileprivate func wrote(_ batch: borrowing Batch) { state.withLock { $0.total.events += batch.events } }

    /// Records that a batch was not written; the first failure is kept.
    fileprivate func lost(_ batch: borrowing Batch, _ failure: FileError) {
        state.withLock { state in
            state.total.lost += batch.events
            state.total.failure = state.total.failure ?? failure
        }
    }

    /// Records that the file is complete.
    fileprivate func ended() {
        state.withLock { state in
            state.total.lost += state.leftOut
            state.outcome = state.total
        }
        changed.notify()
    }
}

extension TraceQueue.State {
    fileprivate mutating func append(_ line: [UInt8]) {
        // Separators come first, so that a file that is cut short ends with a complete event and no comma.
        lines.append(UInt8(ascii: ","))
        lines.append(UInt8(ascii: "\n"))
        lines.append(contentsOf: line)
    }
}

/// The writing thread's state. `@unchecked Sendable`: only that thread uses the file once it runs.
private final class TraceWriter: @unchecked Sendable {
    private let file: TraceFile
    private let queue: TraceQueue

    init(_ file: TraceFile, _ queue: TraceQueue) {
        self.file = file
        self.queue = queue
    }

    func run() {
        var (spare, failure, isOver): ([UInt8], FileError?, Bool) = ([], nil, false)
        while !isOver {
            var batch = queue.take(spare)
            do throws(FileError) {
                // The first failure ends the trace: events after an unmarked gap would mislead.
                if let failure { throw failure }
                try file.append(batch.lines)
                queue.wrote(batch)
            } catch {
                failure = error
                queue.lost(batch, error)
            }
            isOver = batch.isLast
            // The buffers alternate, so that a steady trace allocates nothing here.
            spare = []
            swap(&spare, &batch.lines)
            spare.removeAll(keepingCapacity: true)
        }
        do throws(FileError) {
            // Also after a failure, if there is room for it; the file can be read without it.
            try file.append(Array("\n]\n".utf8))
            try file.sync()
        } catch {
            queue.lost(TraceQueue.Batch(lines: [], events: 0, isLast: true), error)
        }
        queue.ended()
    }
}

extension TraceLine {
    /// The beginning of the file: an array whose first element names the process.
    fileprivate static func head(process: Int32) -> [UInt8] {
        var line = TraceLine("M", "process_name", process: process, track: 0)
        line.add(["name": "livecap"])
        line.end()
        return Array("[\n".utf8) + line.bytes
    }

    /// The two lines that give a track its name and its position.
    fileprivate static func naming(_ track: Trace.Track, process: Int32) -> [UInt8] {
        var name = TraceLine("M", "thread_name", process: process, track: track.number)
        name.add(["name": .text(track.name)])
        name.end()
        var place = TraceLine("M", "thread_sort_index", process: process, track: track.number)
        place.add(["sort_index": TraceValue(track.number)])
        place.end()
        return name.bytes + Array(",\n".utf8) + place.bytes
    }

    /// The line that stands for events left out.
    fileprivate static func loss(of count: Int, at time: Timestamp, process: Int32) -> [UInt8] {
        var line = TraceLine("i", "lost \(count) events", process: process, track: 0)
        line.add("ts", nanoseconds: time.nanoseconds)
        line.add("s", "g")
        line.add(["lost": TraceValue(count)])
        line.end()
        return line.bytes
    }
}
