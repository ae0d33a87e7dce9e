// SPDX-License-Identifier: MIT
// Estimated waits: what they know, how they grow, and how near they come to a simulated queue.

import Frames
import Testing

@testable import LiveCapture

@Suite struct WaitEstimatorTests {
    private typealias Shot = WaitEstimator.Shot

    private func taught(_ durations: [PhotoQuality: Int64]) -> WaitEstimator {
        var estimator = WaitEstimator()
        for (quality, milliseconds) in durations { estimator.learn(quality, took: .milliseconds(milliseconds)) }
        return estimator
    }

    @Test("Nothing is known at first, and then of what was made only")
    func ignorance() {
        let estimator = taught([.speed: 3])
        #expect(estimator.durations[.quality] == nil)
        #expect(estimator.waitForProcessing(of: [Shot(.quality)], workers: 2) == nil)
        #expect(estimator.waitForProcessing(of: [Shot(.speed), Shot(.quality)], workers: 2) == nil)
        #expect(estimator.waitForProcessing(of: [Shot(.speed)], workers: 2) == .milliseconds(3))
        #expect(WaitEstimator().waitForProcessing(of: [], workers: 2) == .zero)
    }

    @Test("It follows a machine that becomes slower, and one odd shot moves it by a quarter")
    func learning() {
        var estimator = taught([.balanced: 100])
        estimator.learn(.balanced, took: .milliseconds(200))
        #expect(estimator.durations[.balanced] == .milliseconds(125))
        for _ in 0..<30 { estimator.learn(.balanced, took: .milliseconds(200)) }
        #expect(estimator.durations[.balanced]! > .milliseconds(199))
    }

    @Test("Shots are taken up in their order, by the worker that is free first")
    func order() {
        let estimator = taught([.quality: 100, .speed: 10])
        let shots = [Shot(.quality, elapsed: .milliseconds(40)), Shot(.speed), Shot(.speed), Shot(.quality)]
        // Of two workers one has 60 ms to go; the other does both quick ones, and then the last.
        #expect(estimator.waitForProcessing(of: shots, workers: 2) == .milliseconds(120))
        #expect(estimator.waitForProcessing(of: shots, workers: 2, untilLeft: 1) == .milliseconds(60))
        #expect(estimator.waitForProcessing(of: shots, workers: 2, untilLeft: 3) == .milliseconds(10))
        #expect(estimator.waitForProcessing(of: shots, workers: 2, untilLeft: 4) == .zero)
        #expect(estimator.waitForProcessing(of: shots, workers: 1) == .milliseconds(180))
    }

    @Test("A shot that is late is done any moment, and so are frames that are")
    func late() {
        let estimator = taught([.quality: 100])
        let late = Shot(.quality, elapsed: .seconds(5))
        #expect(estimator.waitForProcessing(of: [late], workers: 1) == .zero)
        #expect(estimator.waitForProcessing(of: [late, Shot(.quality)], workers: 1) == .milliseconds(100))
        let now = Timestamp(nanoseconds: 1000)
        #expect(estimator.waitForCapture(due: now + .milliseconds(33), now: now) == .milliseconds(33))
        #expect(estimator.waitForCapture(due: now - .milliseconds(33), now: now) == .zero)
    }

    @Test("Another shot ahead, or a slower one, never makes the wait shorter; no wait is negative")
    func monotonic() {
        let estimator = taught([.quality: 400, .balanced: 90, .speed: 4])
        var random = Random(seed: 11)
        for _ in 0..<500 {
            let workers = 1 + random.below(4)
            var shots = (0..<random.below(workers + 1)).map { _ in
                Shot(random.quality(), elapsed: .milliseconds(Int64(random.below(600))))
            }
            let remaining = random.below(3)
            var last = TimeSpan.zero
            for _ in 0..<8 {
                let wait = estimator.waitForProcessing(of: shots, workers: workers, untilLeft: remaining)!
                #expect(wait >= last)
                last = wait
                let slower = shots.map { Shot(.quality, elapsed: $0.elapsed) }
                #expect(estimator.waitForProcessing(of: slower, workers: 1, untilLeft: remaining)! >= wait)
                shots.append(Shot(random.quality()))
            }
        }
    }

    @Test(
        "Within a fifth of what a queue takes whose shots are up to a tenth quicker or slower than usual",
        arguments: [1, 2, 4])
    func simulatedQueue(workers: Int) {
        var random = Random(seed: UInt64(20 + workers))
        let usual: [PhotoQuality: Double] = [.quality: 0.4, .balanced: 0.09, .speed: 0.004]
        func real(_ quality: PhotoQuality) -> TimeSpan { .seconds(usual[quality]! * (0.9 + 0.2 * random.unit())) }
        var estimator = WaitEstimator()
        for _ in 0..<60 {
            let quality = random.quality()
            estimator.learn(quality, took: real(quality))
        }
        for _ in 0..<200 {
            // Deep enough that one shot's luck does not decide.
            let shots = (0..<(6 * workers)).map { _ in Shot(random.quality()) } + [Shot(.quality)]
            let estimate = estimator.waitForProcessing(of: shots, workers: workers)!.seconds
            let truth = simulate(shots.map { real($0.quality).seconds }, workers: workers)
            #expect(abs(estimate - truth) <= 0.2 * truth, "estimated \(estimate), took \(truth)")
        }
    }

    /// When the last of the shots is done, millisecond by millisecond.
    private func simulate(_ durations: [Double], workers: Int) -> Double {
        var (queue, inWork, time): ([Double], [Double], Double) = (durations.reversed(), [], 0)
        while !queue.isEmpty || !inWork.isEmpty {
            while inWork.count < workers, let next = queue.popLast() { inWork.append(next) }
            time += 0.001
            inWork = inWork.map { $0 - 0.001 }.filter { $0 > 0 }
        }
        return time
    }
}
