// SPDX-License-Identifier: MIT
// Decides whether something moves, from coarse maps of pictures.

import LivecapFrames

/// Watches one map of brightness after the other. A plain value without threads or clocks: the same maps at the same
/// times give the same events.
///
/// What moves differs from the usual picture by more than its noise, has an outline that is not there usually, and is
/// elsewhere in the next picture. Small things are noticed by two of three pictures in a row. What covers much of the
/// picture, and what moves slowly, is compared with the picture a quarter of a second before, for 0.6 s: light that
/// changes does so only for a moment. For its first two seconds, a detector only learns.
package struct MotionDetector: Sendable {
    /// What is to be noticed.
    package let settings: MotionTrigger
    private let shape: GridShape
    private let isWatched: [Bool]
    private let limits: MotionLimits
    private var memory: CellMemory
    private var light: RowLight
    /// By how much the light differs from that of an earlier picture.
    private var change: RowLight
    private var groups: CellGroups
    private var last: Timestamp?
    /// What is seen if the memory's picture is lit as the present one is.
    private var expected: [Float]
    private var changed: [Bool]
    private var marks: [Bool]
    /// The last picture, and some of those before it.
    private var before: [Float]
    private var earlier: [(time: Timestamp, picture: [Float])] = []
    private var quick: [Hit?] = []
    private var slow: [Hit] = []
    private var slowMisses = 0
    /// While something moves: when it last did.
    private var lastMotion: Timestamp?

    /// Something that moved in a picture.
    private struct Hit: Sendable {
        var time: Timestamp
        var count: Int
        var box: CellBox
    }

    /// A gap longer than this begins anew.
    private static let longGap = Duration.seconds(1)
    /// How long a detector learns at least.
    private static let learns: Float = 2
    private static let learnsFrames = 20
    /// Pictures farther back than this show what moves slowly.
    private static let lag = Duration.milliseconds(250)
    /// Those are kept that are so far apart.
    private static let spacing = Duration.milliseconds(45)
    /// How long slow motion lasts before it is believed: longer than `lag`, for which a lamp that is switched on is
    /// seen in it.
    private static let patience = Duration.milliseconds(600)
    private static let mostSlowMisses = 2
    /// What covers more of the picture may be light.
    private static let large = 0.2

    /// Watches pictures of a shape.
    package init(_ settings: MotionTrigger, _ shape: GridShape) {
        self.settings = settings
        self.shape = shape
        isWatched = shape.cells(in: settings.area)
        limits = MotionLimits(sensitivity: settings.sensitivity, of: shape.count)
        memory = CellMemory(count: shape.count)
        light = RowLight(columns: shape.columns, rows: shape.rows)
        change = light
        groups = CellGroups(columns: shape.columns, rows: shape.rows)
        expected = [Float](repeating: 0, count: shape.count)
        changed = [Bool](repeating: false, count: shape.count)
        marks = changed
        before = expected
    }

    /// Whether it has learned enough to notice anything.
    package var isArmed: Bool { memory.seconds >= Self.learns && memory.frames >= Self.learnsFrames }

    /// Whether something moves, or has until less than the quiet time ago.
    package var isMoving: Bool { lastMotion != nil }

    /// Begins anew: the next picture has nothing to do with the ones before. What moved has ended.
    package mutating func forget() -> TriggerEvent? {
        memory.forget()
        last = nil
        earlier = []
        forgetHits()
        return lastMotion.take().map { .ended(.motion, last: $0) }
    }

    private mutating func forgetHits() {
        quick = []
        slow = []
        slowMisses = 0
    }

    /// Takes the map of the picture of `time`: the brightness of each cell from 0 to 255. Returns what it means.
    package mutating func take(_ picture: [Float], at time: Timestamp) -> TriggerEvent? {
        precondition(picture.count == shape.count, "a map has the detector's shape")
        if let last, time <= last { return nil }
        if let last, time - last > Self.longGap, let ended = forget() {
            _ = take(picture, at: time)
            return ended
        }
        let elapsed = last.map { Float((time - $0).seconds) } ?? 0
        last = time
        if elapsed > Float(Self.longGap.seconds) || memory.frames == 0 {
            memory.forget()
            memory.learn(picture, expected: picture, after: 0)
            keep(picture, at: time)
            return nil
        }
        light.fit(picture, to: memory.usual)
        relight(picture)
        guard isArmed else {
            memory.learn(picture, expected: expected, after: elapsed)
            keep(picture, at: time)
            return nil
        }
        let event = judge(picture, at: time)
        memory.learn(
            picture, expected: expected, changed: changed, after: elapsed, deviations: limits.deviations,
            contrast: limits.contrast)
        keep(picture, at: time)
        return event
    }

    /// Puts the memory into the picture's light.
    private mutating func relight(_ picture: [Float]) {
        for row in 0..<shape.rows {
            let factor = light.factors[row]
            for cell in row * shape.columns..<(row + 1) * shape.columns {
                expected[cell] = memory.usual[cell] * factor
            }
        }
    }

    private mutating func keep(_ picture: [Float], at time: Timestamp) {
        before = picture
        if earlier.last.map({ time - $0.time >= Self.spacing }) ?? true { earlier.append((time, picture)) }
        while earlier.count > 1, time - earlier[1].time >= Self.lag { earlier.removeFirst() }
    }

    // MARK: Judging

    private mutating func judge(_ picture: [Float], at time: Timestamp) -> TriggerEvent? {
        let isGoingOn = lastMotion != nil
        let limits = isGoingOn ? limits.ofGoingOn : limits
        markChanged(picture)
        let quickGroup = motion(picture, since: before, limits)
        var slowGroup: CellGroup?
        if let old = earlier.first, time - old.time >= Self.lag {
            slowGroup = motion(picture, since: old.picture, limits)
        }
        let mostQuick = Int(Self.large * Double(shape.count))
        let quickHit = quickGroup.flatMap { $0.count <= mostQuick ? hit($0, time) : nil }
        quick.append(quickHit)
        if quick.count > 3 { quick.removeFirst() }
        note(slow: slowGroup.map { hit($0, time) })
        guard let moving = lastMotion else { return beginning(at: time) }
        if confirmed != nil || slowGroup != nil {
            lastMotion = time
        } else if time - moving >= settings.quiet {
            lastMotion = nil
            forgetHits()
            return .ended(.motion, last: moving)
        }
        return nil
    }

    private func hit(_ group: CellGroup, _ time: Timestamp) -> Hit {
        Hit(time: time, count: group.count, box: group.box)
    }

    private mutating func note(slow hit: Hit?) {
        if let hit {
            slow.append(hit)
            slowMisses = 0
            if slow.count > 256 { slow.remove(at: 1) }
        } else {
            slowMisses += 1
            if slowMisses > Self.mostSlowMisses { slow = [] }
        }
    }

    /// The pictures that show that something moves; nil if that is not certain.
    private var confirmed: [Hit]? {
        let hits = quick.compactMap { $0 }
        if hits.count >= 2 { return hits }
        guard let first = slow.first, let last = slow.last, last.time - first.time >= Self.patience else { return nil }
        return slow
    }

    private mutating func beginning(at time: Timestamp) -> TriggerEvent? {
        guard let hits = confirmed, let first = hits.first else { return nil }
        var box = first.box, best = first
        for hit in hits.dropFirst() {
            box = box.union(hit.box)
            if hit.count > best.count { best = hit }
        }
        lastMotion = time
        let share = Double(best.count) / Double(shape.count)
        return .began(
            TriggerCause(
                .motion, time: first.time, moment: best.time, noticed: time,
                motion: .init(box: shape.box(box), share: share)))
    }

    /// How far a cell is from what was expected of it. Where both are clipped, nothing is known.
    private static func difference(_ value: Float, _ expected: Float) -> Float {
        value >= RowLight.clipped && expected >= RowLight.clipped ? 0 : abs(value - min(expected, 255))
    }

    /// Finds the cells that do not look as usual.
    private mutating func markChanged(_ picture: [Float]) {
        for cell in changed.indices {
            let limit = memory.threshold(cell, deviations: limits.deviations, contrast: limits.contrast)
            changed[cell] = Self.difference(picture[cell], expected[cell]) > limit
        }
    }

    /// The largest group of cells that neither look as usual nor as they did `before`.
    private mutating func motion(_ picture: [Float], since before: [Float], _ limits: MotionLimits) -> CellGroup? {
        var count = 0
        for cell in marks.indices {
            let limit = memory.threshold(cell, deviations: limits.deviations, contrast: limits.contrast)
            marks[cell] = isWatched[cell] && Self.difference(picture[cell], expected[cell]) > limit
            if marks[cell] { count += 1 }
        }
        // Where little has changed, as in most pictures, nothing moves.
        guard count >= limits.cells else { return nil }
        change.fit(picture, to: before)
        for row in 0..<shape.rows {
            let factor = change.factors[row]
            for cell in row * shape.columns..<(row + 1) * shape.columns where marks[cell] {
                let limit = memory.threshold(cell, deviations: limits.deviations, contrast: limits.contrast)
                marks[cell] = Self.difference(picture[cell], before[cell] * factor) > limit
            }
        }
        let (memory, columns, rows) = (memory, shape.columns, shape.rows)
        return groups.largest(of: marks, least: limits.cells) { members in
            Self.hasOutline(members, picture, memory, limits: limits, columns: columns, rows: rows)
        }
    }

    /// Whether cells differ from their neighbours in ways in which they usually do not. Light that falls on a part of
    /// the picture brightens what is there, and fades towards its edge.
    private static func hasOutline(
        _ cells: [Int], _ picture: [Float], _ memory: CellMemory, limits: MotionLimits, columns: Int, rows: Int
    ) -> Bool {
        var sums: (now: Float, usual: Float) = (0, 0)
        for cell in cells {
            sums.now += picture[cell]
            sums.usual += memory.usual[cell]
        }
        let factor = sums.now / max(sums.usual, 1)
        var edges = 0
        for cell in cells {
            let limit = memory.threshold(cell, deviations: limits.deviations, contrast: limits.contrast)
            let (x, y) = (cell % columns, cell / columns)
            func isNew(_ other: Int) -> Bool {
                let usual = (memory.usual[cell] - memory.usual[other]) * factor
                return abs(picture[cell] - picture[other] - usual) > limit
            }
            if x > 0 && isNew(cell - 1) || x + 1 < columns && isNew(cell + 1) || y > 0 && isNew(cell - columns)
                || y + 1 < rows && isNew(cell + columns)
            {
                edges += 1
            }
        }
        return edges >= max(2, Int(Float(cells.count).squareRoot()))
    }
}
