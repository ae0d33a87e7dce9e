// SPDX-License-Identifier: MIT
// How long fused frames took, counted without a lock.

import LivecapFrames
import Synchronization

/// How much later frames leave than they arrived, and how they were used. One thread writes, any thread reads.
public final class LiveTimes: Sendable {
    /// Each step is a quarter of a millisecond; the last one holds all that took longer.
    private static let steps = 1024
    private static let step = Duration.microseconds(250)

    // Safe: the pointer never changes and points to atomics only.
    nonisolated(unsafe) private let counts: UnsafeMutablePointer<Atomic<UInt32>>
    private let longest = Atomic<Int64>(0)
    private let total = Atomic<Int64>(0)
    private let fused = Atomic<Int>(0)
    private let begun = Atomic<Int>(0)
    private let repeated = Atomic<Int>(0)
    private let passed = Atomic<Int>(0)
    private let noise = Atomic<UInt32>(0)
    private let evidence = Atomic<UInt32>(0)

    package init() {
        counts = .allocate(capacity: Self.steps)
        for step in 0..<Self.steps { (counts + step).initialize(to: Atomic(0)) }
    }

    deinit { counts.deinitialize(count: Self.steps).deallocate() }

    /// Figures of the frames so far.
    public struct Figures: Hashable, Sendable {
        /// Frames that left.
        public var frames = 0
        /// Frames that came damaged or could not be decoded, or that came while an earlier one took too long.
        public var passed = 0
        /// How often nothing was remembered: at the start, and where another scene began.
        public var begun = 0
        /// Frames that were the same as the ones before.
        public var repeated = 0
        /// How much later frames left than they arrived, decoding included: the median.
        public var median = Duration.zero
        /// What one frame in twenty exceeds.
        public var most = Duration.zero
        /// The mean.
        public var mean = Duration.zero
        /// The longest time.
        public var longest = Duration.zero
        /// The standard deviation of the noise of brightness in the frames, in codes; 0 if not known.
        public var noise: Float = 0
        /// How many frames the brightness of the newest picture is worth, as a mean over it.
        public var evidence: Float = 1
    }

    /// The figures so far.
    public var figures: Figures {
        var figures = Figures()
        let of = (0..<Self.steps).map { Int(counts[$0].load(ordering: .relaxed)) }
        let all = of.reduce(0, +)
        (figures.frames, figures.passed) = (all, passed.load(ordering: .relaxed))
        (figures.begun, figures.repeated) = (begun.load(ordering: .relaxed), repeated.load(ordering: .relaxed))
        figures.longest = .nanoseconds(longest.load(ordering: .relaxed))
        figures.noise = Float(bitPattern: noise.load(ordering: .relaxed))
        figures.evidence = Float(bitPattern: evidence.load(ordering: .relaxed))
        guard all > 0 else { return figures }
        figures.mean = .nanoseconds(total.load(ordering: .relaxed) / Int64(all))
        func below(_ share: Double) -> Duration {
            var left = Int((Double(all) * share).rounded(.up))
            for step in 0..<Self.steps {
                left -= of[step]
                if left <= 0 { return min(Self.step * (step + 1), figures.longest) }
            }
            return figures.longest
        }
        (figures.median, figures.most) = (below(0.5), below(0.95))
        return figures
    }

    func count(_ time: Duration) {
        let step = min(Self.steps - 1, max(0, Int(time / Self.step)))
        _ = counts[step].add(1, ordering: .relaxed)
        _ = total.add(time.nanoseconds, ordering: .relaxed)
        if time.nanoseconds > longest.load(ordering: .relaxed) { longest.store(time.nanoseconds, ordering: .relaxed) }
    }

    func countPassed(_ number: Int) { _ = passed.add(number, ordering: .relaxed) }

    func note(isBegun: Bool, isRepeated: Bool, noise: Float, evidence: Float) {
        if isBegun { _ = begun.add(1, ordering: .relaxed) }
        if isRepeated { _ = repeated.add(1, ordering: .relaxed) }
        self.noise.store(noise.bitPattern, ordering: .relaxed)
        self.evidence.store(evidence.bitPattern, ordering: .relaxed)
    }
}
