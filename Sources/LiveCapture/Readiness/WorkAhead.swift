// SPDX-License-Identifier: MIT
// Simulates the work on shots in progress, to predict when the workers will be done with it.

import LivecapFrames

/// Shots in progress, and the workers that process them, at a simulated time. A value: no clock, no threads.
///
/// Workers behave like the crew: frames are read before anything else, each worker takes one shot and keeps it, and a
/// worker without a shot helps those that fuse.
package struct WorkAhead: Sendable {
    /// The remaining work of a shot.
    package struct Shot: Hashable, Sendable {
        /// The shot's number, chosen by the caller.
        package let number: Int
        /// Remaining fusion, as one worker's time without help.
        package var fusing: Duration
        /// Remaining encoding.
        package var encoding: Duration
        /// Remaining writing of its file; nil if it has none.
        package var storing: Duration?

        /// A shot with that much work remaining.
        package init(_ number: Int, fusing: Duration, encoding: Duration, storing: Duration?) {
            self.number = number
            self.fusing = fusing
            self.encoding = encoding
            self.storing = storing
        }
    }

    /// An event that frees room.
    package enum Event: Hashable, Sendable {
        /// A shot's frames are no longer needed.
        case fused(Int)
        /// A shot is done.
        case done(Int)
    }

    /// How much a helping worker adds to the pace of a fusion: less than one, because some stages have only one part.
    private static let help = 0.8
    /// The number of files written at once.
    private static let stores = 2

    private struct Work {
        let number: Int
        var fusing: Double
        var encoding: Double
        let storing: Double?
        var isFused = false
    }

    private let workers: Int
    private var now = 0.0
    /// How long all workers will be reading frames.
    private var reading = 0.0
    /// The share of that for a single frame.
    private var readingEach = 0.0
    private var queue: ArraySlice<Work> = []
    private var working: [Work] = []
    private var stored: [(number: Int, end: Double)] = []

    /// Workers with nothing to do.
    package init(workers: Int) { self.workers = max(workers, 1) }

    /// The simulated time so far.
    package var time: Duration { .saturating(seconds: now) }

    /// The pace of each fusion, as a multiple of one worker's, if `busy` workers have a shot, `fusing` of them fuse,
    /// and `reading` workers read frames.
    package static func pace(workers: Int, busy: Int, fusing: Int, reading: Int = 0) -> Double {
        let idle = Double(max(workers - busy, 0))
        let share = Double(max(workers - reading, 0)) / Double(max(workers, 1))
        return share * (1 + help * idle / Double(max(fusing, 1)))
    }

    /// Adds a shot: `isTaken` if a worker has it already; otherwise it is queued after those added before.
    package mutating func add(_ shot: Shot, isTaken: Bool = false) {
        let work = Work(
            number: shot.number, fusing: max(shot.fusing.seconds, 0), encoding: max(shot.encoding.seconds, 0),
            storing: shot.storing?.seconds)
        if isTaken { working.append(work) } else { queue.append(work) }
    }

    /// Adds a shot whose file is being written or waits for that, with the remaining time.
    package mutating func store(_ number: Int, left: Duration) { beginStoring(number, max(left.seconds, 0)) }

    /// Adds frames that are to be read, each for that long.
    package mutating func read(_ frames: Int, each time: Duration) {
        readingEach = time.seconds / Double(workers)
        reading += Double(frames) * readingEach
    }

    /// How long until at most `count` frames are left to be read; nil if that is so already.
    package func timeUntilUnread(atMost count: Int) -> Duration? {
        let left = reading - Double(count) * readingEach
        return left > 0 ? .saturating(seconds: left) : nil
    }

    /// Advances to the next event, but by `most` at most; nil if none comes until then.
    package mutating func next(within most: Duration? = nil) -> Event? {
        let end = most.map { now + $0.seconds } ?? .infinity
        while true {
            while working.count < workers, let first = queue.popFirst() { working.append(first) }
            let fusing = working.count { !$0.isFused }
            let pace = Self.pace(workers: workers, busy: working.count, fusing: fusing)
            let developed = working.enumerated().map { index, work in
                (index, now + reading + (work.isFused ? work.encoding : work.fusing / pace))
            }.min { $0.1 < $1.1 }
            let file = stored.indices.min { stored[$0].end < stored[$1].end }
            let soonest = min(developed?.1 ?? .infinity, file.map { stored[$0].end } ?? .infinity)
            guard soonest <= end, soonest < .infinity else {
                if end < .infinity { advance(to: end, pace) }
                return nil
            }
            advance(to: soonest, pace)
            if let file, stored[file].end <= soonest { return .done(stored.remove(at: file).number) }
            guard let index = developed?.0 else { return nil }
            if !working[index].isFused {
                working[index].isFused = true
                return .fused(working[index].number)
            }
            let work = working.remove(at: index)
            guard let storing = work.storing else { return .done(work.number) }
            beginStoring(work.number, storing)
        }
    }

    private mutating func beginStoring(_ number: Int, _ left: Double) {
        // The thread that is free first.
        let free = stored.map(\.end).sorted()
        let begin = free.count < Self.stores ? now : free[free.count - Self.stores]
        stored.append((number, begin + left))
    }

    private mutating func advance(to time: Double, _ pace: Double) {
        let span = max(time - now, 0)
        let read = min(reading, span)
        (now, reading) = (now + span, reading - read)
        for index in working.indices {
            if working[index].isFused {
                working[index].encoding = max(working[index].encoding - (span - read), 0)
            } else {
                working[index].fusing = max(working[index].fusing - (span - read) * pace, 0)
            }
        }
    }
}
