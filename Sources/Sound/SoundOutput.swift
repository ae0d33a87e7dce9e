// SPDX-License-Identifier: MIT
// The sound of a capture as samples, for a program of one's own.

import LivecapFrames
import LivecapThreads
import Synchronization

/// A piece of sound.
public struct SoundBlock: Hashable, Sendable {
    /// When its first sample was heard, on CLOCK_MONOTONIC, which is also the clock of a camera's frames.
    public let time: Timestamp
    /// Samples of each channel per second.
    public static var rate: Int { SoundTimeline.rate }
    /// 1 or 2.
    public let channels: Int
    /// Interleaved, from -1 to 1.
    public let samples: [Float]
}

/// Delivers what a microphone hears, in pieces without a hole: each begins where the one before ends, whatever the
/// microphone's clock does. While there is none, they are silent.
///
/// ```swift
/// let microphone = try await session.openMicrophone()
/// let sound = try SoundOutput(microphone)
/// for await block in sound.blocks { level = block.samples.reduce(0) { max($0, abs($1)) } }
/// ```
///
/// Movies and other outputs of the same capture have the same sound. A piece comes about 0.3 s after it was heard. Keep
/// the output for as long as its pieces are read: they end with it, and with the capture.
public final class SoundOutput: Sendable {
    /// The pieces from the beginning on. A slow reader misses the oldest of more than `depth`, which `dropped` counts.
    /// One reader at a time.
    public let blocks: AsyncStream<SoundBlock>
    /// How many pieces a slow reader has missed.
    public var dropped: Int { state.dropped.load(ordering: .relaxed) }

    private let state: State
    private let history: SoundHistory
    private let thread: Guarded<SystemThread?>

    private final class State: Sendable {
        let isOver = Atomic<Bool>(false)
        let dropped = Atomic<Int>(0)
    }

    /// How much later than now pieces are made: what is captured until then has arrived.
    private static let lag = Duration.milliseconds(300)
    /// How long nothing may come before silence is made.
    private static let patience = Duration.milliseconds(100)

    /// Delivers the sound of `capture` from `start` on, which may have passed, as far as the capture keeps its past.
    /// `depth` pieces of 10 ms wait for a slow reader.
    /// - Throws: the shortage, if there is no thread left for it.
    public convenience init(
        _ capture: SoundCapture, from start: Timestamp = .now, depth: Int = 500
    ) throws(SystemShortage) {
        try self.init(capture.history, from: start, depth: depth)
        capture.whenStopped { [weak self] in self?.close() }
    }

    init(_ history: SoundHistory, from start: Timestamp, depth: Int) throws(SystemShortage) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SoundBlock.self, bufferingPolicy: .bufferingNewest(max(1, depth)))
        blocks = stream
        let state = State()
        self.state = state
        self.history = history
        thread = Guarded(nil)
        let started = try SystemThread(name: "sound output") {
            let timeline = SoundTimeline(history, start: start)
            while !state.isOver.load(ordering: .acquiring) {
                let now = Timestamp.now
                timeline.advance(to: now - Self.lag, now: now) { samples in
                    // Called with the piece's end known, and its beginning what was made before.
                    let length = Duration.nanoseconds(Int64(samples.count / timeline.channels) * 1_000_000_000 / 48_000)
                    let block = SoundBlock(
                        time: timeline.end - length, channels: timeline.channels, samples: Array(samples))
                    if case .dropped = continuation.yield(block) { state.dropped.add(1, ordering: .relaxed) }
                }
                history.waitForSound(until: now + Self.patience) { state.isOver.load(ordering: .acquiring) }
            }
            continuation.finish()
        }
        thread.withLock { $0 = started }
        continuation.onTermination = { _ in state.isOver.store(true, ordering: .releasing) }
    }

    deinit { close() }

    /// Delivers nothing more.
    public func close() {
        state.isOver.store(true, ordering: .releasing)
        history.wakeReaders()
        thread.withLock { $0.take() }?.join()
    }
}
