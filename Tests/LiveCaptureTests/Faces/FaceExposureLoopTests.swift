// SPDX-License-Identifier: MIT
// Exposure follows faces on simulated cameras: soon, without swinging over, and without pumping.

import Glibc
import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import LiveCapture

/// How a simulated camera encodes light from 0 to 1.
enum SimulatedCurve: CaseIterable, Sendable {
    case srgb, gamma18, gamma26, contrast

    func encoded(_ light: Double) -> Double {
        let x = min(max(light, 0), 1)
        switch self {
        case .srgb: return x <= 0.003_130_8 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055
        case .gamma18: return pow(x, 1 / 1.8)
        case .gamma26: return pow(x, 1 / 2.6)
        case .contrast:
            let v = SimulatedCurve.srgb.encoded(x)
            return 0.6 * v * v * (3 - 2 * v) + 0.4 * v
        }
    }

    /// The light that is encoded as the loop's target.
    var lightOfTarget: Double {
        var (low, high) = (0.0, 1.0)
        for _ in 0..<50 {
            let middle = (low + high) / 2
            if encoded(middle) < FaceExposureLoop.target { low = middle } else { high = middle }
        }
        return low
    }
}

/// A camera whose settings show some frames later, and a face before it.
private struct SimulatedCamera {
    let curve: SimulatedCurve
    let delay: Int
    var exposure = ExposureDial(value: 60, 1...333)
    var gain: ExposureDial?
    var noise = 0.0
    var gainFactor: @Sendable (Int64) -> Double = { _ in 1 }
    let change = 50

    struct Story {
        var levels: [Double] = []
        /// The frames at which the camera was set.
        var sets: [Int] = []
        var last: FaceExposureLoop.Setting
        let change: Int

        /// Frames from the change of light until the face stays as bright as it should be.
        var settled: Int {
            let late = levels.indices.last { abs(levels[$0] - FaceExposureLoop.target) > 0.045 } ?? change - 1
            return late + 1 - change
        }
        /// How far it went beyond the target after the change, as a share of it.
        var overshoot: Double {
            let sign = levels[change] < FaceExposureLoop.target ? 1.0 : -1.0
            let beyond = levels[change...].map { sign * ($0 - FaceExposureLoop.target) / FaceExposureLoop.target }
            return max(0, beyond.max()!)
        }
    }

    /// Runs for some frames. The light is right at first, and `factor` times that from frame 50 on.
    func run(light factor: Double, frames: Int = 400) -> Story {
        var random = SeededRandom(seed: 7)
        var loop = FaceExposureLoop(exposure: exposure, gain: gain)
        var history = [loop.setting]
        var story = Story(last: loop.setting, change: change)
        let right = curve.lightOfTarget / light(of: loop.setting)
        for frame in 0..<frames {
            let setting = history[max(0, history.count - delay)]
            let level = curve.encoded(right * (frame < change ? 1 : factor) * light(of: setting))
            let seen = level + noise * random.bell()
            story.levels.append(level)
            let time = Timestamp(nanoseconds: Int64(frame) * 33_333_333)
            if case .set(let next) = loop.frame(at: time, hasFaces: true, level: { min(max(seen, 0), 1) }) {
                story.sets.append(frame)
                story.last = next
            }
            history.append(story.last)
        }
        return story
    }

    private func light(of setting: FaceExposureLoop.Setting) -> Double {
        Double(setting.exposure) / 100 * (setting.gain.map(gainFactor) ?? 1)
    }
}

extension SeededRandom {
    /// About a normal deviation.
    fileprivate mutating func bell() -> Double {
        (0..<12).reduce(0) { sum, _ in sum + Double.random(in: 0..<1, using: &self) } - 6
    }
}

@Suite struct FaceExposureLoopTests {
    @Test(
        "A face that turns from window to wall, or back, is right within 10 frames, not 5 % over, and then stays",
        arguments: SimulatedCurve.allCases, [1, 2, 3, 4])
    func turning(_ curve: SimulatedCurve, _ delay: Int) {
        for noise in [0, 0.005, 0.01] {
            for factor in [0.25, 0.5, 2, 4] {
                let story = SimulatedCamera(curve: curve, delay: delay, noise: noise).run(light: factor)
                #expect(story.settled <= 10, "\(factor) \(noise)")
                #expect(story.overshoot <= 0.05, "\(factor) \(noise)")
                #expect(story.sets.allSatisfy { (50..<70).contains($0) }, "\(factor) \(noise): \(story.sets)")
            }
        }
    }

    @Test("A saturated face is right within 16 frames", arguments: SimulatedCurve.allCases, [1, 2, 3, 4])
    func saturated(_ curve: SimulatedCurve, _ delay: Int) {
        let story = SimulatedCamera(curve: curve, delay: delay, noise: 0.01).run(light: 16)
        #expect(story.levels[50] >= 0.95)
        #expect(story.settled <= 16)
        #expect(story.overshoot <= 0.05)
        #expect(story.sets.allSatisfy { (50..<80).contains($0) })
    }

