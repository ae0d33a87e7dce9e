// SPDX-License-Identifier: MIT
// How long effects take for a frame, and how long until the first.

import Fusion
import LivecapBenchmarkCommand
import LivecapDetection
import LivecapEffects
import LivecapFrames

/// Decodes JPEG frames of a person, and draws effects into them.
struct EffectFrames: FallibleBenchmark {
    let backend: Nets.Backend

    var name: String { "effects.frame.\(backend.rawValue.lowercased())" }

    /// What a frame may take on average, and at most but for one in a hundred, in ms; what effects may take until the
    /// first picture, in ms, and of memory, in MB.
    private static let mean = 18.0, most = 33.0, first = 150.0, memory = 60.0

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let frames = try PersonFrames.make(12)
        let level = try KernelLevel.chosen()
        var picture = [UInt8](repeating: 0, count: FrameFormat(pixelFormat: .i420, size: PersonFrames.size).byteCount)
        ProcessMemory.forgetPeak()
        let before = ProcessMemory.resident, begun = Timestamp.now
        let settings = EffectSettings(portrait: 0.6, light: 0.6, framing: 1)
        let effects = try FrameEffects(
            PersonFrames.format, EffectBoard(settings), by: LazyNets(wanted: backend), level)
        var number = 0
        func draw() {
            let frame = frames[number % frames.count]
            let metadata = FrameMetadata(
                time: Timestamp(nanoseconds: Int64(number) * 33_333_333), byteCount: frame.count,
                sequence: UInt32(number), timeSource: .scene, uncertainty: .zero,
                id: FrameID(epoch: 0, counter: UInt64(number)))
            number += 1
            let isAdded = effects.add(metadata, frame.span.bytes)
            precondition(isAdded, "our own encoder's frames can be decoded")
            picture.withUnsafeMutableBytes { _ = effects.draw(into: $0) }
        }
        draw()
        let untilFirst = Timestamp.now - begun
        for _ in 0..<30 { draw() }
        let grown = ProcessMemory.peak - before
        var times: [Duration] = []
        for _ in 0..<(options.isThorough ? 1800 : 180) {
            let begun = ProcessorTime.now
            draw()
            times.append(ProcessorTime.now - begun)
        }
        let timings = Timings(of: times)
        let mean = times.reduce(.zero, +) / times.count
        var result = BenchmarkResult(
            name, width: PersonFrames.size.width, height: PersonFrames.size.height, frames: times.count, threads: 1)
        result.figures = [
            ("msPerFrame", mean.seconds * 1000), ("msPerFrameP99", timings.quantile(0.99) / 1e6),
            ("msUntilFirst", untilFirst.seconds * 1000), ("megabytes", Double(grown) / 1e6),
        ]
        result.targets = [
            "msPerFrame": .atMost(Self.mean), "msPerFrameP99": .atMost(Self.most), "msUntilFirst": .atMost(Self.first),
            "megabytes": .atMost(Self.memory),
        ]
        if let counts = Probe()?.count({ for _ in 0..<8 { draw() } }) {
            result.figures.append(("allocationsPerFrame", Double(counts.allocations) / 8))
        }
        result.notes = ["portrait, light and framing of MJPEG frames, decoding included; processor time of one thread"]
        return result
    }
}
