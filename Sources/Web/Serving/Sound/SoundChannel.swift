// SPDX-License-Identifier: MIT
// The sound of the microphone, for all who listen.

import LivecapFrames
import LivecapHTTP
import LivecapMovies
import LivecapSound
import LivecapThreads
import Synchronization

/// Encodes an open microphone's sound once for all listeners, until it is stopped.
final class SoundChannel: Sendable {
    private let capture: SoundCapture
    private let whenChanged: @Sendable () -> Void
    private let whenOver: @Sendable (SoundChannel, MovieError?) -> Void
    private let state = Guarded(State())
    private let isStopping = Atomic(false)

    private struct State: Sendable {
        var listeners: [ObjectIdentifier: (listener: SoundListener, stream: HTTPStream)] = [:]
        var isOver = false
    }

    /// How long nothing may come before silence is made, and before the end is noticed.
    private static let patience = Duration.milliseconds(100)
    private static let beatInterval = Duration.milliseconds(500)

    /// `whenChanged` is called when another microphone is heard, or none; `whenOver` once at the end, on a thread that
    /// may wait, with why nothing can be encoded.
    init(
        _ capture: SoundCapture, whenChanged: @escaping @Sendable () -> Void,
        whenOver: @escaping @Sendable (SoundChannel, MovieError?) -> Void
    ) {
        self.capture = capture
        self.whenChanged = whenChanged
        self.whenOver = whenOver
    }

    /// Starts encoding, until `stop`.
    func start() throws(SystemShortage) { try SystemThread(name: "live sound") { self.run() }.detach() }

    func stop() {
        isStopping.store(true, ordering: .releasing)
        capture.history.wakeReaders()
    }

    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// The name of the microphone that is heard; nil while there is none.
    var microphone: String? { capture.figures.microphone?.name }

    func add(_ listener: SoundListener, _ stream: HTTPStream) {
        let isOver = state.withLock { state in
            state.listeners[ObjectIdentifier(listener)] = (listener, stream)
            return state.isOver
        }
        if isOver { listener.cutOff() }
        stream.wake()
    }

    /// Returns how many listeners are left.
    func remove(_ listener: SoundListener) -> Int {
        state.withLock { state in
            state.listeners[ObjectIdentifier(listener)] = nil
            return state.listeners.count
        }
    }

    // MARK: The thread

    private var isOver: Bool { isStopping.load(ordering: .acquiring) }

    private func run() {
        var failure: MovieError?
        do throws(MovieError) { try encode() } catch { failure = error }
        let listeners = state.withLock { state in
            state.isOver = true
            return Array(state.listeners.values)
        }
        for (listener, stream) in listeners {
            listener.cutOff()
            stream.wake()
        }
        whenOver(self, failure)
    }

    private func encode() throws(MovieError) {
        let packets = try SoundPackets(capture.history, from: .now)
        var lastBeat = Timestamp.now
        var heard = microphone
        while !isOver {
            let now = Timestamp.now
            try packets.advance(to: now) { publish($0) }
            if now - lastBeat >= Self.beatInterval {
                lastBeat = now
                beat()
                let present = microphone
                if present != heard { whenChanged() }
                heard = present
            }
            capture.history.waitForSound(until: now + Self.patience) { isOver }
        }
    }

    private func publish(_ chunk: SoundChunk) {
        for (listener, stream) in state.withLock({ Array($0.listeners.values) }) {
            listener.offer(chunk)
            stream.wake()
        }
    }

    /// Shows listeners that the connection lives, and notices those that are gone.
    private func beat() {
        for (listener, stream) in state.withLock({ Array($0.listeners.values) }) {
            listener.beat()
            stream.wake()
        }
    }
}
