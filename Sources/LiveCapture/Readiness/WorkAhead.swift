// SPDX-License-Identifier: MIT
// What workers will have done when: the shots on their way, played forward.

import Frames

/// Shots on their way, and the workers that go on with them, ahead of time. A value: no clock, no threads.
///
/// Workers go about it as the crew does: frames are read before anything else, each worker takes one shot and keeps it, and who
/// has none helps those that fuse.
package struct WorkAhead: Sendable {
    /// What is left to do of a shot.
    package struct Shot: Hashable, Sendable {
        /// Which one; the caller's to choose.
        package let number: Int
        /// Of its fusion, by one worker that nobody helps.
        package var fusing: TimeSpan
        /// Of its encoding.
        package var encoding: TimeSpan
        /// Of its file; nil where it has none.
        package var storing: TimeSpan?

        /// A shot of which so much is left.
        package init(_ number: Int, fusing: TimeSpan, encoding: TimeSpan, storing: TimeSpan?) {
            (self.number, self.fusing, self.encoding, self.storing) = (number, fusing, encoding, storing)
        }
    }

    /// Something that makes room.
    package enum Event: Hashable, Sendable {
        /// A shot's frames are needed no longer.
        case fused(Int)
        /// A shot is done.
        case done(Int)
    }

    /// How much a worker that helps adds to the pace of a fusion: some of its stages have one part only.
    private static let help = 0.8
    /// As many files are written at once.
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
    /// For so long everybody reads frames.
    private var reading = 0.0
    /// And for a single frame so long.
    private var readingEach = 0.0
    private var queue: ArraySlice<Work> = []
    private var working: [Work] = []
    private var stored: [(number: Int, end: Double)] = []

    /// Nothing to do.
    package init(workers: Int) { self.workers = max(workers, 1) }

    /// How far it has been played.
    package var time: TimeSpan { .seconds(now) }

    /// The pace of each fusion, as a multiple of what one worker does, where `busy` workers have a shot, `fusing` of them fuse, and
    /// `reading` read frames.
    package static func pace(workers: Int, busy: Int, fusing: Int, reading: Int = 0) -> Double {
        let idle = Double(max(workers - busy, 0))
        let share = Double(max(workers - reading, 0)) / Double(max(workers, 1))
        return share * (1 + help * idle / Double(max(fusing, 1)))
    }

    /// Some worker has this one already; or is to take it up when it is free, behind those before it.
    package mutating func add(_ shot: Shot, isTaken: Bool = false) {
        let work = Work(
            number: shot.number, fusing: max(shot.fusing.seconds, 0), encoding: max(shot.encoding.seconds, 0),
            storing: shot.storing?.seconds)
        if isTaken { working.append(work) } else { queue.append(work) }
    }

    /// A shot's file is being written, or is to be: so much of it is left.
    package mutating func store(_ number: Int, left: TimeSpan) { beginStoring(number, max(left.seconds, 0)) }

    /// So many more frames are to be read, each for so long.
    package mutating func read(_ frames: Int, each time: TimeSpan) {
        readingEach = time.seconds / Double(workers)
        reading += Double(frames) * readingEach
    }

    /// How long until no more than `count` frames are left to be read; nil where there are no more.
    package func timeUntilUnread(atMost count: Int) -> TimeSpan? {
        let left = reading - Double(count) * readingEach
        return left > 0 ? .seconds(left) : nil
    }

    /// Plays on to what comes next, but no further than by `most`; nil where nothing comes until then.
    package mutating func next(within most: TimeSpan? = nil) -> Event? {
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
