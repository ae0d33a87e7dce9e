// SPDX-License-Identifier: MIT
// The share of each kernel in a still's time.

import Fusion
import LivecapCFusionKernels
import LivecapFrames

/// The share of each kernel in a still's time, found by sampling the thread's position some thousands of times.
struct KernelShares: FallibleBenchmark {
    let method: FusionMethod
    let store: BurstStore
    var name: String { "fusion.shares.\(method.rawValue)" }

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let plan = ShotPlan(method: method)
        var result = BenchmarkResult(name, plan)
        switch try KernelTimes.measured(plan, store, options) {
        case .failure(let reason): result.notes = [reason.text]
        case .success(let times):
            result.msPerStill = times.perStill
            result.figures = times.byKernel.map { ("\($0.kernel)Ms", $0.milliseconds) }
            result.notes = ["\(times.samples) samples; elsewhere is everything that is no kernel of the table"]
        }
        return result
    }
}

/// The time that a still spends in each kernel, in milliseconds of processor time.
struct KernelTimes {
    let perStill: Double
    /// The longest first. Code outside of kernels is called `elsewhere`.
    let byKernel: [(kernel: String, milliseconds: Double)]
    /// The number of samples taken.
    let samples: Int

    /// Why nothing was measured.
    struct Missing: Error {
        let text: String
    }

    static func measured(
        _ plan: ShotPlan, _ store: BurstStore, _ options: BenchmarkOptions
    ) throws -> Result<KernelTimes, Missing> {
        guard let sampler = Sampler(), let table = KernelPlaces(plan.level) else {
            return .failure(Missing(text: "not sampled: start with LD_PRELOAD=libFramePathProbe.so"))
        }
        let shot = try Shot(plan, store)
        try shot.takeCold()
        let start = Timestamp.now
        var (shots, spent) = (0, Int64(0))
        let places = try sampler.places {
            while Timestamp.now - start < options.budget * 2 {
                spent += try BenchmarkClock.thread.time(shot.takeCold)
                shots += 1
            }
        }
        guard let places, !places.isEmpty else {
            return .failure(Missing(text: "not sampled: no timer to be had"))
        }
        let perStill = Double(spent) * 1e-6 / Double(shots)
        var counts: [String: Int] = [:]
        for place in places { counts[table.kernel(at: place) ?? "elsewhere", default: 0] += 1 }
        let byKernel = counts.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map { kernel, count in
            (kernel, perStill * Double(count) / Double(places.count))
        }
        return .success(KernelTimes(perStill: perStill, byKernel: byKernel, samples: places.count))
    }
}

/// The addresses at which the kernels of a level begin.
private struct KernelPlaces {
    private let starts: [(address: UInt, name: String)]
    /// An upper limit of the code size of the last kernel.
    private static let longest: UInt = 32768

    init?(_ level: KernelLevel) {
        guard let table = level.table else { return nil }
        // The table consists of its level and then of families, which hold only pointers.
        let names = Mirror(reflecting: table.pointee).children.filter { $0.label != "level" }
            .flatMap { Mirror(reflecting: $0.value).children.compactMap(\.label) }
        let pointers = UnsafeRawPointer(table) + MemoryLayout<fusion_kernels>.size - 8 * names.count
        starts = names.enumerated().map { place, name in
            (pointers.load(fromByteOffset: 8 * place, as: UInt.self), name)
        }.sorted { $0.address < $1.address }
        guard !starts.isEmpty else { return nil }
    }

    func kernel(at place: UInt) -> String? {
        guard let found = starts.last(where: { $0.address <= place }), place - found.address < Self.longest else {
            return nil
        }
        return found.name
    }
}
