// SPDX-License-Identifier: MIT
// The exact position of the camera and the moving object, and the exact brightness, in every frame.

import LivecapFrames

/// The camera's pose in a frame, relative to its middle position.
///
/// The pixel at (x, y) shows the point of the scene that appears in the middle position at `c + R(rotation) ((x, y) -
/// c) + (x: dx, y: dy)`, where c is the centre of the picture.
package struct CameraPose: Hashable, Codable, Sendable {
    /// The shift to the right in pixels.
    package var dx: Double
    /// The shift downwards in pixels.
    package var dy: Double
    /// The rotation in degrees, clockwise as seen on the screen.
    package var rotation: Double

    /// The middle position.
    package static let middle = CameraPose(dx: 0, dy: 0, rotation: 0)
}

/// The factors by which a frame's light is multiplied.
package struct LightGain: Hashable, Codable, Sendable {
    /// Red's factor.
    package var red: Double
    /// Green's factor.
    package var green: Double
    /// Blue's factor.
    package var blue: Double
}

/// Motion and light as functions of time.
struct SceneMotion: Sendable {
    let settings: SyntheticSettings
    let size: FrameSize
    let rate: FrameRate

    /// The camera's maximum shift, in pixels of this size.
    var amplitude: Double { settings.motion * Double(size.width) / 1280 }

    /// The time of a moment. Moments are numbers of frames, with fractions between them.
    func seconds(_ moment: Double) -> Double { moment * Double(rate.denominator) / Double(rate.numerator) }

    /// From -1 to 1: the sum of a slow sway, a tremble and a shiver, with phases given by the seed.
    private func sway(_ moment: Double, _ channel: UInt64, _ hertz: (Double, Double, Double)) -> Double {
        let t = seconds(moment)
        func wave(_ hertz: Double, _ number: UInt64) -> Double {
            let key = settings.seed &+ (channel * 8 + number + 1) &* SceneMath.step
            return SceneMath.sine(turns: hertz * t + Double(SceneMath.mixed(key) >> 11) * 0x1p-53)
        }
        return 0.6 * wave(hertz.0, 0) + 0.3 * wave(hertz.1, 1) + 0.1 * wave(hertz.2, 2)
    }

    func pose(_ moment: Double) -> CameraPose {
        CameraPose(
            dx: amplitude * sway(moment, 0, (0.71, 1.93, 5.3)), dy: amplitude * sway(moment, 1, (0.53, 2.27, 6.1)),
            rotation: settings.rotation * sway(moment, 2, (0.41, 1.37, 4.7)))
    }

    func gain(_ moment: Double) -> LightGain {
        let brightness = settings.exposure * (1 + settings.flicker * sway(moment, 3, (2.3, 0.37, 7.1)))
        let tint = settings.whiteBalance * sway(moment, 4, (0.29, 0.83, 1.7))
        return LightGain(red: brightness * (1 + tint), green: brightness, blue: brightness * (1 - tint))
    }

    /// The ball's centre in the scene, in pixels of the middle position. It moves from side to side and bounces.
    func ball(_ moment: Double) -> (x: Double, y: Double) {
        let phase = Double(SceneMath.mixed(settings.seed ^ 0xBA11) >> 11) * 0x1p-53
        let across = SceneMath.sine(turns: 0.19 * seconds(moment) + phase)
        let hop = 1.3 * seconds(moment) + phase
        let t = 2 * (hop - hop.rounded(.down)) - 1
        return (
            Double(size.width) * (0.5 + 0.42 * across), Double(size.height) * (0.78 - 0.3 * (1 - t * t))
        )
    }
}
