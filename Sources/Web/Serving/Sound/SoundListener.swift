// SPDX-License-Identifier: MIT
// One listener: what waits for it.

import LivecapFrames
import LivecapHTTP
import LivecapThreads

/// Gives one listener packets of sound in order. If more wait than it may be behind, the oldest are dropped: each can
/// be heard without those before it, and what is late is of no use.
final class SoundListener: Sendable {
    private let state = Guarded(State())

    private struct State: Sendable {
        /// Those that were not begun, oldest first.
        var waiting: [SoundChunk] = []
        /// What is being sent, and how much of it was.
        var record: [UInt8] = []
        var offset = 0
        var isHeartbeatDue = false
        var sent = 0
        var dropped = 0
        var isCutOff = false
    }

    /// How many packets may wait: half a second.
    static let maxWaiting = 25

    /// How many packets it was sent, and how many were dropped because it was too slow.
    var counts: (sent: Int, dropped: Int) { state.withLock { ($0.sent, $0.dropped) } }

    /// Puts in the next packet.
    func offer(_ chunk: SoundChunk) {
        state.withLock { state in
            guard !state.isCutOff else { return }
            state.waiting.append(chunk)
            guard state.waiting.count > Self.maxWaiting else { return }
            state.waiting.removeFirst()
            state.dropped += 1
        }
    }

    /// Has it told that the connection lives, if it waits for a packet.
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
                if state.offset == state.record.count {
                    state.record = []
                    state.offset = 0
                }
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
            state.record = SoundChunk.heartbeat
        }
    }
}
