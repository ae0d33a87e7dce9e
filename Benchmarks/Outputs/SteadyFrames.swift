// SPDX-License-Identifier: MIT
// How long steadying a frame takes, compared with making a picture of the same frame that is not steadied.

import LivecapBenchmarkCommand
import LivecapFrames
import LivecapPictures
import LivecapStabilization

/// Steadies a stream of handheld frames of 1280x720: motion, path and drawing, without decoding.
struct SteadyFrames: FallibleBenchmark {
    let mode: StabilizationMode
    let store: BurstStore

    var name: String { "outputs.steady.\(mode.rawValue)" }

    private static let size = FrameSize(width: 1280, height: 720)
    /// What a frame may take.
    private static let limit = 4.0

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let (frames, format) = try store.timed().frames(16, of: Self.size)
        let planes = try frames.map { frame in
            guard let converter = try PlanarConverter(format, first: frame.span.bytes),
                converter.convert(frame.span.bytes)
            else { throw PictureError.unreadable(format.pixelFormat) }
            return (converter.withSamples { Array($0) }, converter.sampling)
        }
        let sampling = planes[0].1
        let stabilizer = try Stabilizer(Self.size, sampling, at: FrameRate(30), mode)
        let converter = try PictureConverter(format, [PictureSettings()])
        var picture = [UInt8](repeating: 0, count: max(stabilizer.byteCount, converter.formats[0].byteCount))
        var (times, plain) = ([Duration](), [Duration]())
        let rounds = options.isThorough ? 40 : 8
        // There and back again, so that motion is never more than that between neighbours.
        let order = (0..<rounds).flatMap {
            $0 % 2 == 0 ? Array(frames.indices.dropLast()) : frames.indices.dropFirst().reversed()
        }
        for number in order {
            let (samples, frame) = (planes[number].0, frames[number])
            // Processor time: on a busy machine, a frame is longer than the scheduler's slices.
            let begun = ProcessorTime.now
            stabilizer.add(samples.span.bytes)
            let isDrawn = picture.withUnsafeMutableBytes { stabilizer.draw(into: $0) } != nil
            let end = ProcessorTime.now
            if isDrawn { times.append(end - begun) }
            if converter.take(frame.span.bytes) {
                picture.withUnsafeMutableBytes { _ = converter.draw(0, into: $0) }
            }
            plain.append(ProcessorTime.now - end)
        }
        let (timings, picturing) = (Timings(of: times), Timings(of: plain))
        var result = BenchmarkResult(
            name, width: Self.size.width, height: Self.size.height, frames: times.count, threads: 1)
        result.figures = [
            ("msPerFrame", timings.median / 1e6), ("msPerFrameP99", timings.quantile(0.99) / 1e6),
            ("msPicture", picturing.median / 1e6),
        ]
        result.ratios = [("steadyToPicture", timings.median / picturing.median)]
        result.targets = ["msPerFrame": .atMost(Self.limit)]
        if let counts = Probe()?.count({
            for number in order.prefix(8) {
                let samples = planes[number].0
                stabilizer.add(samples.span.bytes)
                picture.withUnsafeMutableBytes { _ = stabilizer.draw(into: $0) }
            }
        }) {
            result.figures.append(("allocationsPerFrame", Double(counts.allocations) / 8))
            if counts.allocations > 0 { result.notes.append("missed: no allocation per frame") }
        }
        result.notes += [
            "processor time, median over handheld frames; the picture is the same frame's as I420, not steadied"
        ]
        return result
    }
}

extension BenchmarkSuite {
    /// The benchmarks of steadied frames.
    func steadyBenchmarks() -> [any Benchmark] {
        let store = BurstStore()
        return [SteadyFrames(mode: .standard, store: store), SteadyFrames(mode: .cinematic, store: store)]
    }
}
