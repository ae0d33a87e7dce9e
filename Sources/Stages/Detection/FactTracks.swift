// SPDX-License-Identifier: MIT
// Which of the faces or hands of a picture are those of the pictures before.

import LivecapFrames

/// Gives numbers to what is found in pictures, the same for the same thing for as long as it is followed.
package struct FactTracks {
    private struct Track {
        let id: Int
        var box: PictureBox
        /// Seconds since it was seen.
        var unseen: Double
    }

    private var tracks: [Track] = []
    private var lastID = 0

    /// What is not seen for longer gets another number when it comes back.
    private static let kept = 0.5
    /// The middles of two boxes of the same thing are at most this far apart, as a share of their width or height.
    private static let near: Float = 0.75
    /// One of them is at most this many times as large as the other.
    private static let growth: Float = 2

    package init() {}

    /// The next picture has nothing to do with the one before. Numbers are not used again.
    package mutating func forget() { tracks.removeAll(keepingCapacity: true) }

    /// The numbers, from 1, of what is in these boxes of the next picture. Those that are nearest to each other are of
    /// the same thing.
    package mutating func ids(of boxes: [PictureBox], after seconds: Double) -> [Int] {
        for index in tracks.indices { tracks[index].unseen += seconds }
        tracks.removeAll { $0.unseen > Self.kept }
        var ids = [Int](repeating: 0, count: boxes.count)
        let before = tracks.count
        var (areFree, left) = ([Bool](repeating: true, count: before), min(before, boxes.count))
        while left > 0, let pair = nearest(boxes, ids, areFree) {
            ids[pair.box] = tracks[pair.track].id
            areFree[pair.track] = false
            tracks[pair.track].box = boxes[pair.box]
            tracks[pair.track].unseen = 0
            left -= 1
        }
        for place in boxes.indices where ids[place] == 0 {
            lastID += 1
            ids[place] = lastID
            tracks.append(Track(id: lastID, box: boxes[place], unseen: 0))
        }
        return ids
    }

    /// The nearest box without a number, and track without a box, that can be of the same thing.
    private func nearest(_ boxes: [PictureBox], _ ids: [Int], _ areFree: [Bool]) -> (box: Int, track: Int)? {
        var found: (box: Int, track: Int)?
        var least = Self.near
        for box in boxes.indices where ids[box] == 0 {
            for track in areFree.indices where areFree[track] {
                let distance = Self.distance(boxes[box], tracks[track].box)
                guard distance < least else { continue }
                least = distance
                found = (box, track)
            }
        }
        return found
    }

    /// How far the middles of two boxes are apart, as a share of their width or height; infinite if they are too
    /// different to be of the same thing.
    static func distance(_ a: PictureBox, _ b: PictureBox) -> Float {
        let width = (a.width + b.width) / 2, height = (a.height + b.height) / 2
        let larger = max(a.width * a.height, b.width * b.height), smaller = min(a.width * a.height, b.width * b.height)
        guard smaller > 0, larger <= growth * growth * smaller else { return .infinity }
        let across = (a.origin.x + a.width / 2) - (b.origin.x + b.width / 2)
        let down = (a.origin.y + a.height / 2) - (b.origin.y + b.height / 2)
        return max(abs(across) / width, abs(down) / height)
    }
}

/// Steadies what is known of eyes from picture to picture, so that noise does not open or close them.
struct SteadyEyes {
    private var known: [(id: Int, eyes: FaceFacts.Eyes)] = []

    /// A blink takes 0.1 to 0.4 seconds: it must not be lost.
    private static let seconds = 0.05

    /// The next picture has nothing to do with the one before.
    mutating func forget() { known.removeAll(keepingCapacity: true) }

    /// The eyes of faces, whose numbers these are, steadied. Those of other faces are forgotten.
    mutating func next(_ ids: [Int], _ eyes: [FaceFacts.Eyes?], after seconds: Double) -> [FaceFacts.Eyes?] {
        let share = Float(min(max(seconds / (seconds + Self.seconds), 0), 1))
        let steady = zip(ids, eyes).map { id, fresh -> FaceFacts.Eyes? in
            guard let fresh, let before = known.first(where: { $0.id == id })?.eyes else { return fresh }
            return FaceFacts.Eyes(
                right: before.right + share * (fresh.right - before.right),
                left: before.left + share * (fresh.left - before.left))
        }
        known.removeAll(keepingCapacity: true)
        for (id, eyes) in zip(ids, steady) { if let eyes { known.append((id, eyes)) } }
        return steady
    }
}
