// SPDX-License-Identifier: MIT
// Noise, lamps and light are not motion.

import Glibc
import LivecapFrames
import Testing

@testable import LivecapTriggers

@Suite struct FalseAlarmTests {
    /// Long enough for what is learned to be forgotten and learned again.
    private static let seconds = 40.0

    @Test(arguments: [0, 0.5, 2, 6] as [Float]) func noiseIsNoMotion(deviation: Float) {
        for sensitivity in [0.5, 1] {
            let scene = Scene(noise: deviation, seed: 3, trigger: MotionTrigger(sensitivity: sensitivity))
            #expect(scene.watch(Self.seconds).isEmpty)
        }
    }

    /// Rows are exposed one after the other: bands move through the picture, or stand nearly still.
    @Test(arguments: [(100, 30), (120, 30), (120, 29.97), (100, 25.003)] as [(Double, Double)])
    func lampsOnMainsPowerAreNoMotion(lamp: Double, rate: Double) {
        let shape = Scene.shape
        func band(_ cell: Int, _ time: Double) -> Float {
            let row = Double(cell / shape.columns) / Double(shape.rows)
            return Float(0.15 * sin(2 * .pi * lamp * (time + 0.025 * row)))
        }
        let whole = Scene(rate: rate, seed: 5) { map, time in
            for cell in map.indices { map[cell] *= 1 + band(cell, time) }
        }
        #expect(whole.watch(Self.seconds).isEmpty)
        // Beside a window: the lamp matters less and less from right to left.
        let half = Scene(rate: rate, seed: 6) { map, time in
            for cell in map.indices {
                map[cell] *= 1 + band(cell, time) * Float(cell % shape.columns) / Float(shape.columns)
            }
        }
        #expect(half.watch(Self.seconds).isEmpty)
    }

    @Test func lightThatIsSwitchedIsNoMotion() {
        let switched = Scene(seed: 7) { map, time in
            guard Int(time / 5) % 2 == 1 else { return }
            for cell in map.indices { map[cell] = 255 * powf(map[cell] / 510, 1 / 1.3) }
        }
        #expect(switched.watch(Self.seconds).isEmpty)
        // In the middle of a frame.
        let split = Scene(seed: 8) { map, time in
            for cell in map.indices {
                let exposed = time + Double(cell / Scene.shape.columns) / 900 + 0.017
                if Int(exposed / 5) % 2 == 1 { map[cell] *= 0.5 }
            }
        }
        #expect(split.watch(Self.seconds).isEmpty)
    }

    @Test func aLampInACornerIsNoMotion() {
        let scene = Scene(seed: 9) { map, time in
            guard Int(time / 5) % 2 == 1 else { return }
            for cell in map.indices {
                let x = Float(cell % Scene.shape.columns) - 8, y = Float(cell / Scene.shape.columns) - 8
                map[cell] *= 1 + 0.8 * expf(-(x * x + y * y) / 80)
            }
        }
        #expect(scene.watch(Self.seconds).isEmpty)
    }

    /// Also while highlights are clipped.
    @Test func anExposureThatSettlesIsNoMotion() {
        let scene = Scene(seed: 10) { map, time in
            let phase = time.truncatingRemainder(dividingBy: 8)
            let factor = phase < 4 ? 1 + 0.8 * exp(-phase / 0.3) : 1 - 0.5 * exp(-(phase - 4) / 0.3)
            for cell in map.indices { map[cell] *= Float(factor) }
        }
        #expect(scene.watch(Self.seconds).isEmpty)
    }

    @Test func aFlashIsNoMotion() {
        let scene = Scene(seed: 11) { map, time in
            guard Int((time * 30).rounded()) % 97 == 0 else { return }
            for cell in map.indices where cell / Scene.shape.columns < 12 { map[cell] += 60 }
        }
        #expect(scene.watch(Self.seconds).isEmpty)
    }

    @Test func cloudsAreNoMotion() {
        let scene = Scene(seed: 12) { map, time in
            for cell in map.indices {
                let x = Double(cell % Scene.shape.columns) / Double(Scene.shape.columns)
                map[cell] *= Float(1 + 0.3 * sin(time / 3 + 3 * x))
            }
        }
        #expect(scene.watch(Self.seconds).isEmpty)
    }

    /// It moves from the beginning, so it is usual.
    @Test func leavesInTheWindAreLearned() {
        let scene = Scene(seed: 13) { map, time in
            for cell in map.indices where cell % 40 > 28 && cell / 40 < 8 {
                map[cell] += Float(25 * sin(5 * time + Double(cell)))
            }
        }
        #expect(scene.watch(Self.seconds).isEmpty)
    }
}
