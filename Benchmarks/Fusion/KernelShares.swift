// SPDX-License-Identifier: MIT
// Which kernels a still's time is spent in.

import CFusionKernels
import Frames
import FusionKernels

/// The share of each kernel in a still's time, found by looking where the thread is some thousands of times.
struct KernelShares: FallibleBenchmark {
    let method: FusionMethod
    let store: BurstStore
    var name: String { "fusion.shares.\(method.rawValue)" }

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let plan = ShotPlan(method: method)
        var result = BenchmarkResult(name, plan)
        guard let sampler = Sampler(), let table = KernelPlaces(plan.level) else {
            result.notes = ["not sampled: start with LD_PRELOAD=libFramePathProbe.so"]
            return result
        }
        let shot = try Shot(plan, store)
        try shot.takeCold()
        let start = Timestamp.now
        var shots = 0
        let places = try sampler.places {
            while Timestamp.now - start < options.budget * 2 {
                try shot.takeCold()
                shots += 1
            }
        }
        guard let places, !places.isEmpty else {
            result.notes = ["not sampled: no timer to be had"]
            return result
        }
        let perStill = (Timestamp.now - start).milliseconds / Double(shots)
        result.msPerStill = perStill
        var counts: [String: Int] = [:]
        for place in places { counts[table.kernel(at: place) ?? "elsewhere", default: 0] += 1 }
        for (kernel, count) in counts.sorted(by: { $0.value > $1.value }) {
            let share = Double(count) / Double(places.count)
            result.figures.append(("\(kernel)Ms", perStill * share))
        }
        result.notes = ["\(places.count) samples; elsewhere is everything that is no kernel of the table"]
        return result
    }
}

/// Where the kernels of a level begin.
private struct KernelPlaces {
    private let starts: [(address: UInt, name: String)]
    /// The last kernel's code is no longer than this.
    private static let longest: UInt = 32768

    init?(_ level: KernelLevel) {
        let levels: [KernelLevel: fusion_level] = [
            .portable: FUSION_PORTABLE, .avx2: FUSION_AVX2, .avx512: FUSION_AVX512,
        ]
        guard let level = levels[level], let table = fusion_kernels_of(level) else { return nil }
        // The table is its level, and then nothing but pointers.
        let names = Mirror(reflecting: table.pointee).children.compactMap(\.label).filter { $0 != "level" }
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
