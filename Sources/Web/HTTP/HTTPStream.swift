// SPDX-License-Identifier: MIT
// An answer whose bytes come while it is sent.

import LivecapThreads
import Synchronization

/// A body without a known end: its source is asked for more bytes whenever the client can take some.
package final class HTTPStream: Sendable {
    /// What a source has to give.
    package enum Supply: Hashable, Sendable {
        /// So many bytes were copied.
        case bytes(Int)
        /// None now: asked again after `wake`.
        case none
        /// None will come.
        case end
    }

    private let source: @Sendable (UnsafeMutableRawBufferPointer) -> Supply
    private let finished: @Sendable () -> Void
    private let server = Guarded<Waker?>(nil)
    /// Set by `wake`, so that one wake is enough until the next supply.
    private let isAwake = Atomic(false)

    /// Wakes the server. The closure is wrapped in a structure because Swift wraps a closure stored directly in a
    /// `Mutex` once more at each read: every wake would go one call deeper, until the stack overflows.
    private struct Waker: Sendable { let wake: @Sendable (HTTPStream) -> Void }

    /// Creates a stream. `source` copies bytes into the memory it is given, on the server's thread, and must not wait;
    /// `finished` is called once the client is gone or has everything.
    package init(
        _ source: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Supply,
        finished: @escaping @Sendable () -> Void = {}
    ) {
        self.source = source
        self.finished = finished
    }

    /// Has the source asked again. Any thread may call it, at any time.
    package func wake() {
        guard !isAwake.exchange(true, ordering: .acquiringAndReleasing) else { return }
        server.withLock { $0 }?.wake(self)
    }

    // MARK: The server's side

    /// The request whose connection rests until the stream is woken. Used by the server's thread alone.
    nonisolated(unsafe) var resting: OpaquePointer?
    /// The request that it answers.
    nonisolated(unsafe) var request: OpaquePointer?
    /// Whether the server ends.
    nonisolated(unsafe) var isCutOff = false

    /// Connects it with the server that sends it.
    func connect(_ wake: @escaping @Sendable (HTTPStream) -> Void) { server.withLock { $0 = Waker(wake: wake) } }

    func read(into memory: UnsafeMutableRawBufferPointer) -> Supply {
        guard !isCutOff else { return .end }
        // Before the source is asked: what comes meanwhile wakes again.
        isAwake.store(false, ordering: .sequentiallyConsistent)
        let supply = source(memory)
        resting = supply == .none ? request : nil
        return supply
    }

    func finish() {
        server.withLock { $0 = nil }
        (resting, request) = (nil, nil)
        finished()
    }
}
