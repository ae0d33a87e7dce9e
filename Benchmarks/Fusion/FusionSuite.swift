// SPDX-License-Identifier: MIT
// The benchmarks of fusion, and their targets.

import Fusion
import LivecapFrames

/// The suite `fusion`. Unless stated otherwise, stills are made of 8 frames of 1280x720 on one thread, from raw
/// frames to finished planes, with nothing remembered from earlier ones.
func fusionBenchmarks() -> [any Benchmark] {
    let store = BurstStore()
    let usual = ShotPlan()
    func plan(_ change: (inout ShotPlan) -> Void) -> ShotPlan {
        var plan = usual
        change(&plan)
        return plan
    }
    func of(_ method: FusionMethod) -> ShotPlan { plan { $0.method = method } }
    let times: [any Benchmark] = [
        ShotTime(name: "fusion.time.mean", plan: of(.mean), store: store),
        BalancedTime(store: store),
        ShotTime(
            name: "fusion.time.speed", plan: of(.speed), rival: (usual, "overBalanced", .atMost(0.2)), store: store),
        ShotTime(name: "fusion.time.merge", plan: of(.merge), rival: (usual, "overBalanced", nil), store: store),
        ShotTime(
            name: "fusion.time.quality", plan: of(.quality), rival: (usual, "overBalanced", .atMost(14)), store: store),
        NextShot(store: store),
        ShotTime(
            name: "fusion.time.portable", plan: plan { $0.level = .portable },
            rival: (plan { $0.level = .avx2 }, "overAVX2", .atMost(3)), store: store),
        ShotTime(
            name: "fusion.time.twothreads", plan: plan { $0.threads = 2 },
            rival: (usual, "speedUpOverOneThread", .atLeast(1.7)), isGain: true, store: store),
        ShotTime(
            name: "fusion.time.fullhd",
            plan: plan { ($0.size, $0.threads) = (FrameSize(width: 1920, height: 1080), 2) }, target: .atMost(33),
            store: store),
        Linearity.pixels(store), Linearity.frames(store),
        SharedWork(store: store), KernelShares(method: .balanced, store: store),
        KernelShares(method: .quality, store: store),
        KernelBounds(store: store),
        FusionMemory(plan: usual, store: store), ShotAllocations(store: store),
    ]
    return times + grid(store) + pictures(store)
}

/// Every method with every size, number of frames, level and number of threads, for a thorough run.
private func grid(_ store: BurstStore) -> [any Benchmark] {
    var all: [any Benchmark] = []
    for method in FusionMethod.allCases {
        for (width, height) in [(640, 480), (1280, 720), (1920, 1080)] {
            for frames in [2, 8, 16] {
                for level in KernelLevel.allCases where level.isSupported {
                    for threads in [1, 2] {
                        let size = FrameSize(width: width, height: height)
                        let plan = ShotPlan(
                            method: method, size: size, frames: frames, level: level, threads: threads)
                        all.append(ShotTime(name: "fusion.grid", plan: plan, isLong: true, store: store))
                    }
                }
            }
        }
    }
    return all
}

/// Every scene by every method, after its single frame.
private func pictures(_ store: BurstStore) -> [any Benchmark] {
    PictureScene.allCases.flatMap { scene in
        let methods: [FusionMethod?] = [nil, .mean, .merge, .speed, .balanced, .quality]
        return methods.map { PictureQuality(scene: scene, method: $0, store: store) as any Benchmark }
    }
}
