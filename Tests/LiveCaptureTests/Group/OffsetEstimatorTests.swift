// SPDX-License-Identifier: MIT
// Offsets of cameras' times, found in modelled light, against the truth.

import Foundation
import LiveCapture
import LivecapFrames
import LivecapSeededRandom
import Testing

@Suite(.timeLimit(.usual)) struct OffsetEstimatorTests {
    private static let seconds = 10.0

    /// What two cameras see of the same light, of which the second is different in every way, and the true offset.
    private func recordings(
        _ kind: ModelledLight.Kind, seed: UInt64, noise: Double = 0.002, losses: Double = 0
    ) -> (first: [LightSample], second: [LightSample], truth: Double) {
        var random = SeededRandom(seed: seed)
        let light = ModelledLight(kind, seconds: Self.seconds, &random)
        var camera = ModelledCamera(noise: noise, losses: losses)
        camera.knowsExposure = seed % 2 == 0
        camera.exposure = Double.random(in: 0.005...0.025, using: &random)
        camera.phase = Double.random(in: 0...0.03, using: &random)
        let first = camera.see(light.brightness, seconds: Self.seconds, &random)
        camera.rate = seed % 3 == 0 ? 30 : 25
        camera.view = seed % 2 == 0 ? 0 : 2
        camera.exposure = Double.random(in: 0.005...0.025, using: &random)
        camera.phase = Double.random(in: 0...0.03, using: &random)
        camera.offset = Double.random(in: -0.3...0.3, using: &random)
        return (first, camera.see(light.brightness, seconds: Self.seconds, &random), camera.offset)
    }

    private func seconds(_ span: Duration) -> Double { Double(span.nanoseconds) / 1e9 }

    @Test("The truth is within the bound, in every case that is not refused", arguments: ModelledLight.Kind.allCases)
    func truth(_ kind: ModelledLight.Kind) throws {
        var bounds: [Double] = []
        var refused = 0
        let cases: [(noise: Double, losses: Double)] = [(0.002, 0), (0.002, 0.05), (0.02, 0), (0.02, 0.05)]
        for seed in 0..<68 as Range<UInt64> {
            let (noise, losses) = cases[Int(seed) % cases.count]
            let seen = recordings(kind, seed: seed, noise: noise, losses: losses)
            do throws(OffsetRefusal) {
                let found = try OffsetEstimator.estimate(seen.first, seen.second).offset
                let error = abs(seconds(found.value) - seen.truth)
                #expect(error <= seconds(found.bound), "seed \(seed): \(found), truth \(seen.truth)")
                bounds.append(seconds(found.bound))
            } catch {
                // It may be too careful; what it finds has to be right.
                let isCareful = if case .inexact = error { true } else { error == .ambiguous }
                #expect(isCareful, "seed \(seed): \(error)")
                refused += 1
            }
        }
        #expect(refused <= 24 && bounds.allSatisfy { $0 < 0.0165 }, "\(refused) of 68 were refused")
    }

    @Test("A hand before cameras that lose nothing gives a bound below 5 ms")
    func usual() throws {
        var bounds: [Double] = []
        for seed in 100..<116 as Range<UInt64> {
            let seen = recordings(.hand, seed: seed)
            guard let found = try? OffsetEstimator.estimate(seen.first, seen.second).offset else { continue }
            #expect(abs(seconds(found.value) - seen.truth) <= seconds(found.bound), "seed \(seed)")
            bounds.append(seconds(found.bound))
        }
        bounds.sort()
        #expect(bounds.count >= 10 && bounds[bounds.count / 2] < 0.005, "\(bounds)")
    }

    @Test func theOtherWayRoundIsTheOpposite() throws {
        let seen = recordings(.hand, seed: 4)
        let (there, back) = try (
            OffsetEstimator.estimate(seen.first, seen.second).offset,
            OffsetEstimator.estimate(seen.second, seen.first).offset
        )
        #expect(abs(seconds(there.value) + seconds(back.value)) < seconds(there.bound))
        #expect(try OffsetEstimator.estimate(seen.first, seen.second).offset == there, "it is the same every time")
    }

    private func refusal(_ first: [LightSample], _ second: [LightSample]) -> OffsetRefusal? {
        do throws(OffsetRefusal) {
            _ = try OffsetEstimator.estimate(first, second)
            return nil
        } catch { return error }
    }

    @Test func whereNothingChangesThatIsSaid() {
        var random = SeededRandom(seed: 1)
        let still: (Double, Double) -> [Double] = { _, _ in [Double](repeating: 0.4, count: ModelledLight.places) }
        let camera = ModelledCamera()
        let first = camera.see(still, seconds: Self.seconds, &random)
        let second = camera.see(still, seconds: Self.seconds, &random)
        #expect(refusal(first, second) == .tooLittleChange(0))
        var dead = camera
        dead.noise = 0
        let dark = dead.see(still, seconds: Self.seconds, &random)
        #expect(refusal(dark, dark) == .tooLittleChange(0))
        let seen = recordings(.hand, seed: 2)
        #expect(refusal(seen.first, dark) == .tooLittleChange(1))
    }

    @Test func oneSwitchOfALampIsTooLittle() {
        var random = SeededRandom(seed: 2)
        let once: (Double, Double) -> [Double] = { time, _ in
            [Double](repeating: time < 5 ? 0.4 : 0.6, count: ModelledLight.places)
        }
        let camera = ModelledCamera()
        let first = camera.see(once, seconds: Self.seconds, &random)
        let refused = refusal(first, camera.see(once, seconds: Self.seconds, &random))
        #expect(refused != nil)
    }

    @Test("A pattern that repeats itself is refused", arguments: [0.2, 0.4, 0.7, 0.95])
    func periodic(_ period: Double) {
        var random = SeededRandom(seed: 3)
        let blink: (Double, Double) -> [Double] = { time, _ in
            let phase = time / period
            return [Double](repeating: phase - phase.rounded(.down) < 0.5 ? 0.4 : 0.6, count: ModelledLight.places)
        }
        var camera = ModelledCamera()
        let first = camera.see(blink, seconds: Self.seconds, &random)
        camera.offset = 0.04
        let refused = refusal(first, camera.see(blink, seconds: Self.seconds, &random))
        #expect(refused == .ambiguous)
    }

    @Test func camerasThatSeeDifferentThingsHaveNoOffset() {
        for seed in 20..<28 as Range<UInt64> {
            let one = recordings(.lamp, seed: seed), other = recordings(.lamp, seed: seed + 1000)
            let refused = refusal(one.first, other.second)
            #expect(refused != nil, "seed \(seed)")
        }
    }

    @Test func anOffsetBeyondTheRangeIsSaid() throws {
        var random = SeededRandom(seed: 5)
        let light = ModelledLight(.hand, seconds: Self.seconds, &random)
        var camera = ModelledCamera()
        let first = camera.see(light.brightness, seconds: Self.seconds, &random)
        camera.offset = 0.7
        let refused = refusal(first, camera.see(light.brightness, seconds: Self.seconds, &random))
        #expect(refused == .tooFar(.milliseconds(500)))
    }

    @Test func tooFewFramesAreSaid() {
        let seen = recordings(.hand, seed: 6)
        #expect(refusal([], seen.second) == .tooShort(0))
        #expect(refusal(seen.first, []) == .tooShort(1))
        #expect(refusal(Array(seen.first.prefix(5)), seen.second) == .tooShort(0))
    }

    @Test func aClockThatDriftsWidensTheBound() throws {
        var random = SeededRandom(seed: 7)
        let light = ModelledLight(.hand, seconds: Self.seconds, &random)
        var camera = ModelledCamera(noise: 0.001)
        let first = camera.see(light.brightness, seconds: Self.seconds, &random)
        camera.drift = 0.001
        let found = try OffsetEstimator.estimate(first, camera.see(light.brightness, seconds: Self.seconds, &random))
        // From 0 to 10 ms.
        #expect(abs(seconds(found.offset.value) - 0.005) < 0.005)
        #expect(seconds(found.offset.bound) > 0.004, "\(found)")
    }

    @Test("Every reason says what to do")
    func words() {
        let all: [OffsetRefusal] = [
            .tooShort(0), .tooLittleChange(1), .differentViews, .ambiguous, .tooFar(.milliseconds(500)),
            .inexact(.microseconds(16_001)),
        ]
        #expect(Set(all.map(\.message)).count == all.count && all.allSatisfy { !$0.hint.isEmpty })
        #expect(all[5].message.contains("17 ms"))
    }
}
