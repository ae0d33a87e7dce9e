// SPDX-License-Identifier: MIT
// Depth, as a plane: small holes, and points in the picture of another camera.

extension Reference {
    /// The samples of the hole at a place, found by spreading from it.
    private static func hole(_ depth: [[Int]], at start: (x: Int, y: Int)) -> Set<[Int]> {
        var found: Set<[Int]> = [[start.x, start.y]], edge = [[start.x, start.y]]
        while let place = edge.popLast() {
            for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
                let x = place[0] + dx, y = place[1] + dy
                guard depth.indices.contains(y), depth[y].indices.contains(x), depth[y][x] == 0 else { continue }
                if found.insert([x, y]).inserted { edge.append([x, y]) }
            }
        }
        return found
    }

    /// The first depth from a place in a direction, and how far it is.
    private static func first(
        _ depth: [[Int]], from place: [Int], _ dx: Int, _ dy: Int
    ) -> (depth: Int, distance: Int)? {
        var x = place[0] + dx, y = place[1] + dy, distance = 1
        while depth.indices.contains(y), depth[y].indices.contains(x) {
            if depth[y][x] > 0 { return (depth[y][x], distance) }
            x += dx
            y += dy
            distance += 1
        }
        return nil
    }

    /// Rows of depth with their small holes filled.
    package static func fillDepthHoles(_ depth: [[Int]], limit: Int, _ reach: DepthReach) -> [[Int]] {
        var out = depth, visited: Set<[Int]> = []
        for y in depth.indices {
            for x in depth[y].indices where depth[y][x] == 0 && !visited.contains([x, y]) {
                let hole = hole(depth, at: (x, y))
                visited.formUnion(hole)
                guard hole.count <= limit, hole.count < depth.count * depth[0].count else { continue }
                for place in hole {
                    let around = [(-1, 0), (1, 0), (0, -1), (0, 1)].compactMap {
                        first(depth, from: place, $0.0, $0.1)
                    }
                    let far = around.map(\.depth).max()!
                    let taken = around.filter { far - $0.depth <= reach.of(far) }
                    let weights = taken.map { max(1, 65536 / $0.distance) }
                    let sum = zip(taken, weights).reduce(0) { $0 + $1.0.depth * $1.1 }, all = weights.reduce(0, +)
                    out[place[1]][place[0]] = (2 * sum + all) / (2 * all)
                }
            }
        }
        return out
    }

    /// Where a point is in another camera's picture, and how far away.
    package struct DepthPoint {
        package var x: Int32 = 0, y: Int32 = 0, z: UInt16 = 0

        package init(x: Int32 = 0, y: Int32 = 0, z: UInt16 = 0) {
            self.x = x
            self.y = y
            self.z = z
        }
    }

    package static func projectDepth(
        _ depth: UInt16, across: Float, down: Float, pose: [Float], lens: [Float]
    ) -> DepthPoint {
        let z = Float(depth), point = [across * z, down * z, z]
        let moved = (0..<3).map { row in
            let part = pose[4 * row..<4 * row + 4].map { $0 }
            let sum = part[0] * point[0] + part[1] * point[1]
            return (sum + part[2] * point[2]) + part[3]
        }
        guard depth > 0, moved[2] >= 0.5, moved[2] < 65534.5 else { return DepthPoint() }
        let x = moved[0] / moved[2], y = moved[1] / moved[2], q = x * x + y * y
        let (k1, k2, p1, p2, k3) = (lens[4], lens[5], lens[6], lens[7], lens[8])
        let bend = 1 + q * (k1 + q * (k2 + q * k3)), product = x * y
        let u = (x * bend + (2 * p1) * product) + p2 * (q + (2 * x) * x)
        let v = (y * bend + (2 * p2) * product) + p1 * (q + (2 * y) * y)
        func place(_ pixels: Float) -> Int32 {
            let held = pixels < -32768 ? -32768 : pixels < 32767 ? pixels : 32767
            return Int32(((held + 32768) * 16 + 0.5).rounded(.down)) - 524288
        }
        return DepthPoint(
            x: place(u * lens[0] + lens[2]), y: place(v * lens[1] + lens[3]),
            z: UInt16((moved[2] + 0.5).rounded(.down)))
    }

    /// Whether a point whose place is `place`, and which is `size` wide, covers the middle of sample `sample`.
    private static func covers(_ place: Int32, _ size: Int, _ sample: Int) -> Bool {
        let start = Int(place) - size / 2
        return (start..<start + size).contains(16 * sample)
    }

    /// Lays points onto rows of depth, which must all be equally long.
    package static func layDepth(_ points: [DepthPoint], across: Int, down: Int, onto plane: [[UInt16]]) -> [[UInt16]] {
        var plane = plane
        for point in points where point.z > 0 {
            for y in plane.indices where covers(point.y, down, y) {
                for x in plane[y].indices where covers(point.x, across, x) {
                    if plane[y][x] == 0 || point.z < plane[y][x] { plane[y][x] = point.z }
                }
            }
        }
        return plane
    }
}