    @Test("Where exposures are coarse, the better of two neighbours is kept", arguments: [1, 2, 3, 4])
    func coarse(_ delay: Int) {
        // From 300 to 200 microseconds is a half.
        let camera = SimulatedCamera(
            curve: .srgb, delay: delay, exposure: ExposureDial(value: 3, 1...333), noise: 0.01)
        for factor in [1.3, 1.7, 2.2] {
            let story = camera.run(light: factor)
            #expect(story.sets.count <= 2, "\(factor): \(story.sets)")
            #expect(abs(story.levels.last! - FaceExposureLoop.target) < 0.1)
        }
    }

    @Test("Gain is turned up only once the exposure has reached its limit, and without swinging over")
    func gain() {
        let factors: [(ExposureDial, @Sendable (Int64) -> Double)] = [
            (ExposureDial(value: 16, 16...255), { Double($0) / 16 }),
            (ExposureDial(value: 0, 0...100), { exp2(Double($0) / 25) }),
        ]
        for (gain, factor) in factors {
            var camera = SimulatedCamera(curve: .srgb, delay: 3, exposure: ExposureDial(value: 200, 1...333))
            camera.gain = gain
            camera.gainFactor = factor
            camera.noise = 0.005
            let little = camera.run(light: 0.7)
            #expect(little.last.gain == gain.value)
            let much = camera.run(light: 0.125)
            #expect(much.last.exposure == 333)
            #expect(much.settled <= 20)
            #expect(much.overshoot <= 0.05)
            #expect(much.sets.count <= 8)
        }
    }

    @Test("Gain goes down before the exposure does")
    func lowering() {
        var camera = SimulatedCamera(curve: .srgb, delay: 2, exposure: ExposureDial(value: 333, 1...333))
        camera.gain = ExposureDial(value: 50, 0...100)
        camera.gainFactor = { exp2(Double($0) / 25) }
        let story = camera.run(light: 2)
        #expect(story.last.exposure == 333)
        #expect(story.last.gain! < 40)
        #expect(story.settled <= 20)
        #expect(camera.run(light: 16).last.exposure < 200)
    }

    @Test("A camera that cannot be made brighter is left alone")
    func atTheLimit() {
        let story = SimulatedCamera(curve: .srgb, delay: 3, noise: 0.01).run(light: 0.01)
        #expect(story.last.exposure == 333)
        #expect(story.sets.count <= 4)
    }

    @Test("A setting that shows late is waited for instead of made again")
    func late() {
        let story = SimulatedCamera(curve: .srgb, delay: 7).run(light: 0.25)
        #expect(story.overshoot <= 0.05)
        #expect(story.settled <= 24)
    }

    @Test("Without a face for a second, the camera decides again; a shorter while is waited for")
    func handingBack() {
        var loop = FaceExposureLoop(exposure: ExposureDial(value: 100, 1...333), gain: nil)
        func frame(_ number: Int, _ hasFaces: Bool) -> FaceExposureLoop.Step {
            loop.frame(at: Timestamp(nanoseconds: Int64(number) * 100_000_000), hasFaces: hasFaces) {
                FaceExposureLoop.target
            }
        }
        #expect(frame(0, true) == .hold)
        for number in 1...9 { #expect(frame(number, false) == .hold) }
        #expect(frame(9, true) == .hold)
        for number in 10...18 { #expect(frame(number, false) == .hold) }
        #expect(frame(19, false) == .handBack)
    }

    @Test("Faces whose brightness is unknown change nothing")
    func unknown() {
        var loop = FaceExposureLoop(exposure: ExposureDial(value: 100, 1...333), gain: nil)
        for number in 0..<100 {
            #expect(loop.frame(at: Timestamp(nanoseconds: Int64(number)), hasFaces: true) { nil } == .hold)
        }
    }

    @Test("A dial keeps to its range and steps")
    func dials() {
        let dial = ExposureDial(value: 3, 3...2047, step: 10)
        #expect(dial.maximum == 2043)
        #expect(dial.scaled(3, by: -5) == 3)
        #expect(dial.scaled(1003, by: 9) == 2043)
        #expect(dial.scaled(103, by: 1) == 203)
        let gain = ExposureDial(value: 0, 0...100)
        #expect(gain.raised(0, by: 20).0 == 100)
        #expect(gain.raised(0, by: 20).1 == 16)
        #expect(gain.lowered(100, by: -20) == (0, -16))
        #expect(ExposureDial(value: 5, 5...5).raised(5, by: 1) == (5, 1))
    }
}
