// SPDX-License-Identifier: MIT
// The speed of recording from the ring to the disk, compared with dd writing as many bytes to the same disk, and its
// memory.

import FrameRing
import Glibc
import LivecapFiles
import LivecapFrameFiles
import LivecapFrames

struct RecordingThroughput: Benchmark {
    let name = "recording.throughput"

    /// Two gigabytes, more than the disk's own cache can hide.
    private static let frames = 2_147_483_648 / fullHD.byteCount + 1
    private static let allowance = 60 << 20

    func run(_ options: BenchmarkOptions) -> BenchmarkResult {
        var result = BenchmarkResult(
            name, width: fullHD.size.width, height: fullHD.size.height, frames: Self.frames, threads: 3)
        do throws(FrameFileError) {
            try measure(options, into: &result)
        } catch {
            result.faults.append(error.message)
        }
        return result
    }

    private func measure(_ options: BenchmarkOptions, into result: inout BenchmarkResult) throws(FrameFileError) {
        let (recording, copy) = (
            "\(options.folder)/livecap-bench-\(getpid()).lcap", "\(options.folder)/livecap-bench-\(getpid()).copy"
        )
        defer {
            unlink(recording)
            unlink(copy)
        }
        let settings = RecordingSettings(overwrite: true)
        let plan = RingCapacity(duration: .milliseconds(1000), byteCap: 512 << 20).plan(
            format: fullHD, rate: FrameRate(30))!
        let bytes = Self.frames * fullHD.byteCount
        var (recorded, copied): ([Double], [Double]) = ([], [])
        resetPeak()
        var peak = 0
        // In turns, each being first equally often, so that a temporary slowdown of the disk affects both.
        for round in 0..<(options.isThorough ? 6 : 4) {
            if round % 2 == 1 { copied.append(copySpeed(bytes, to: copy)) }
            let begun = Timestamp.now
            let outcome = try record(plan, to: recording, settings)
            let seconds = (Timestamp.now - begun).seconds
            peak = peakBytes()
            if let failure = outcome.failure { throw failure }
            if outcome.summary.frames != Self.frames || outcome.summary.dropped != 0 {
                result.faults.append("\(outcome.summary.frames) frames recorded, \(outcome.summary.dropped) dropped")
            }
            recorded.append(Double(outcome.summary.bytes) / seconds)
            unlink(recording)
            if round % 2 == 0 { copied.append(copySpeed(bytes, to: copy)) }
        }
        if copied.contains(0) {
            result.faults.append("dd failed")
            return
        }
        let allowed = plan.bytes + settings.queueBytes + Self.allowance
        if peak > allowed { result.faults.append("\(peak) bytes resident; \(allowed) allowed") }
        result.figures = [
            ("recordingMBs", recorded.median / 1e6), ("ddMBs", copied.median / 1e6), ("residentMB", Double(peak) / 1e6),
            ("ringMB", Double(plan.bytes) / 1e6), ("queueMB", Double(settings.queueBytes) / 1e6),
        ]
        result.ratios = [
            ("recordingToDd", recorded.median / copied.median), ("residentToAllowed", Double(peak) / Double(allowed)),
        ]
        result.notes = [
            "medians, synced, checksums and index included; dd if=/dev/zero bs=4M conv=fsync writes as many bytes"
        ]
    }

    /// The speed of dd in bytes per second, or 0 if it fails. Its input is as cheap as possible; zeros are an
    /// advantage on a disk that compresses.
    private func copySpeed(_ bytes: Int, to path: String) -> Double {
        defer { unlink(path) }
        let begun = Timestamp.now
        let status = system(
            "dd if=/dev/zero of='\(path)' bs=4M count=\(bytes) iflag=count_bytes conv=fsync status=none")
        return status == 0 ? Double(bytes) / (Timestamp.now - begun).seconds : 0
    }

    /// Publishes frames as fast as they are recorded, like a replay at the fast pace.
    private func record(
        _ plan: RingPlan, to path: String, _ settings: RecordingSettings
    ) throws(FrameFileError) -> RecordingResult {
        let gate = FollowerGate()
        guard let (ring, _) = Ring.slabs(plan, format: fullHD) else {
            throw .noMemory(bytes: plan.bytes)
        }
        fill(ring.memory)
        let source = SourceDescription(
            name: name, identity: name, format: fullHD, rate: FrameRate(30), clock: .own)
        let recorder = try Recorder(source, ring: ring, to: path, settings, gate: gate)
        publish(into: RingProducer(filling: ring), heeding: gate)
        return recorder.wait()
    }

    /// Publishes every frame; the stream ends with the producer.
    private func publish(into producer: consuming RingProducer, heeding gate: FollowerGate) {
        for number in 0..<Self.frames {
            gate.wait(forRoomIn: producer.ring)
            guard let slot = producer.claim() else { return }
            let frame = FrameMetadata(
                time: Timestamp(nanoseconds: Int64(number) * 33_333_333), byteCount: fullHD.byteCount)
            producer.publish(slot, frame)
        }
    }

    /// Fills memory with bytes that no disk or file system can compress.
    private func fill(_ memory: SlotMemory) {
        var state: UInt64 = 1
        for region in memory.regions {
            region.withMemoryRebound(to: UInt64.self) { words in
                for index in words.indices {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    words[index] = state
                }
            }
        }
    }
}

extension [Double] {
    /// The middle element, or the mean of the two in the middle.
    fileprivate var median: Double {
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}

/// Restarts the measurement of the process's peak memory: proc_pid_clear_refs(5).
private func resetPeak() {
    let file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    write(file, "5", 1)
    close(file)
}

/// The maximum number of resident bytes since then: `VmHWM` in proc_pid_status(5).
private func peakBytes() -> Int {
    let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return 0 }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = read(file, &bytes, bytes.count)
    let lines = String(decoding: bytes[..<max(0, count)], as: UTF8.self).split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("VmHWM:") }) else { return 0 }
    return (line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) << 10
}
