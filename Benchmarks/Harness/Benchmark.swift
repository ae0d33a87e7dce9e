// SPDX-License-Identifier: MIT
// The definition of a benchmark, the list of all suites, and the way to run them.

import LivecapBenchmarkCommand
import LivecapKernelCases

/// How much to measure, and where.
public struct BenchmarkOptions: Sendable {
    /// Whether to do long runs: a hundred million leases rather than a few million.
    public var isThorough: Bool
    /// The folder to which recordings and photos are written. It determines the disk that is measured.
    public var folder: String
    /// If set, only benchmarks whose name contains this run.
    public var filter: String?

    /// Creates options (default: all benchmarks in their short form, on the disk of the temporary folder).
    public init(isThorough: Bool = false, folder: String = "/tmp", filter: String? = nil) {
        self.isThorough = isThorough
        self.folder = folder
        self.filter = filter
    }
}

/// One benchmark. To add one, create a file with a type like this, and list it in `BenchmarkSuite.benchmarks`.
protocol Benchmark: Sendable {
    /// Its name on the command line and in results, such as `ring.publish`.
    var name: String { get }
    /// Whether it takes too long for anything but a thorough run.
    var isLong: Bool { get }
    /// Runs the benchmark.
    func run(_ options: BenchmarkOptions) -> BenchmarkResult
}

extension Benchmark {
    var isLong: Bool { false }
}

/// A benchmark that may be unable to measure, which counts as a fault.
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

extension BenchmarkSuite {
    var benchmarks: [any Benchmark] {
        switch self {
        case .capture:
            [
                RingPublish(), RingLease(), RingThroughput(), FrameToVisible(), FramePath(), RingSharing(),
                RecordingThroughput(),
            ]
        case .movies:
            [OutputPictures(), PassedThroughMovie(), StillsBesideMovie()] + steadyBenchmarks() + liveBenchmarks()
        case .effects: effectBenchmarks()
        case .kernels: [KernelBits(), PoolRun()] + KernelCase.all.map(KernelSpeed.init)
        case .fusion: fusionBenchmarks()
        case .noise: noiseBenchmarks()
        case .pipeline: pipelineBenchmarks()
        case .web: servingBenchmarks()
        case .stills: stillsBenchmarks() + libraryBenchmarks()
        }
    }

    /// The names of the suite's benchmarks, each once, for a short or a thorough run.
    public func names(_ options: BenchmarkOptions) -> [String] {
        var seen: Set<String> = []
        return benchmarks.filter { options.isThorough || !$0.isLong }.map(\.name).filter { seen.insert($0).inserted }
    }

    /// Runs the suite's benchmarks one after the other, and passes each result to `report` as soon as it is complete.
    /// Returns false if any of them found something broken (such as a torn frame, or an allocation on the frame path)
    /// rather than slow.
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
