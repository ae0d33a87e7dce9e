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

    /// By how much faces are lit at most, of what would double what is nearly black; how much of that the rest of a
    /// person gets; and how much what is behind people is dimmed.
    private static let lit: Float = 0.55, awayFromFace: Float = 0.45, dimmed: Float = 0.35
    /// Where the light on a face ends, in heights of its box from its middle.
    private static let reach: Float = 1.6

    init(_ size: FrameSize) {
        people = QuadMap(size)
        aspect = Float(size.width) / Float(size.height)
    }

    /// Lights people with these faces, and dims the rest.
    func light(_ faces: [Face], strength: Float) {
        behind = UInt8((128 - 127 * strength * Self.dimmed).rounded())
        for y in 0..<people.height {
            let row = people.row(y), down = (Float(y) + 0.5) / Float(people.height)
            for x in 0..<people.width {
                let across = (Float(x) + 0.5) / Float(people.width)
                // Without a face, all of a person is lit like the rest.
                var near: Float = 0
                for face in faces {
                    let dx = (across - face.middle.x) * aspect, dy = down - face.middle.y
                    let reach = face.height * Self.reach
                    near = max(near, 1 - min((dx * dx + dy * dy) / (reach * reach), 1))
                }
                let gain = Self.awayFromFace + (1 - Self.awayFromFace) * near
                row[QuadMap.lanes * x] = 128 + 127 * strength * Self.lit * gain
            }
        }
    }
}
