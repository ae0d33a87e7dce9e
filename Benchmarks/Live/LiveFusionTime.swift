// SPDX-License-Identifier: MIT
// How long fusing a frame with its past takes.

import Fusion
import LivecapBenchmarkCommand
import LivecapFrames

/// Fuses a stream of handheld frames, and times each.
struct LiveFusionTime: FallibleBenchmark {
    let size: FrameSize
    let threads: Int
    let store: BurstStore

    var name: String { "live.time.\(size.height)" }

    /// A frame of a camera at 30 fps must be done before the next one comes.
    private static let interval = 1000.0 / 30

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let (frames, format) = try store.timed().frames(16, of: size)
        let fuser = try LiveFuser(format, pool: ThreadPool(threads: threads))
        var picture = [UInt8](repeating: 0, count: fuser.pictureFormat.byteCount)
        var times: [Duration] = []
        let rounds = options.isThorough ? 40 : 8
        // There and back again, so that motion is never more than that between neighbours.
        let order = (0..<rounds).flatMap {
            $0 % 2 == 0 ? Array(frames.indices.dropLast()) : frames.indices.dropFirst().reversed()
        }
        for frame in order {
            let bytes = frames[frame]
            let begun = Timestamp.now
            _ = try fuser.fuse(bytes.span.bytes)
            picture.withUnsafeMutableBytes { fuser.write(into: $0) }
            times.append(.now - begun)
        }
        let timings = Timings(of: times)
        var result = BenchmarkResult(
            name, width: size.width, height: size.height, frames: times.count, threads: threads)
        result.figures = [("msPerFrame", timings.median / 1e6), ("msPerFrameP99", timings.quantile(0.99) / 1e6)]
        if timings.quantile(0.99) / 1e6 > Self.interval {
            result.notes.append("missed: each frame within the interval of 30 frames per second")
        }
        return result
    }
}

extension BenchmarkSuite {
    /// The benchmarks of live fusion.
    func liveBenchmarks() -> [any Benchmark] {
        let store = BurstStore()
        let scenes: [PictureScene] = [.tripod, .handheld, .object, .passing]
        return scenes.map { LiveFusionQuality(scene: $0) } + [
            LiveFusionTime(size: FrameSize(width: 1280, height: 720), threads: 1, store: store),
            LiveFusionTime(size: FrameSize(width: 1920, height: 1080), threads: 2, store: store),
        ]
    }
}
