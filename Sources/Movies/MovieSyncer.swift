// SPDX-License-Identifier: MIT
// Makes a movie's file durable piece by piece, while it grows.

import FrameRing
import LivecapFrameFiles
import LivecapFrames
import LivecapThreads
import Synchronization

/// Brings each complete piece of a movie to the disk, so that a power cut costs little more than the present one. It
/// has a thread of its own: a disk that is slow to answer must not hold up the movie.
final class MovieSyncer: Sendable {
    private struct State: Sendable {
        var pieces = 0
        var isOver = false
        var failure: FrameFileError?
    }

    private let state = Guarded(State())
    private let signal = OwnedSignal()
    private let thread = Guarded<SystemThread?>(nil)

    /// Starts the thread for an open file.
    init(_ file: RecordingFile) throws(MovieError) {
        let flusher = try MovieError.wrapping { () throws(FrameFileError) in try file.makeFlusher() }
        let started = try MovieError.wrapping { () throws(FrameFileError) in
            try FrameFileError.wrapping { () throws(SystemShortage) in
                try SystemThread(name: "movie sync") { self.run(flusher) }
            }
        }
        thread.withLock { $0 = started }
    }

    /// Notes that another piece is complete, and the file has its name. Does not wait.
    /// - Throws: what went wrong with an earlier piece.
    func pieceIsComplete() throws(MovieError) {
        let failure = state.withLock { state in
            state.pieces += 1
            return state.failure
        }
        signal.notify()
        if let failure { throw .file(failure) }
    }

    /// Ends the thread. What is not durable yet is left to the caller.
    func end() {
        state.withLock { $0.isOver = true }
        signal.notify()
        thread.withLock { $0.take() }?.join()
    }

    private func run(_ flusher: RecordingFlusher) {
        var done = 0
        while true {
            _ = signal.wait(until: .distantFuture) { state.withLock { $0.isOver || $0.pieces > done } }
            let (pieces, isOver) = state.withLock { ($0.pieces, $0.isOver) }
            guard !isOver else { return }
            do throws(FrameFileError) { try flusher.flush() } catch { state.withLock { $0.failure = error } }
            done = pieces
        }
    }
}
