// SPDX-License-Identifier: MIT
// The last sound of whichever microphones, as they delivered it, and the clocks that it was captured by.

import FrameRing
import LivecapFrames
import LivecapThreads

/// Samples of the last while, in stretches without a hole. A stretch ends when samples are lost, or the microphone
/// goes; the next one may be of another device, with another rate.
///
/// One thread writes, others read. A lock protects it: the writer holds it for one copy, about a hundred times a
/// second, and it is not the thread of the pictures.
package final class SoundHistory: Sendable {
    /// How much later than it was heard a movie may take sound: what it keeps beside the past.
    package static let lateness = Duration.seconds(4)

    /// The number of channels of all sound in it. Others are converted: one becomes both of two, two become their mean.
    package let channels: Int
    private let content: Guarded<SoundContent>
    private let signal = OwnedSignal()

    /// A stretch, as far as a reader has to know.
    struct Coverage {
        let number: Int
        let line: ClockLine
        /// The first sample that is still there.
        let first: Int64
        /// The number of samples until now whose place is certain.
        let count: Int64
        let isOpen: Bool
    }

    /// What a history has of a span of time.
    struct Look {
        var stretches: [Coverage] = []
        /// Whether samples of that span may still come.
        var isExpected = false
    }

    /// A history of `seconds` at `rate` samples per second.
    package init(channels: Int, seconds: Double, rate: Int = 48_000) {
        self.channels = channels
        let capacity = max(Int((seconds * Double(rate)).rounded(.up)), 4096)
        content = Guarded(
            SoundContent(
                samples: [Float](repeating: 0, count: capacity * channels), capacity: Int64(capacity),
                channels: channels))
    }

    // MARK: The writer's side

    /// Begins a stretch. The one before ends.
    package func begin() {
        content.withLock { content in
            content.endStretch()
            content.number += 1
            content.stretches.append(SoundStretch(number: content.number, start: content.total))
        }
    }

    /// Adds interleaved samples, `count` for each of `channels`, and what the device said of its count. Returns false
    /// if that count shows that samples are missing: then the next stretch is to begin.
    package func append(
        _ samples: UnsafeBufferPointer<Float>, count: Int, channels: Int, _ stamp: SoundStamp?
    ) -> Bool {
        let (base, size) = (UInt(bitPattern: samples.baseAddress), samples.count)
        defer { signal.notify() }
        return content.withLock { content in
            let samples = UnsafeBufferPointer(start: UnsafePointer<Float>(bitPattern: base), count: size)
            return content.append(samples, count: count, from: channels, stamp: stamp)
        }
    }

    /// Ends the stretch: no sound comes.
    package func end() { content.withLock { $0.endStretch() } }

    /// The measured rate of the newest stretch, in samples per second; nil if it is not known yet.
    package var rate: Double? {
        content.withLock { content in
            guard let last = content.stretches.indices.last else { return nil }
            return content.stretches[last].clock.line?.rate
        }
    }

    // MARK: The reader's side

    /// Waits until sound arrives, `isOver` holds after a call of `wakeReaders`, or `deadline`.
    package func waitForSound(until deadline: Timestamp, unless isOver: () -> Bool = { false }) {
        let seen = content.withLock { $0.total }
        _ = signal.wait(until: deadline) { isOver() || content.withLock { $0.total } != seen }
    }

    /// Has readers that wait look again.
    package func wakeReaders() { signal.notify() }

    /// What there is between two times.
    func look(from begin: Timestamp, to end: Timestamp) -> Look {
        content.withLock { content in
            var look = Look()
            for at in content.stretches.indices {
                let isOpen = content.stretches[at].isOpen
                // Until the line is settled, sound is waited for.
                guard let line = content.stretches[at].clock.line,
                    !isOpen || content.stretches[at].clock.isSettled
                else {
                    look.isExpected = look.isExpected || isOpen
                    continue
                }
                let stretch = content.stretches[at]
                let reach = line.time(of: Double(stretch.placed))
                if isOpen, reach < end { look.isExpected = true }
                guard line.time(of: 0) < end, reach > begin else { continue }
                look.stretches.append(
                    Coverage(
                        number: stretch.number, line: line,
                        first: max(0, content.total - content.capacity - stretch.start), count: stretch.placed,
                        isOpen: isOpen))
            }
            return look
        }
    }

    /// Copies a channel's samples of a stretch from `first` on, as many as `samples` holds. What is not there is 0.
    func copy(_ number: Int, from first: Int64, channel: Int, to samples: UnsafeMutableBufferPointer<Float>) {
        let (base, size) = (UInt(bitPattern: samples.baseAddress), samples.count)
        content.withLock { content in
            let samples = UnsafeMutableBufferPointer(start: UnsafeMutablePointer<Float>(bitPattern: base), count: size)
            content.copy(number, first: first, channel: channel, output: samples)
        }
    }
}

/// A run of samples without a hole.
private struct SoundStretch {
    let number: Int
    /// The index of its first sample among all.
    let start: Int64
    var count: Int64 = 0
    /// Those among them that lie on the clock's line. The rest waits until it does again, and is not heard if it never
    /// does.
    var placed: Int64 = 0
    var isOpen = true
    var clock = ClockRatio()
}

/// What the lock of a history protects.
private struct SoundContent {
    var samples: [Float]
    let capacity: Int64
    let channels: Int
    /// All samples ever written.
    var total: Int64 = 0
    var stretches: [SoundStretch] = []
    var number = 0

    mutating func endStretch() {
        guard let last = stretches.indices.last else { return }
        stretches[last].isOpen = false
    }

    mutating func append(
        _ input: UnsafeBufferPointer<Float>, count: Int, from: Int, stamp: SoundStamp?
    ) -> Bool {
        guard let last = stretches.indices.last, stretches[last].isOpen else { return true }
        for index in 0..<count {
            let place = Int((total + Int64(index)) % capacity) * channels
            switch (from, channels) {
            case (1, _): for channel in 0..<channels { samples[place + channel] = input[index] }
            case (_, 1): samples[place] = (input[index * from] + input[index * from + 1]) / 2
            default: for channel in 0..<channels { samples[place + channel] = input[index * from + channel] }
            }
        }
        total += Int64(count)
        stretches[last].count += Int64(count)
        // What has been overwritten altogether.
        let oldest = total - capacity
        stretches.removeAll { $0.start + $0.count < oldest && !$0.isOpen }
        let isWhole = stamp.map { stretches[stretches.count - 1].clock.add($0) } ?? true
        if !stretches[stretches.count - 1].clock.isAstray {
            stretches[stretches.count - 1].placed = stretches[stretches.count - 1].count
        }
        return isWhole
    }

    func copy(_ number: Int, first: Int64, channel: Int, output: UnsafeMutableBufferPointer<Float>) {
        guard let stretch = stretches.first(where: { $0.number == number }) else {
            output.update(repeating: 0)
            return
        }
        let oldest = max(0, total - capacity - stretch.start)
        for index in output.indices {
            let at = first + Int64(index)
            output[index] =
                at >= oldest && at < stretch.count
                ? samples[Int((stretch.start + at) % capacity) * channels + channel] : 0
        }
    }
}
