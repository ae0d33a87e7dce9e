// SPDX-License-Identifier: MIT
// What viewers in browsers cost: processor time of the server, frames of the camera, and how late their frames are.

import Glibc
import LivecapBenchmarkCommand
import LivecapFrames

/// Viewers of a camera of JPEG frames at 30 fps, in another process of the same machine.
struct ServedViewers: FallibleBenchmark {
    let name: String
    let size: FrameSize
    let viewers: Int
    let targets: [String: BenchmarkTarget]

    /// The threads of the server: the one that answers, and the one that takes frames for all viewers of a size.
    private static let threads: Set = ["web", "viewers"]

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let span = Duration.seconds(options.isThorough ? 60 : 10)
        let served = try ServedCamera(size, options)
        let before = served.session.statistics
        // Viewers that connect one after the other are no part of what is measured.
        let crowd = try ViewerProcess(
            viewers, of: served.port, for: span + .seconds(2), output: "\(options.folder)/livecap-bench-\(getpid())")
        let deadline = Timestamp.now + .seconds(10)
        while served.viewerCount < viewers, .now < deadline { sleep(until: .now + .milliseconds(5)) }
        sleep(until: .now + .milliseconds(500))
        let (used, begun) = (ThreadTime.now(of: Self.threads), Timestamp.now)
        sleep(until: begun + span)
        let (cost, end) = (ThreadTime.now(of: Self.threads) - used, Timestamp.now)
        let after = served.session.statistics
        let seen = try crowd.frames().filter { $0.received >= begun && $0.received < end }
        var result = BenchmarkResult(
            name, width: size.width, height: size.height, frames: Int(after.published - before.published))
        let (seconds, dropped) = ((end - begun).seconds, after.dropped - before.dropped)
        var counts = [Int](repeating: 0, count: viewers)
        for frame in seen { counts[Int(frame.viewer)] += 1 }
        let least = counts.min() ?? 0
        result.figures = [
            ("viewers", Double(viewers)), ("servingPercent", cost.seconds / seconds * 100),
            ("microsecondsPerViewersFrame", cost.seconds / Double(max(1, seen.count)) * 1e6),
            ("framesPerSecond", Double(seen.count) / Double(viewers) / seconds),
            ("framesPerSecondOfTheWorst", Double(least) / seconds), ("dropped", Double(dropped)),
        ]
        result.add("latency", seen.map { $0.received - $0.time }, [("P50", 0.5), ("P99", 0.99)])
        result.targets = targets
        result.notes = [
            "serving: processor time of the server's threads alone, of one processor; the viewers are another process;",
            "latency: from the frame's time to its last byte at a viewer, over all viewers",
        ]
        if dropped > 0 { result.faults.append("capture dropped \(dropped) frames") }
        if least == 0 { result.faults.append("a viewer got no frame") }
        return result
    }
}

extension BenchmarkSuite {
    /// The benchmarks of the viewfinder for browsers.
    func servingBenchmarks() -> [any Benchmark] {
        [
            ServedViewers(
                name: "web.latency", size: FrameSize(width: 1280, height: 720), viewers: 1,
                targets: ["latencyP50Ms": .atMost(3), "framesPerSecondOfTheWorst": .atLeast(29.5)]),
            ServedViewers(
                name: "web.viewers", size: FrameSize(width: 1280, height: 720), viewers: 20,
                targets: ["servingPercent": .atMost(25), "framesPerSecondOfTheWorst": .atLeast(29.5)]),
            ServedViewers(
                name: "web.crowd", size: FrameSize(width: 320, height: 240), viewers: 100,
                targets: ["framesPerSecondOfTheWorst": .atLeast(29.5)]),
        ]
    }
}
