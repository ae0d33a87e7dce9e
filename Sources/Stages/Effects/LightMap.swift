// SPDX-License-Identifier: MIT
// Studio light: faces lit, and what is behind people dimmed.

import LivecapDetection
import LivecapFrames

/// How much light people and what is behind them get: 128 for none, more to be lit, less to be dimmed.
final class LightMap {
    /// The light on people, the first number of each cell: brightest on faces, soft as light is. It ends where they
    /// end, so that it leaves no halo.
    let people: QuadMap
    /// The light on what is behind them.
    private(set) var behind: UInt8 = 128
    private let aspect: Float
    /// Where the light goes: it follows faces softly.
    private let goal: QuadMap
    private var lit: [Face]?

    /// How far it goes in one picture.
    private static let pace: Float = 0.2
    /// By how much faces are lit at most, of what would double what is nearly black; how much of that the rest of a
    /// person gets; and how much what is behind people is dimmed.
    static let most: Float = 0.55
    private static let awayFromFace: Float = 0.45, dimmed: Float = 0.35
    /// Where the light on a face ends, in heights of its box from its middle.
    private static let reach: Float = 1.6

    init(_ size: FrameSize) {
        people = QuadMap(size)
        goal = QuadMap(size)
        aspect = Float(size.width) / Float(size.height)
    }

    /// The next picture has nothing to do with the one before.
    func forget() { lit = nil }

    /// Lights people with these faces, and dims the rest.
    func light(_ faces: [Face], strength: Float) {
        behind = UInt8((128 - 127 * strength * Self.dimmed).rounded())
        let isFirst = lit == nil
        if faces != lit { aim(at: faces, strength) }
        lit = faces
        for y in 0..<people.height {
            let (row, next) = (people.row(y), goal.row(y))
            for x in 0..<people.width {
                let place = QuadMap.lanes * x
                row[place] = isFirst ? next[place] : row[place] + Self.pace * (next[place] - row[place])
            }
        }
    }

    private func aim(at faces: [Face], _ strength: Float) {
        let lights = faces.map { face -> (x: Float, y: Float, reach: Float) in
            let reach = face.height * Self.reach
            return (face.middle.x, face.middle.y, reach * reach)
        }
        for y in 0..<goal.height {
            let row = goal.row(y), down = (Float(y) + 0.5) / Float(goal.height)
            for x in 0..<goal.width {
                let across = (Float(x) + 0.5) / Float(goal.width)
                // Without a face, all of a person is lit like the rest.
                var near: Float = 0
                for light in lights {
                    let dx = (across - light.x) * aspect, dy = down - light.y
                    near = max(near, 1 - min((dx * dx + dy * dy) / light.reach, 1))
                }
                let gain = Self.awayFromFace + (1 - Self.awayFromFace) * near
                row[QuadMap.lanes * x] = 128 + 127 * strength * Self.most * gain
            }
        }
    }
}
