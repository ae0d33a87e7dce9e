// SPDX-License-Identifier: MIT
// The memory that fusion keeps, and a check that a shot allocates no more.

import Fusion
import LivecapCSystem
import LivecapFrames

/// Measures the bytes of prepared frames, of the fuser's own memory, and of the picture.
struct FusionMemory: FallibleBenchmark {
    let name = "fusion.memory"
    let plan: ShotPlan
    let store: BurstStore

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        var result = BenchmarkResult(name, plan)
        let (bytes, format) = try store.timed().frames(plan.frames, of: plan.size)
        let before = lc_heap_bytes()
        let fuser = try Fuser(format, FusionSettings(plan.method, level: plan.level))
        let frames = bytes.map { _ in fuser.makeFrame() }
        for (bytes, frame) in zip(bytes, frames) { try fuser.prepare(bytes.span.bytes, into: frame) }
        let planes = Int64(frames.reduce(0) { $0 + $1.mappedBytes }), prepared = lc_heap_bytes()
        let picture = fuser.makePicture()
        let ready = lc_heap_bytes()
        _ = try fuser.fuse(frames, reference: plan.frames / 2, into: picture)
        let fused = lc_heap_bytes()
        let pixels = Double(plan.size.area)
        result.figures = [
            ("preparedBytesPerPixelAndFrame", Double(prepared - before + planes) / pixels / Double(plan.frames)),
            ("pictureBytesPerPixel", Double(ready - prepared) / pixels),
            ("scratchBytesPerPixel", Double(fused - ready) / pixels),
            ("bytesPerMegapixelAndFrame", Double(fused - before + planes) / pixels * 1e6 / Double(plan.frames)),
        ]
        withExtendedLifetime((fuser, frames, picture)) {}
        return result
    }
}

/// A gate: in steady use, a shot allocates no buffers, and at most a known number of small objects.
struct ShotAllocations: FallibleBenchmark {
    let name = "fusion.allocations"
    let store: BurstStore
    /// The maximum number of allocations: the three lists of the report, and lists as long as a burst or a table of
    /// brightness. They take at most 60 kB in total, whatever the size of the picture. `speed`, which may run on
    /// every frame, allocates only the report.
    static func allowed(_ method: FusionMethod) -> UInt64 {
        switch method {
        case .speed: 3
        case .mean: 8
        case .merge, .balanced: 130
        case .quality: 220
        }
    }

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let plan = ShotPlan(size: FrameSize(width: 320, height: 240))
        var result = BenchmarkResult(name, plan)
        guard let probe = Probe() else {
            result.notes = ["not counted: start with LD_PRELOAD=libFramePathProbe.so"]
            return result
        }
        for method in FusionMethod.allCases {
            for light in Light.allCases {
                let allocations = try allocationsPerShot(plan, method, light, probe)
                result.figures.append(("\(method.rawValue)AllocationsPerShot\(light.rawValue)", Double(allocations)))
                if allocations > Self.allowed(method) {
                    result.faults.append("a shot of \(method.rawValue) used the heap \(allocations) times")
                }
            }
        }
        result.quality = nil
        return result
    }

    /// How the light changes during a burst.
    private enum Light: String, CaseIterable {
        case steady = ""
        /// Frames before the reference have four fifths of its light, so they have to be matched.
        case rising = "InRisingLight"

        /// Converts packed 4:2:2 frames to that light.
        func on(_ frames: [[UInt8]], reference: Int) -> [[UInt8]] {
            guard self == .rising else { return frames }
            return frames.enumerated().map { index, bytes in
                guard index < reference else { return bytes }
                return bytes.enumerated().map { place, byte in
                    // Chroma is left unchanged; a colour that is off is matched like any other.
                    place % 2 == 1 ? byte : UInt8(16 + max(0, Int(byte) - 16) * 4 / 5)
                }
            }
        }
    }

    private func allocationsPerShot(
        _ plan: ShotPlan, _ method: FusionMethod, _ light: Light, _ probe: Probe
    ) throws -> UInt64 {
        let (steady, format) = try store.timed().frames(plan.frames, of: plan.size)
        let bytes = light.on(steady, reference: plan.frames / 2)
        let fuser = try Fuser(format, FusionSettings(method, level: plan.level))
        let frames = bytes.map { _ in fuser.makeFrame() }
        let picture = fuser.makePicture()
        func shoot() throws {
            for (bytes, frame) in zip(bytes, frames) { try fuser.prepare(bytes.span.bytes, into: frame) }
            _ = try fuser.fuse(frames, reference: plan.frames / 2, into: picture)
        }
        // The first shots allocate working memory, and trigger what the runtime allocates on first use.
        for _ in 0..<2 { try shoot() }
        let shots: UInt64 = 4
        let counts = probe.count { for _ in 0..<shots { try? shoot() } }
        return ((counts?.allocations ?? 0) + shots - 1) / shots
    }
}
