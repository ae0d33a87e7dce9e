// SPDX-License-Identifier: MIT
// The memory that a worker keeps for each method, per pixel: the figures by which a session divides its memory.

import Fusion
import LivecapCSystem
import LivecapFrames
import LivecapJPEG

struct WorkerMemory: FallibleBenchmark {
    let name = "pipeline.memory.worker"

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        var result = BenchmarkResult(name)
        let store = BurstStore()
        for size in [FrameSize(width: 640, height: 480), FrameSize(width: 1280, height: 720)] {
            let (bytes, format) = try store.timed().frames(Fuser.maxFrames, of: size)
            let preparing = try Fuser(format, FusionSettings(.mean))
            let before = lc_heap_bytes()
            let frames = bytes.map { _ in preparing.makeFrame() }
            for (bytes, frame) in zip(bytes, frames) { try preparing.prepare(bytes.span.bytes, into: frame) }
            func perPixel(_ count: Int64) -> Double { Double(count) / Double(size.area) }
            let suffix = "BytesPerPixel\(size.height)"
            let planes = Int64(frames.reduce(0) { $0 + $1.mappedBytes })
            result.figures.append(
                ("frame" + suffix, perPixel(lc_heap_bytes() - before + planes) / Double(frames.count)))
            let empty = lc_heap_bytes()
            let picture = preparing.makePicture()
            result.figures.append(("picture" + suffix, perPixel(lc_heap_bytes() - empty)))
            var all = lc_heap_bytes() - empty
            let encoder = try StripedJPEGEncoder()
            for method in FusionMethod.allCases {
                let start = lc_heap_bytes()
                let fuser = try Fuser(format, FusionSettings(method))
                _ = try fuser.fuse(frames, reference: frames.count / 2, into: picture)
                let taken = lc_heap_bytes() - start
                result.figures.append((method.rawValue + suffix, perPixel(taken)))
                all += taken
            }
            let start = lc_heap_bytes()
            _ = try encoder.encode(picture, quality: 95).count
            let encoding = lc_heap_bytes() - start
            result.figures += [("encoder" + suffix, perPixel(encoding)), ("worker" + suffix, perPixel(all + encoding))]
        }
        return result
    }
}
