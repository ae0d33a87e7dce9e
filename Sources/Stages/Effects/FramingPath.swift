// SPDX-License-Identifier: MIT
// Where a picture that follows people looks.

import LivecapDetection

/// The part of a picture that is shown: of its shape, and never beyond its edges.
struct Framing: Hashable, Sendable {
    /// Its middle, as shares of the picture's width and height.
    var x: Double
    var y: Double
    /// Its width and height, as a share of the picture's.
    var size: Double

    /// All of the picture.
    static let whole = Framing(x: 0.5, y: 0.5, size: 1)

    /// The same size, as near as it may be without leaving the picture.
    var inside: Framing {
        let half = size / 2
        return Framing(x: min(max(x, half), 1 - half), y: min(max(y, half), 1 - half), size: size)
    }
}

/// Moves the part that is shown after faces, calmly: it rests while they stay about where they are, and otherwise moves
/// with bounded speed and acceleration. Nobody is left out: with several faces, all are shown.
struct FramingPath {
    /// What is shown now.
    private(set) var shown = Framing.whole
    /// Per second.
    private var speed = Framing(x: 0, y: 0, size: 0)
    /// Where it goes. It changes only if faces have moved noticeably.
    private var goal = Framing.whole
    /// Seconds since a face was seen.
    private var unseen = 0.0
    /// How many faces there are. One that is overlooked is still there, and one that is seen once is none.
    private var count = 0
    /// The seconds since `count` faces were seen.
    private var lacking = 0.0
    /// How many looks in a row have found more.
    private var surplus = 0

    /// How much of the picture is shown at least: less would be blurred.
    private static let smallest = 0.5
    /// The height of what is shown, in heights of one face's box; and the room around the boxes of several.
    private static let heights = 3.4, room = 1.6
    /// Where the middle of faces is in it, from the top.
    private static let eyeLevel = 0.42
    /// How far faces may move, as a share of what is shown, before it follows; and by how much its size may be off.
    private static let rest = 0.06, restOfSize = 0.15
    /// The most per second, and per second squared.
    private static let fastest = Framing(x: 0.5, y: 0.5, size: 0.25)
    private static let steepest = Framing(x: 0.8, y: 0.8, size: 0.4)
    /// After this long without faces it shows everything again.
    private static let patience = 2.0
    /// A face has gone after this long, and is one that often in a row.
    private static let gone = 1.0, often = 2

    init() {}

    /// What to show of the next frame, `seconds` after the one before. `faces` is nil if nobody has looked.
    /// `strength`: 1 for close, 0 for the whole picture.
    mutating func next(_ faces: [Face]?, after seconds: Double, strength: Double) -> Framing {
        let seconds = min(max(seconds, 0), 0.1)
        if let faces { look(at: faces, strength) }
        unseen += seconds
        lacking += seconds
        if unseen > Self.patience {
            goal = .whole
            count = 0
        }
        step(\.x, seconds)
        step(\.y, seconds)
        step(\.size, seconds)
        shown = shown.inside
        return shown
    }

    private mutating func look(at faces: [Face], _ strength: Double) {
        surplus = faces.count > count ? surplus + 1 : 0
        if surplus >= Self.often || !faces.isEmpty && faces.count < count && lacking > Self.gone {
            count = faces.count
            surplus = 0
        }
        guard faces.count == count, count > 0 else { return }
        lacking = 0
        unseen = 0
        let wanted = Self.around(faces, strength)
        let isOff =
            abs(wanted.x - goal.x) > Self.rest * goal.size || abs(wanted.y - goal.y) > Self.rest * goal.size
            || abs(wanted.size - goal.size) > Self.restOfSize * goal.size
        if isOff { goal = wanted }
    }

    /// The part that shows all faces well.
    private static func around(_ faces: [Face], _ strength: Double) -> Framing {
        let left = Double(faces.map(\.origin.x).min()!), top = Double(faces.map(\.origin.y).min()!)
        let right = Double(faces.map { $0.origin.x + $0.width }.max()!)
        let bottom = Double(faces.map { $0.origin.y + $0.height }.max()!)
        let face = Double(faces.map(\.height).max()!)
        let close = max(heights * face, room * (right - left), (bottom - top) + (heights - 1) * face)
        let size = min(max(close, smallest), 1), strengthened = 1 - strength * (1 - size)
        let middle = (top + bottom) / 2
        return Framing(x: (left + right) / 2, y: middle + (0.5 - eyeLevel) * strengthened, size: strengthened).inside
    }

    /// Moves one of the numbers towards its goal: as fast as it may, and no faster than it can still stop in time.
    private mutating func step(_ number: WritableKeyPath<Framing, Double>, _ seconds: Double) {
        let way = goal[keyPath: number] - shown[keyPath: number]
        let most = Self.fastest[keyPath: number], steepest = Self.steepest[keyPath: number]
        let stopping = (2 * steepest * abs(way)).squareRoot()
        // Near its goal it slows down in proportion, so that it arrives softly and stays.
        let wanted = (way < 0 ? -1 : 1) * min(most, stopping, abs(way) * 4)
        let change = wanted - speed[keyPath: number], limit = steepest * seconds
        speed[keyPath: number] += min(max(change, -limit), limit)
        shown[keyPath: number] += speed[keyPath: number] * seconds
        if abs(goal[keyPath: number] - shown[keyPath: number]) < 1e-4, abs(speed[keyPath: number]) < 1e-2 {
            shown[keyPath: number] = goal[keyPath: number]
            speed[keyPath: number] = 0
        }
    }
}
