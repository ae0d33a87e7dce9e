// SPDX-License-Identifier: MIT
// What effects cost together with a look for hands in every frame.

import FrameRing
import LivecapBenchmarkCommand
import LivecapFrames

/// Draws effects into JPEG frames of a person and looks for hands in each of them, all on one processor, in a session
/// that waits for both. So nothing is passed over and effort is full, however busy the machine is.
struct EffectsWithHands: FallibleBenchmark {
    /// Whether two hands are to be seen, which are then followed. If not, palms are looked for in every third frame.
    let areThere: Bool

    var name: String { "effects.hands.\(areThere ? "two" : "none")" }

    /// What a frame may take on average, and at most but for one in a hundred, in ms.
    private static let mean = 18.0, most = 33.0
    /// Frames in which nets are loaded.
    private static let first = 30

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        try ProcessorLimit.hold(to: 1) { try measureThere(options) }
    }

    private func measureThere(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let count = Self.first + (options.isThorough ? 1800 : 180)
        let gate = FollowerGate()
        let costs = FrameCosts()
        let source = SteppedFrames(
            try PersonFrames.make(12, withHands: areThere), count: count, gate: gate, costs)
        let host = try EffectHost(source, gate: gate)
        var looking = Duration.zero
        let missed = try host.taker.take { picture in
            if picture.sequence == Self.first { looking = EffectHost.timeOfLooks }
            return picture.sequence < count - 1
        }
        // The gate lets the source's last step pass once everybody is done.
        _ = host.session.ring.wait(forCounter: .max)
        looking = EffectHost.timeOfLooks - looking
        let times = costs.costs(without: Self.first)
        var result = BenchmarkResult(
            name, width: PersonFrames.size.width, height: PersonFrames.size.height, frames: times.count)
        guard !times.isEmpty else {
            result.faults = ["there were no frames"]
            return result
        }
        let looks = host.looks.soFar
        result.figures = [
            ("msPerFrame", times.reduce(.zero, +).seconds / Double(times.count) * 1000),
            ("msPerFrameP99", Timings(of: times).quantile(0.99) / 1e6),
            ("msPerFrameOfHands", looking.seconds / Double(times.count) * 1000),
            ("handsPerFrame", Double(looks.hands) / Double(looks.frames)),
        ]
        result.targets = ["msPerFrame": .atMost(Self.mean), "msPerFrameP99": .atMost(Self.most)]
        result.notes = [
            "portrait, light, framing and gestures of MJPEG frames on one processor, decoding included; processor",
            "time of all threads; hands are looked for in every frame",
        ]
        if missed > 0 || looks.frames != count { result.faults.append("not every frame was looked at and taken") }
        if areThere, looks.hands < looks.frames { result.faults.append("hands that are there were not seen") }
        return result
    }
}
