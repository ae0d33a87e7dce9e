// SPDX-License-Identifier: MIT
// What happened when, on which thread, to which shot: a file that ui.perfetto.dev and chrome://tracing show.

import Camera
import DurableFiles
import Frames

/// Writes a trace: an array of JSON objects, one event a line, that can be opened whatever ended the program.
///
/// Nobody who tells of an event waits for the disk: a line is put into a buffer, and a thread of the trace's own writes it
/// within a tenth of a second. When the disk falls behind by more than the buffer holds, events are left out, and another one
/// says how many. It allocates and locks, so the frame path tells of nothing itself.
///
/// All times are of one clock; the engine's are CLOCK_MONOTONIC's.
public final class Trace: Sendable {
    /// A line of the picture: what happened one after the other.
    public enum Track: Hashable, Sendable {
        /// Frames as they come.
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

        /// Its number in the file; tracks are shown in this order.
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

    /// Begins a trace in a new file; one that is there is replaced, unless that is refused.
    public convenience init(path: String, overwrite: Bool = true) throws(CameraError) {
        try self.init(path: path, overwrite: overwrite, bufferBytes: 1 << 20)
    }

    init(path: String, overwrite: Bool = true, bufferBytes: Int, calls: FileCalls = FileCalls()) throws(CameraError) {
        queue = try TraceQueue(TraceFile(path, overwrite: overwrite, calls), bufferBytes: bufferBytes)
    }

    deinit { queue.close() }

    // MARK: Events

    /// Something that took from one time to another, on a track that does one thing at a time.
    public func span(
        _ name: String, on track: Track, from begin: Timestamp, to end: Timestamp, shot: UInt64? = nil,
        _ arguments: TraceArguments = [:]
    ) {
        put("X", name, on: track, at: begin) { line in
            line.add("dur", nanoseconds: max(end - begin, .zero).nanoseconds)
            line.add(arguments, shot: shot)
        }
    }

    /// Something that happened at one time.
    public func instant(
        _ name: String, on track: Track, at time: Timestamp, shot: UInt64? = nil, _ arguments: TraceArguments = [:]
    ) {
        put("i", name, on: track, at: time) { line in
            line.add("s", "t")
            line.add(arguments, shot: shot)
        }
    }

    /// A number from this time on, shown as a curve. What is no number is left out.
    public func counter(_ name: String, _ value: Double, at time: Timestamp) {
        guard value.isFinite else { return }
        put("C", name, on: .queues, at: time) { $0.add(["value": .number(value)]) }
    }

    /// A shot begins: it has a line of its own, since shots overlap.
    public func beginShot(_ shot: UInt64, at time: Timestamp, _ arguments: TraceArguments = [:]) {
        putShot("b", Self.name(ofShot: shot), shot, at: time, arguments)
    }

    /// A shot ends.
    public func endShot(_ shot: UInt64, at time: Timestamp, _ arguments: TraceArguments = [:]) {
        putShot("e", Self.name(ofShot: shot), shot, at: time, arguments)
    }

    /// A stage within a shot, told of when it is over. Stages of one shot may lie within each other, but not across.
    public func stage(
        _ name: String, of shot: UInt64, from begin: Timestamp, to end: Timestamp, _ arguments: TraceArguments = [:]
    ) {
        putShot("b", name, shot, at: begin, arguments)
        putShot("e", name, shot, at: max(begin, end), [:])
    }

    // MARK: The end

    /// Writes what is left, ends the array and brings it to the disk. Events that come later are left out; closing again says
    /// the same.
    @discardableResult
    public func close() -> TraceOutcome { queue.close() }

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

    /// Events with the same category and id lie on one line, within each other.
    private func putShot(
        _ phase: Unicode.Scalar, _ name: String, _ shot: UInt64, at time: Timestamp, _ arguments: TraceArguments
    ) {
        put(phase, name, on: .select, at: time) { line in
            line.add("cat", "shot")
            // As a text: the numbers of JavaScript are not exact beyond 53 bits.
            line.add("id", "0x" + String(shot, radix: 16))
            line.add(arguments)
        }
    }
}

/// What became of a trace.
public struct TraceOutcome: Hashable, Sendable {
    /// Events that are in the file.
    public var events = 0
    /// Events that were left out, because the disk was too slow or refused.
    public var lost = 0
    /// Why writing failed, where it did: the trace ends there.
    public var failure: CameraError?

    /// Nothing so far.
    public init() {}
}
