// SPDX-License-Identifier: MIT
// One viewer: which frame it is being sent, and how far that is.

import LivecapFrames
import LivecapHTTP
import LivecapThreads

/// Gives one viewer frames: always the newest once it has taken the last one, whatever came in between.
final class FrameViewer: Sendable {
    private let wrapping: FrameWrapping
    /// The time from one of its frames to the next, at the least; nil for all frames.
    private let interval: Duration?
    private let newest: @Sendable () -> FeedFrame?
    private let state = Guarded(State())

    private struct State: Sendable {
        var frame: FeedFrame?
        var last: FrameID?
        var lastTime: Timestamp?
        var head: [UInt8] = []
        /// How much of head, JPEG and tail was sent.
        var offset = 0
        var isHeartbeatDue = false
        var sent = 0
        var isCutOff = false
    }

    /// `newest` gives the newest frame of the viewer's size. With a `rate`, it gets no more of them than that.
    init(_ wrapping: FrameWrapping, rate: FrameRate? = nil, newest: @escaping @Sendable () -> FeedFrame?) {
        self.wrapping = wrapping
        // Frames that come a little early are meant, too.
        interval = rate.map { .nanoseconds(Int64(0.9e9 / $0.framesPerSecond)) }
        self.newest = newest
    }

    /// How many frames it was sent.
    var sent: Int { state.withLock { $0.sent } }

    /// Has it told that the connection lives, if it waits for a frame.
    func beat() { state.withLock { $0.isHeartbeatDue = true } }

    /// When the frame was taken that it is being sent; nil if it waits for one.
    var frameTime: Timestamp? { state.withLock { $0.frame?.frame.time } }

    /// Ends it: it is too slow, and lets go of its frame.
    func cutOff() { state.withLock { ($0.isCutOff, $0.frame) = (true, nil) } }

    /// Copies what comes next.
    func supply(_ memory: UnsafeMutableRawBufferPointer) -> HTTPStream.Supply {
        let filled: Int? = state.withLock { state in
            guard !state.isCutOff else { return nil }
            var filled = 0
            while filled < memory.count {
                let count = copy(&state, into: UnsafeMutableRawBufferPointer(rebasing: memory[filled...]))
                guard count > 0 else { break }
                filled += count
            }
            return filled
        }
        guard let filled else { return .end }
        return filled > 0 ? .bytes(filled) : .none
    }

    private func copy(_ state: inout State, into memory: UnsafeMutableRawBufferPointer) -> Int {
        if state.head.isEmpty { begin(&state) }
        guard !state.head.isEmpty else { return 0 }
        let (head, jpeg, tail) = (
            state.head.count, state.frame?.byteCount ?? 0, state.frame == nil ? [] : wrapping.tail
        )
        let count: Int
        if state.offset < head {
            count = Self.copy(state.head[state.offset...], into: memory)
        } else if state.offset < head + jpeg, let frame = state.frame {
            count = frame.copy(from: state.offset - head, into: memory)
        } else {
            count = Self.copy(tail[(state.offset - head - jpeg)...], into: memory)
        }
        state.offset += count
        if state.offset == head + jpeg + tail.count {
            if state.frame != nil { state.sent += 1 }
            (state.frame, state.head, state.offset) = (nil, [], 0)
        }
        return count
    }

    /// Takes the newest frame, if it is another than the last.
    private func begin(_ state: inout State) {
        if let frame = newest(), frame.frame.id != state.last, isDue(frame.frame, state) {
            (state.frame, state.last, state.head) = (frame, frame.frame.id, frame.head)
            state.lastTime = frame.frame.time
            state.isHeartbeatDue = false
        } else if state.isHeartbeatDue {
            state.isHeartbeatDue = false
            if let heartbeat = wrapping.heartbeat {
                state.head = heartbeat
            } else if let frame = newest() {
                // Whoever is gone is noticed only when something is sent.
                (state.frame, state.head) = (frame, frame.head)
            }
        }
    }

    private func isDue(_ frame: FrameMetadata, _ state: State) -> Bool {
        guard let interval, let last = state.lastTime else { return true }
        // A clock that went back says nothing.
        return frame.time < last || frame.time - last >= interval
    }

    private static func copy(_ bytes: ArraySlice<UInt8>, into memory: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(bytes.count, memory.count)
        memory.copyBytes(from: bytes.prefix(count))
        return count
    }
}
