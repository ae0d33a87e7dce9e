// SPDX-License-Identifier: MIT
// Depth, sample by sample.

extension Reference {
    /// How far another depth may lie from one and still be the same surface.
    package struct DepthReach {
        let least: Int, slope: Int

        package init(least: Int, slope: Int) {
            self.least = least
            self.slope = slope
        }

        func of(_ z: Int) -> Int { min(65535, least + z * z / 65536 * slope / 4096) }
    }

    package static func takeDepth(_ packed: [UInt8]) -> [UInt16] {
        stride(from: 0, to: packed.count, by: 2).map { at in
            let number = Int(packed[at]) + 256 * Int(packed[at + 1])
            return number == 65535 ? 0 : UInt16(number)
        }
    }

    package static func takeConfidence(_ packed: [UInt8], count: Int) -> [UInt8] {
        (0..<count).map { $0 % 2 == 0 ? packed[$0 / 2] % 16 : packed[$0 / 2] / 16 }
    }

    /// What is remembered of a sample.
    package struct DepthMemory {
        package var kept: UInt32, seen: UInt8

        package init(kept: UInt32, seen: UInt8) {
            self.kept = kept
            self.seen = seen
        }
    }

    /// The new depth of a sample, and its memory.
    package static func steadyDepth(
        _ depth: UInt16, _ memory: inout DepthMemory, _ reach: DepthReach, share: Int, hold: Int
    ) -> UInt16 {
        let d = Int(depth), kept = Int(memory.kept), mean = (kept + 32) / 64
        guard d > 0 else {
            memory.seen = memory.seen << 1
            if memory.seen == 0 { memory.kept = 0 }
            return memory.seen.nonzeroBitCount < hold ? 0 : UInt16((Int(memory.kept) + 32) / 64)
        }
        if kept == 0 || abs(d - mean) > reach.of(mean) {
            memory = DepthMemory(kept: UInt32(64 * d), seen: 1)
        } else {
            let part = max(share, 256 / (memory.seen.nonzeroBitCount + 1))
            memory.kept = UInt32(kept + Int((Double((64 * d - kept) * part + 128) / 256).rounded(.down)))
            memory.seen = memory.seen << 1 | 1
        }
        return UInt16((Int(memory.kept) + 32) / 64)
    }

    /// One sample of `guideDepth`, with the samples around it, row by row.
    package static func guideDepth(
        _ depth: Grid<UInt16>, _ luma: Grid<UInt8>, at place: (x: Int, y: Int), radius: Int, bound: Int,
        _ reach: DepthReach, own: Int
    ) -> UInt16 {
        let center = Int(depth[place.x, place.y]), code = Int(luma[place.x, place.y])
        guard center > 0 else { return 0 }
        var around: [(depth: Int, weight: Int)] = []
        for dy in -radius...radius {
            for dx in -radius...radius {
                let z = Int(depth[place.x + dx, place.y + dy])
                let light = max(0, bound - abs(Int(luma[place.x + dx, place.y + dy]) - code))
                if z > 0 { around.append((z, light * (4 - max(abs(dx), abs(dy))))) }
            }
        }
        let low = around.map(\.depth).min()!, high = around.map(\.depth).max()!
        let middle = high - low <= 2 * reach.of(low) ? high : low + (high - low) / 2
        let near = around.filter { $0.depth <= middle }, far = around.filter { $0.depth > middle }
        func weight(_ group: [(depth: Int, weight: Int)], isOwn: Bool) -> Int {
            group.reduce(0) { $0 + $1.weight } * (isOwn ? own : 4)
        }
        let isNear = weight(near, isOwn: center <= middle) >= weight(far, isOwn: center > middle)
        let group = isNear ? near : far, base = isNear ? low : middle + 1
        let sum = group.reduce(0) { $0 + $1.weight * ($1.depth - base) }, all = group.reduce(0) { $0 + $1.weight }
        return UInt16(base + Int(Float(sum) / Float(all) + 0.5))
    }

    /// The depths of one sample in several frames.
    package static func fuseDepth(_ depths: [UInt16], _ reach: DepthReach) -> UInt16 {
        let known = depths.filter { $0 > 0 }.map { Int($0) }.sorted()
        guard !known.isEmpty, 2 * known.count >= depths.count else { return 0 }
        let median = known[(known.count - 1) / 2]
        let near = known.filter { abs($0 - median) <= reach.of(median) }
        return UInt16((2 * near.reduce(0, +) + near.count) / (2 * near.count))
    }

    package static func colorDepth(_ depth: UInt16, nearest: Int, factor: Int, palette: [UInt8]) -> ArraySlice<UInt8> {
        let number = depth == 0 ? 256 : min(255, (max(Int(depth), nearest) - nearest) * factor / 65536)
        return palette[3 * number..<3 * number + 3]
    }
}
