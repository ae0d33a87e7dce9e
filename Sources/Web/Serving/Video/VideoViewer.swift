// SPDX-License-Identifier: MIT
// One viewer of H.264: what waits for it, and where it can go on when it was too slow.

import LivecapFrames
import LivecapHTTP
import LivecapThreads

/// Gives one viewer frames of H.264 in order. Each builds on the one before it, so none can be left out: if more wait
/// than the viewer may be behind, all of them are dropped, and it goes on with the next frame that needs no other. It
/// begins with such a frame, too.
final class VideoViewer: Sendable {
    private let state = Guarded(State())

    private struct State: Sendable {
        /// Those that were not begun, oldest first.
        var waiting: [VideoChunk] = []
        /// What is being sent, and how much of it was.
        var record: [UInt8] = []
        var offset = 0
        /// Whether those that build on others are of no use to it.
        var waitsForKey = true
        /// No key frame is made for it before that: one that is too slow for all others would be too slow for this one,
        /// and others see each of them.
        var asksAgainAt: Timestamp?
        var isHeartbeatDue = false
        var sent = 0
        var dropped = 0
        var fallen = 0
        /// How many it had been sent when it was last too slow.
        var sentBefore = 0
        var isCutOff = false
    }

    /// How far what waits may reach back.
    static let maxBehind = Duration.milliseconds(300)
    /// How many frames may wait, whatever their times.
    static let maxWaiting = 32
    /// How long a viewer that was too slow does without a key frame of its own.
    static let pause = Duration.seconds(1)

    /// How many frames it was sent, and how many were dropped because it was too slow.
    var counts: (sent: Int, dropped: Int) { state.withLock { ($0.sent, $0.dropped) } }

    /// How often it was too slow, without times at which it had taken nothing since the one before.
    var fallen: Int { state.withLock { $0.fallen } }

    /// Whether a key frame should be made for it at a time, by the frames' clock: it waits for one, and has taken all
    /// it was sent.
    func wantsKey(at time: Timestamp) -> Bool {
        state.withLock { state in
            guard state.waitsForKey, state.record.isEmpty, !state.isCutOff else { return false }
            guard let again = state.asksAgainAt else { return true }
            // A clock that went back says nothing.
            return time >= again || time + Self.pause < again
        }
    }

    /// Puts in the next frame. Returns whether the viewer was too slow for it, as counted in `fallen`.
    @discardableResult func offer(_ chunk: VideoChunk) -> Bool {
        state.withLock { state in
            guard !state.isCutOff, chunk.isKey || !state.waitsForKey else { return false }
            if chunk.isKey {
                // Nothing before it is of interest.
                state.dropped += state.waiting.count
                state.waiting = [chunk]
                state.waitsForKey = false
                return false
            }
            state.waiting.append(chunk)
            guard let oldest = state.waiting.first,
                chunk.frame.time - oldest.frame.time > Self.maxBehind || state.waiting.count > Self.maxWaiting
            else { return false }
            state.dropped += state.waiting.count
            state.waiting = []
            state.waitsForKey = true
            state.asksAgainAt = chunk.frame.time + Self.pause
            // What takes nothing at all, such as a phone that sleeps, is not helped by smaller frames.
            guard state.sent > state.sentBefore else { return false }
            state.sentBefore = state.sent
            state.fallen += 1
            return true
        }
    }

    /// Has it told that the connection lives, if it waits for a frame.
    func beat() { state.withLock { $0.isHeartbeatDue = true } }

    /// Ends it once it has what it is being sent.
    func cutOff() {
        state.withLock { state in
            state.isCutOff = true
            state.waiting = []
        }
    }

    /// Copies what comes next.
    func supply(_ memory: UnsafeMutableRawBufferPointer) -> HTTPStream.Supply {
        let (filled, isOver) = state.withLock { state in
            var filled = 0
            while filled < memory.count {
                if state.record.isEmpty { Self.begin(&state) }
                guard !state.record.isEmpty else { break }
                let count = min(memory.count - filled, state.record.count - state.offset)
                UnsafeMutableRawBufferPointer(rebasing: memory[filled...])
                    .copyBytes(from: state.record[state.offset..<state.offset + count])
                filled += count
                state.offset += count
                if state.offset == state.record.count { (state.record, state.offset) = ([], 0) }
            }
            return (filled, state.isCutOff && state.record.isEmpty)
        }
        guard filled == 0 else { return .bytes(filled) }
        return isOver ? .end : .none
    }

    private static func begin(_ state: inout State) {
        if !state.waiting.isEmpty {
            state.record = state.waiting.removeFirst().record
            state.sent += 1
            state.isHeartbeatDue = false
        } else if state.isHeartbeatDue, !state.isCutOff {
            state.isHeartbeatDue = false
            state.record = FrameWrapping.records.heartbeat ?? []
        }
    }
}
