// SPDX-License-Identifier: MIT
// How a steadied picture moves, and what of each frame it therefore shows.

import Fusion
import LivecapFrames

/// Turns the motions of frames into the places where a steadied picture sees them.
///
/// Nothing is added up over the whole stream, so nothing can drift away: each step looks at the frames ahead from the
/// frame before, where the picture was seen at a known place. `PathSolver` says where it goes from there. With a
/// look-ahead of 0, the frames ahead are guessed: they go on as fast as lately, and come to rest.
struct CameraPath {
    /// The number of frames that must be known beyond one that is shown.
    let lookAhead: Int
    private let still: AffineMotion
    /// How far what is in the corners may move, across and down.
    private let room: (x: Double, y: Double)
    private let zoom: Double
    private let limit: PathPoint
    private var solver: PathSolver
    /// The frames that were not shown yet.
    private var frames: [Frame] = []
    private var points: [PathPoint]
    /// Where the picture saw the frame shown last, and the one before that seen from there; nil at a path's beginning.
    private var last: AffineMotion?
    private var earlier: AffineMotion?
    /// The motion per frame lately, for guesses.
    private var pace = PathPoint.zero

    private struct Frame {
        /// Leads to the frame before; nil for the first of a path.
        let motion: AffineMotion?
    }

    /// How many frames are guessed, which share of its pace the camera keeps from one to the next, and how fast the
    /// pace follows.
    private static let guessed = 24, keep = 0.95, follow = 0.2
    /// A frame's outermost pixels, which interpolation would need others beyond for.
    private static let inset = 4.0
    /// Which share of its room each part of the motion may take. Shifts may take what turns leave, at least a part of
    /// it.
    private static let shares: PathPoint = [0.95, 0.95, 0.12, 0.3, 0.35, 0.2, 0, 0], leastShift = 0.3

    /// How far down a row of the picture may lead from one column to the next: `ViewPainter` can draw a sixteenth.
    private static let steepest = 0.055

    /// The path of pictures of `size`.
    init(_ size: FrameSize, lookAhead: Int) {
        self.lookAhead = lookAhead
        still = AffineMotion(width: size.width, height: size.height)
        zoom = 1 - StabilizationMode.crop
        func room(_ middle: Float) -> Double { max(0, StabilizationMode.crop * Double(middle) - Self.inset) }
        let (x, y) = (room(still.middleX), room(still.middleY))
        self.room = (x, y)
        var limit = Self.shares * [x, y, x, x, y, y, 0, 0]
        limit[4] = min(limit[4], Self.steepest * Double(still.middleX))
        self.limit = limit
        let most = 1 + max(lookAhead, Self.guessed)
        solver = PathSolver(most: most)
        points = [PathPoint](repeating: .zero, count: most)
        frames.reserveCapacity(lookAhead + 2)
    }

    /// Adds a frame: how it moved since the one before, or nil if another path begins.
    mutating func add(_ motion: AffineMotion?) { frames.append(Frame(motion: motion)) }

    /// Whether there is a frame of which enough is known to show it; or any, if no more follow.
    func isReady(isOver: Bool) -> Bool { frames.count > lookAhead || (isOver && !frames.isEmpty) }

    /// Takes the oldest frame. The motion leads from a pixel of the picture to what it shows of the frame.
    mutating func next() -> AffineMotion {
        let motion = frames[0].motion
        if motion == nil { (last, earlier, pace) = (nil, nil, .zero) }
        let count = look(from: motion ?? still)
        let place = solver.first(
            points[..<count], within: limitNow, last: last.map(\.point), earlier: earlier.map(\.point))
        // From the frame before to this one.
        let back = (motion ?? still).reversed
        let seen = held(still.with(place).then(back))
        earlier = last?.then(back)
        last = seen
        frames.removeFirst()
        return enlarged(seen)
    }

    /// Fills in where this frame and those ahead are, seen from the frame before. Returns the number of them.
    private mutating func look(from first: AffineMotion) -> Int {
        points[0] = first.point
        guard lookAhead > 0 else {
            pace += Self.follow * (first.point - pace)
            var step = pace
            for place in 1...Self.guessed {
                step *= Self.keep
                points[place] = points[place - 1] + step
            }
            return 1 + Self.guessed
        }
        var motion = first
        for place in 1..<max(1, min(frames.count, lookAhead + 1)) {
            guard let next = frames[place].motion else { return place }
            motion = next.then(motion)
            points[place] = motion.point
        }
        return min(frames.count, lookAhead + 1)
    }

    /// The limit of each part of the motion. Turns change slowly, so they take what they took of the last frame.
    private var limitNow: PathPoint {
        guard let last = last?.point else { return limit }
        var limit = limit
        limit[0] -= min(abs(last[2]) + abs(last[3]), (1 - Self.leastShift) * limit[0])
        limit[1] -= min(abs(last[4]) + abs(last[5]), (1 - Self.leastShift) * limit[1])
        return limit
    }

    /// Holds a motion within the room, so that no corner leaves the frame.
    private func held(_ motion: AffineMotion) -> AffineMotion {
        let point = motion.point
        let across = abs(point[0]) + zoom * (abs(point[2]) + abs(point[3]))
        let down = abs(point[1]) + zoom * (abs(point[4]) + abs(point[5]))
        // Whatever the shape of the picture.
        let steepest = Self.steepest * Double(still.middleX)
        let share = min(1, room.x / max(across, 1e-9), room.y / max(down, 1e-9), steepest / max(abs(point[4]), 1e-9))
        return share < 1 ? motion.with(share * point) : motion
    }

    /// What the enlarged picture shows.
    private func enlarged(_ motion: AffineMotion) -> AffineMotion {
        let zoom = Float(zoom)
        var motion = motion
        (motion.xx, motion.yy) = ((1 + motion.xx) * zoom - 1, (1 + motion.yy) * zoom - 1)
        (motion.xy, motion.yx) = (motion.xy * zoom, motion.yx * zoom)
        return motion
    }
}
