// SPDX-License-Identifier: MIT
// Groups of cells that touch.

/// A group of cells that touch, also at their corners.
struct CellGroup: Hashable {
    /// The number of its cells.
    var count: Int
    /// The rectangle around it.
    var box: CellBox
}

/// Finds groups among marked cells. Keeps its memory from one picture to the next.
struct CellGroups {
    private let columns: Int
    private let rows: Int
    private var labels: [Bool]
    private var members: [Int] = []

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        labels = [Bool](repeating: false, count: columns * rows)
    }

    /// The largest group of at least `least` of the marked cells that is `accepted`, which gets its cells; nil if there
    /// is none.
    mutating func largest(
        of marks: [Bool], least: Int, where accepted: ([Int]) -> Bool
    ) -> CellGroup? {
        var best: CellGroup?
        for cell in labels.indices { labels[cell] = marks[cell] }
        for start in labels.indices where labels[start] {
            let box = follow(from: start)
            guard members.count >= least, members.count > best?.count ?? 0, accepted(members) else { continue }
            best = CellGroup(count: members.count, box: box)
        }
        return best
    }

    /// Collects the cells that touch `start`, and takes their labels off.
    private mutating func follow(from start: Int) -> CellBox {
        members.removeAll(keepingCapacity: true)
        members.append(start)
        labels[start] = false
        var box = CellBox(
            left: start % columns, top: start / columns, right: start % columns, bottom: start / columns)
        var next = 0
        while next < members.count {
            let (x, y) = (members[next] % columns, members[next] / columns)
            next += 1
            box = box.union(CellBox(left: x, top: y, right: x, bottom: y))
            for row in max(0, y - 1)...min(rows - 1, y + 1) {
                for column in max(0, x - 1)...min(columns - 1, x + 1) where labels[row * columns + column] {
                    labels[row * columns + column] = false
                    members.append(row * columns + column)
                }
            }
        }
        return box
    }
}
