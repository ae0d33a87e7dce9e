// SPDX-License-Identifier: MIT
// What a room with depth is made of: walls, boards and balls, and where rays meet them.

/// A place in the room, in metres: right of the first camera's middle, below it, and before it.
struct DepthPoint: Hashable, Sendable {
    var x: Float
    var y: Float
    var z: Float
}

/// A ray of a camera: where it starts, and how far right and down it goes in a metre of depth.
struct DepthRay: Sendable {
    let start: DepthPoint
    let across: Float
    let down: Float

    func point(at depth: Float) -> DepthPoint {
        DepthPoint(x: start.x + across * depth, y: start.y + down * depth, z: start.z + depth)
    }
}

/// What a ray meets: how far away, measured along the camera's axis, and the light that comes from there.
struct DepthHit: Sendable {
    var depth: Float
    var light: SIMD4<Float>
}

/// One thing in the room.
struct DepthSolid: Sendable {
    enum Shape: Sendable {
        /// A wall that faces the cameras, without end.
        case wall(depth: Float)
        /// The floor: a plane this far below.
        case floor(below: Float)
        /// A rectangle around a middle, upright, that is `slope` metres farther away for each metre to the right.
        case board(middle: DepthPoint, halfWidth: Float, halfHeight: Float, slope: Float)
        /// A ball.
        case ball(middle: DepthPoint, radius: Float)
    }

    let shape: Shape
    let color: SIMD4<Float>
    /// Squares of its pattern per metre; 0 for none.
    let squares: Float
    let seed: UInt64

    init(_ shape: Shape, _ code: UInt32, squares: Float, seed: UInt64) {
        self.shape = shape
        color = SceneMath.color(code)
        self.squares = squares
        self.seed = seed
    }

    /// How far away the ray meets it; nil if it does not, or not before the camera.
    func depth(_ ray: DepthRay) -> Float? {
        let depth: Float
        switch shape {
        case .wall(let wall): depth = wall - ray.start.z
        case .floor(let below):
            guard ray.down > 0 else { return nil }
            depth = (below - ray.start.y) / ray.down
        case .board(let middle, let halfWidth, let halfHeight, let slope):
            depth = (middle.z - ray.start.z + slope * (ray.start.x - middle.x)) / (1 - slope * ray.across)
            let point = ray.point(at: depth)
            guard abs(point.x - middle.x) <= halfWidth, abs(point.y - middle.y) <= halfHeight else { return nil }
        case .ball(let middle, let radius):
            let x = ray.start.x - middle.x, y = ray.start.y - middle.y, z = ray.start.z - middle.z
            let a = ray.across * ray.across + ray.down * ray.down + 1
            let b = x * ray.across + y * ray.down + z, c = x * x + y * y + z * z - radius * radius
            let root = b * b - a * c
            guard root >= 0 else { return nil }
            depth = (-b - root.squareRoot()) / a
        }
        return depth > 0.05 ? depth : nil
    }

    /// The light that comes from it at a point: a pattern of squares of like brightness, lit from the upper left.
    func light(at point: DepthPoint) -> SIMD4<Float> {
        switch shape {
        case .wall: return color * pattern(point.x, point.y)
        case .floor: return color * (pattern(point.x, point.z) * 0.8)
        case .board(let middle, _, _, _): return color * pattern(point.x - middle.x, point.y - middle.y)
        case .ball(let middle, let radius):
            let x = (point.x - middle.x) / radius, y = (point.y - middle.y) / radius
            let z = (point.z - middle.z) / radius
            let facing = max(0, -0.45 * x - 0.6 * y - 0.66 * z)
            return color * (pattern(x, y) * (0.35 + 0.65 * facing))
        }
    }

    private func pattern(_ u: Float, _ v: Float) -> Float {
        guard squares > 0 else { return 1 }
        let a = SceneMath.noise(u * squares, v * squares, seed)
        return 0.8 + 0.2 * a
    }
}
