// SPDX-License-Identifier: MIT
// What readers in other processes cost the producer, and how soon they see a frame.

import FrameRing
import Glibc
import LivecapFiles
import LivecapFrames
import LivecapSharing

struct RingSharing: FallibleBenchmark {
    let name = "ring.sharing"
    private let readers = 8

    func measure(_ options: BenchmarkOptions) throws -> BenchmarkResult {
        let rounds = options.isThorough ? 10 : 4
        let share = try SharedBench(in: options.folder)
        // Blocks alternate, so that anything that disturbs the machine affects all of them.
        var (none, many) = ([Duration](), [Duration]())
        var (alone, crowded) = ([Duration](), [Duration]())
        for _ in 0..<rounds {
            none += try share.publish(to: 0).publishing
            alone += try share.publish(to: 1).seen
            let block = try share.publish(to: readers)
            many += block.publishing
            crowded += block.seen
        }
        let (without, with) = (Timings(of: none), Timings(of: many))
        let (one, eight) = (Timings(of: alone), Timings(of: crowded))
        var result = BenchmarkResult(name, frames: none.count)
        result.figures = [
            ("publishMedianNs", without.median), ("publishWithReadersMedianNs", with.median),
            ("seenMedianMs", one.median * 1e-6), ("seenP99Ms", one.quantile(0.99) * 1e-6),
            ("seenByEightP99Ms", eight.quantile(0.99) * 1e-6),
        ]
        result.ratios = [("publishWithReadersToWithout", with.median / without.median)]
        result.targets = ["publishWithReadersToWithout": .atMost(1.2), "seenP99Ms": .atMost(1)]
        result.notes = [
            "a shared ring, 500 frames per second, with 0 and \(readers) processes that sleep until each frame;",
            "seen: from the frame's time, taken before it is published, until another process has found it",
        ]
        if one.isEmpty { result.faults = ["no other process saw a frame"] }
        return result
    }
}

/// A shared ring, its server, and processes that read it.
private final class SharedBench {
    private let ring: Ring
    private let server: SharingServer
    private let folder: String
    private var driver: DriverPlay

    /// Frames per block, and the time between two of them in microseconds.
    private static let (count, pause) = (500, UInt32(2000))

    init(in folder: String) throws {
        guard let memory = SlotMemory.slabs(count: usualSlots, bytesEach: 64, sharedSlots: usualSlots) else {
            throw Unshared()
        }
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 64, height: 1))
        ring = Ring(format: format, memory: memory, reserve: usualReserve)
        self.folder = folder
        server = try SharingServer(path: "\(folder)/livecap-bench-\(getpid()).sock")
        server.offer(
            ring,
            SourceDescription(name: "bench", identity: "bench", format: format, rate: nil, clock: .monotonic))
        driver = DriverPlay(ring)
    }

    /// Publishes a block of frames while some processes read. Returns how long each publishing took, and how long after
    /// each frame's time every reader saw it.
    func publish(to readers: Int) throws -> (publishing: [Duration], seen: [Duration]) {
        let before = server.totalReaders
        let processes = try (0..<readers).map { index in
            try SharedReader(server.path, frames: Self.count, output: "\(folder)/livecap-bench-\(getpid())-\(index)")
        }
        while server.totalReaders < before + readers { usleep(1000) }
        var publishing: [Duration] = []
        // Readers end after as many frames as are published; a few more for what they missed while they started.
        var number = 0
        while number < Self.count || processes.contains(where: { !$0.hasEnded }) {
            usleep(Self.pause)
            let start = Timestamp.now
            driver.publishNext(at: start)
            if number < Self.count { publishing.append(.now - start) }
            number += 1
            if number > 100 * Self.count { throw Unshared() }
        }
        return (publishing, try processes.flatMap { try $0.delays() })
    }

    private struct Unshared: Error {}
}
