// SPDX-License-Identifier: MIT
// Records what happened when, on which thread and to which shot, in a file for ui.perfetto.dev and chrome://tracing.

import LivecapFiles
import LivecapFrames

/// Writes a trace: an array of JSON objects, one event per line. It can be opened however the program ended.
///
/// Adding an event never waits for the disk: the event is put into a buffer, which a thread of the trace's own writes
/// within a tenth of a second. If the disk falls behind by more than the buffer holds, events are left out, and a
/// further event reports how many. Adding an event allocates and locks, so the frame path adds none.
///
/// All times are of one clock; the engine uses CLOCK_MONOTONIC.
package final class Trace: Sendable {
    /// A row of the trace viewer: events that happen one after the other.
    package enum Track: Hashable, Sendable {
        /// Frames as they arrive.
        case frames
        /// Taps as they are made.
        case taps
        /// Choosing and leasing frames.
        case select
        /// One of the threads that process shots, from 1.
        case worker(Int)
        /// Encoding and storing.
        case store
        /// Changes of readiness.
        case readiness
        /// Lengths of queues.
        case queues

        /// Its number in the file, which orders the rows.
        var number: Int {
            switch self {
            case .frames: 1
            case .taps: 2
            case .select: 3
            case .readiness: 4
            case .queues: 5
            case .store: 6
            case .worker(let number): 100 + number
            }
        }

        /// Its name in the file.
        var name: String {
            switch self {
            case .frames: "frames"
            case .taps: "taps"
            case .select: "select"
            case .worker(let number): "worker \(number)"
            case .store: "store"
            case .readiness: "readiness"
            case .queues: "queues"
            }
        }
    }

    private let queue: TraceQueue

    /// Begins a trace in a new file. An existing file is replaced, unless `overwrite` is false.
    package convenience init(path: String, overwrite: Bool = true) throws(FileError) {
        try self.init(path: path, overwrite: overwrite, bufferBytes: 1 << 20)
    }

    init(path: String, overwrite: Bool = true, bufferBytes: Int, calls: FileCalls = FileCalls()) throws(FileError) {
        queue = try TraceQueue(TraceFile(path, overwrite: overwrite, calls), bufferBytes: bufferBytes)
    }

    deinit { queue.close() }

    // MARK: Events

    /// Adds an event with a duration, on a track that does one thing at a time.
    package func span(
        _ name: String, on track: Track, from begin: Timestamp, to end: Timestamp, shot: UInt64? = nil,
        _ arguments: TraceArguments = [:]
    ) {
        put("X", name, on: track, at: begin) { line in
            line.add("dur", nanoseconds: max(end - begin, .zero).nanoseconds)
            line.add(arguments, shot: shot)
        }
    }

    /// Adds an event without a duration.
    package func instant(
        _ name: String, on track: Track, at time: Timestamp, shot: UInt64? = nil, _ arguments: TraceArguments = [:]
    ) {
        put("i", name, on: track, at: time) { line in
            line.add("s", "t")
            line.add(arguments, shot: shot)
        }
    }

    /// Sets a counter from this time on, shown as a curve. Values that are not finite are left out.
    package func counter(_ name: String, _ value: Double, at time: Timestamp) {
        guard value.isFinite else { return }
        put("C", name, on: .queues, at: time) { $0.add(["value": .number(value)]) }
    }

    /// Begins a shot. Each shot has a row of its own, since shots overlap.
    package func beginShot(_ shot: UInt64, at time: Timestamp, _ arguments: TraceArguments = [:]) {
        putShot("b", name: Self.name(ofShot: shot), shot: shot, at: time, arguments: arguments)
    }

    /// Ends a shot.
    package func endShot(_ shot: UInt64, at time: Timestamp, _ arguments: TraceArguments = [:]) {
        putShot("e", name: Self.name(ofShot: shot), shot: shot, at: time, arguments: arguments)
    }

    /// Adds a stage of a shot after it has ended. Stages of one shot may nest, but not overlap otherwise.
    package func stage(
        _ name: String, of shot: UInt64, from begin: Timestamp, to end: Timestamp, _ arguments: TraceArguments = [:]
    ) {
        putShot("b", name: name, shot: shot, at: begin, arguments: arguments)
        putShot("e", name: name, shot: shot, at: max(begin, end), arguments: [:])
    }

    // MARK: The end

    /// Writes the remaining events, ends the array and flushes the file to disk. Later events are left out; closing
    /// again returns the same outcome.
    @discardableResult
    package func close() -> TraceOutcome { queue.close() }

    // MARK: Lines

    private static func name(ofShot shot: UInt64) -> String { "shot \(shot)" }

    private func put(
        _ phase: Unicode.Scalar, _ name: String, on track: Track, at time: Timestamp, _ add: (inout TraceLine) -> Void
    ) {
        var line = TraceLine(phase, name, process: queue.process, track: track.number)
        line.add("ts", nanoseconds: time.nanoseconds)
        add(&line)
        line.end()
        queue.put(line.bytes, on: track, at: time)
    }

    /// Events with the same category and id share a row, and nest.
    private func putShot(
        _ phase: Unicode.Scalar, name: String, shot: UInt64, at time: Timestamp, arguments: TraceArguments
    ) {
        put(phase, name, on: .select, at: time) { line in
            line.add("cat", "shot")
            // As text: JavaScript's numbers are not exact beyond 53 bits.
            line.add("id", "0x" + String(shot, radix: 16))
            line.add(arguments)
        }
    }
}

/// The outcome of a trace.
package struct TraceOutcome: Hashable, Sendable {
    /// The number of events in the file.
    package var events = 0
    /// The number of events left out because the disk was too slow or a write failed.
    package var lost = 0
    /// Why writing failed, if it did: the trace ends there.
    package var failure: FileError?

    /// An outcome without any event.
    package init() {}
}
