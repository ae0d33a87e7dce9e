// SPDX-License-Identifier: MIT
// What a benchmark is, which there are, and the one way to run them.

import KernelCases

/// How much to measure.
public struct BenchmarkOptions: Sendable {
    /// Long runs: a hundred million leases instead of a few million.
    public var isThorough: Bool
    /// A folder on the disk that recordings and photos are written to.
    public var folder: String
    /// Only benchmarks whose name contains this.
    public var filter: String?

    /// Everything, in its short form, with the temporary folder's disk.
    public init(isThorough: Bool = false, folder: String = "/tmp", filter: String? = nil) {
        self.isThorough = isThorough
        self.folder = folder
        self.filter = filter
    }
}

/// One thing to measure. To add one: a file with a type like this, and its name in `BenchmarkSuite.benchmarks`.
protocol Benchmark: Sendable {
    /// What it is called on the command line and in its results, as `ring.publish`.
    var name: String { get }
    /// Whether it takes too long for anything but a thorough run.
    var isLong: Bool { get }
    /// Measures.
    func run(_ options: BenchmarkOptions) -> BenchmarkResult
}

extension Benchmark {
    var isLong: Bool { false }
}

/// A benchmark that may find that it cannot measure: that is a fault.
protocol FallibleBenchmark: Benchmark {
    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult
}

extension FallibleBenchmark {
    func run(_ options: BenchmarkOptions) -> BenchmarkResult {
        do {
            return try measure(options)
        } catch {
            var result = BenchmarkResult(name)
            result.faults = ["not measured: \(error)"]
            return result
        }
    }
}

/// Benchmarks that belong together: `livecap bench NAME`.
public enum BenchmarkSuite: String, Sendable, CaseIterable {
    /// From the camera's buffer to the ring, its readers and the recording.
    case capture
    /// The inner loops of fusion, at every level of the processor's abilities.
    case kernels
    /// From frames to the still: time, and how good it is.
    case fusion
    /// The whole engine at a camera's pace: from the tap to the file.
    case pipeline
    /// What becomes of stills: the library they are kept in.
    case stills

    var benchmarks: [any Benchmark] {
        switch self {
        case .capture:
            [RingPublish(), RingLease(), RingThroughput(), FrameToVisible(), FramePath(), RecordingThroughput()]
        case .kernels: [KernelBits(), PoolRun()] + KernelCase.all.map(KernelSpeed.init)
        case .fusion: fusionBenchmarks()
        case .pipeline: pipelineBenchmarks()
        case .stills: stillsBenchmarks() + libraryBenchmarks()
        }
    }

    /// What its benchmarks are called, each name once: those of a short run, or of a thorough one.
    public func names(_ options: BenchmarkOptions) -> [String] {
        var seen: Set<String> = []
        return benchmarks.filter { options.isThorough || !$0.isLong }.map(\.name).filter { seen.insert($0).inserted }
    }

    /// Runs the suite's benchmarks one after the other, handing over each result as it is there. False when one of them
    /// found something broken (a torn frame, an allocation on the frame path), as opposed to slow.
    public func run(_ options: BenchmarkOptions = BenchmarkOptions(), report: (BenchmarkResult) -> Void) -> Bool {
        var isSound = true
        for benchmark in benchmarks where options.filter.map({ benchmark.name.contains($0) }) ?? true {
            guard options.isThorough || !benchmark.isLong else { continue }
            let result = benchmark.run(options)
            isSound = isSound && result.faults.isEmpty
            report(result)
        }
        return isSound
    }
}
