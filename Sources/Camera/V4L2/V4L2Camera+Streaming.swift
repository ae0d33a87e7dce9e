// SPDX-License-Identifier: MIT
// The frame path of a camera: wait, dequeue, judge, publish, queue again. Nothing here allocates, locks or logs while
// frames flow.

import CV4L2
import FrameRing
import Frames
import Glibc
import JPEG

extension V4L2Camera {
    /// Waits for a frame and publishes it.
    public func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        fillQueue(&producer)
        let readiness = waitForDriver()
        if readiness == .interrupted { return .nothing }
        if readiness == .silent {
            return try act(
                on: watchdog.noteSilence(now: .now, interval: tracker.interval), &producer,
                because: "no frame came", failing: stallError)
        }
        if readiness == .event && device.sourceHasChanged() {
            try device.requireSignal()
            throw .notSupported(path: device.path, detail: "the picture at its input changed size")
        }
        var result: Int32 = 0
        guard let filled = queue.dequeue(from: device, error: &result) else {
            return try handle(errno: -result, readiness, &producer)
        }
        let now = Timestamp.now
        watchdog.noteFrame(now: now)
        return filled.slot.map { publish(filled, in: $0, dequeued: now, &producer) }
            ?? copy(filled, dequeued: now, &producer)
    }

    // MARK: Waiting

    private enum Readiness { case frame, event, failing, silent, interrupted }

    /// Sleeps until the driver has something, somebody wants our attention, or it is time to look at the watchdog:
    /// `poll(2)`.
    private func waitForDriver() -> Readiness {
        let patience = min(max(tracker.interval * 2, .milliseconds(50)), .milliseconds(500))
        let ready = poll(polled, 2, Int32(patience.nanoseconds / 1_000_000))
        if ready == 0 { return .silent }
        if ready < 0 { return errno == EINTR ? .interrupted : .failing }
        if polled[1].revents != 0 {
            wake.clear()
            return .interrupted
        }
        let events = Int32(polled[0].revents)
        if events & POLLIN != 0 { return .frame }
        return events & POLLPRI != 0 ? .event : .failing
    }

    // MARK: Frames

    /// A frame the driver wrote into a slot becomes visible; the oldest slot nobody holds is queued in its stead. Where
    /// there is none, the new frame is what is given up.
    private func publish(
        _ filled: FilledBuffer, in slot: SlotIndex, dequeued: Timestamp, _ producer: inout RingProducer
    ) -> StepOutcome {
        var metadata = describe(filled, dequeued: dequeued, &producer)
        guard let next = producer.claim() else {
            queueSlot(slot, &producer)
            producer.drop(lostBefore: metadata.lostBefore)
            return .dropped
        }
        metadata.fit(producer.bytes(of: slot).count)
        let id = producer.publish(slot, metadata)
        queueSlot(next, &producer)
        return .published(id)
    }

    /// A frame in one of the driver's own buffers is copied, or converted, into a slot, and the buffer queued again.
    private func copy(_ filled: FilledBuffer, dequeued: Timestamp, _ producer: inout RingProducer) -> StepOutcome {
        defer { queueBuffer(filled.index) }
        var metadata = describe(filled, dequeued: dequeued, &producer)
        let bytes = queue.bytes(of: filled)
        let capacity = converter == nil ? bytes.count : description.format.byteCount
        guard let slot = producer.claim(byteCount: capacity) else {
            producer.drop(lostBefore: metadata.lostBefore)
            return .dropped
        }
        if let converter {
            let written = converter.convert(bytes, into: producer.bytes(of: slot))
            metadata.byteCount = written ?? 0
            if written == nil { metadata.markDamaged(.driverFlag) }
        } else {
            metadata.fit(min(bytes.count, producer.bytes(of: slot).count))
            producer.bytes(of: slot).copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<metadata.byteCount]))
            if metadata.isUsable { check(bytes, &metadata) }
        }
        producer.countCopied(metadata.byteCount)
        return .published(producer.publish(slot, metadata))
    }

    /// The kernel checks the lengths of raw formats only: JPEG frames are looked at here.
    private func check(_ bytes: UnsafeRawBufferPointer, _ metadata: inout FrameMetadata) {
        guard description.format.pixelFormat.layout == .jpeg else { return }
        let (structure, damage) = JPEGStructure.check(bytes.bytes, size: description.format.size)
        if let structure, !structure.hasHuffmanTables { metadata.flags.insert(.standardHuffmanTables) }
        metadata.markDamaged(damage)
    }

    /// What the driver says of a frame, as far as it can be believed.
    private func describe(
        _ filled: FilledBuffer, dequeued: Timestamp, _ producer: inout RingProducer
    ) -> FrameMetadata {
        let raw = filled.raw
        let judged = judge.judge(
            driver: raw.monotonicTime, source: raw.timestampSource, dequeued: dequeued, interval: tracker.interval)
        var metadata = FrameMetadata(
            time: judged.time, byteCount: Int(raw.bytesused), sequence: raw.sequence, timeSource: judged.source,
            uncertainty: judged.uncertainty, flags: judged.isDistrusted ? .distrustedTime : [])
        switch tracker.note(sequence: raw.sequence, time: judged.time) {
        case .first, .next: break
        case .lost(let count):
            metadata.lostBefore = count
            metadata.flags.insert(.gapBefore)
        case .late: metadata.flags.insert(.gapBefore)
        case .restarted:
            // The kernel started the stream again by itself, as it does after a suspend.
            metadata.flags.insert(.gapBefore)
            producer.beginEpoch()
        }
        if raw.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0 {
            metadata.markDamaged(.driverFlag)
        } else if metadata.byteCount < leastByteCount {
            metadata.markDamaged(.short)
        }
        return metadata
    }

    // MARK: Queueing

    /// Gives the driver a slot; one it refuses is tried again at the next step.
    private func queueSlot(_ slot: SlotIndex, _ producer: inout RingProducer) {
        note(queue.queue(slot: slot, bytes: producer.bytes(of: slot), on: device), of: slot)
    }

    private func queueBuffer(_ index: Int) {
        note(queue.queue(buffer: index, on: device), of: index)
    }

    private func note(_ result: Int32, of number: Int) {
        guard result != 0 else { return }
        queueingErrno = -result
        unqueued.push(number)
    }

    /// Sees to it that the driver has its buffers: those it refused before, and those that were not to be had.
    private func fillQueue(_ producer: inout RingProducer) {
        if queue.queued >= depth { return }
        for _ in 0..<unqueued.count {
            guard let number = unqueued.pop() else { return }
            if queue.transport == .copied { queueBuffer(number) } else { queueSlot(number, &producer) }
        }
        guard queue.transport != .copied else { return }
        while queue.queued + unqueued.count < depth, let slot = producer.claimFree() { queueSlot(slot, &producer) }
    }

    // MARK: Mishaps

    /// Dequeuing failed: nothing there, gone for good, or worth another start.
    private func handle(
        errno: Int32, _ readiness: Readiness, _ producer: inout RingProducer
    ) throws(CameraError) -> StepOutcome {
        switch errno {
        case EAGAIN where readiness != .failing: return .nothing
        case ENODEV, ENXIO: throw .disconnected(path: device.path)
        default:
            // A DQBUF that was waiting when the plug was pulled answers EINVAL.
            if device.isGone { throw .disconnected(path: device.path) }
            return try act(
                on: watchdog.noteFailure(now: .now), &producer,
                because: "the driver reported an error (\(String(cString: strerror(errno))))",
                failing: { _ in .streamFailed(path: device.path, call: "VIDIOC_DQBUF", errno: errno) })
        }
    }

    private func act(
        on verdict: StallWatchdog.Verdict, _ producer: inout RingProducer, because reason: @autoclosure () -> String,
        failing error: (_ after: TimeSpan) -> CameraError
    ) throws(CameraError) -> StepOutcome {
        switch verdict {
        case .wait: return .nothing
        case .restart:
            if device.isGone { throw .disconnected(path: device.path) }
            let reason = reason()
            restart(&producer)
            try begin(&producer, isRestart: true)
            return .restarted(reason: reason)
        case .giveUp(let after): throw error(after)
        }
    }

    /// Why a stream stays silent: the driver refuses buffers, or it just does.
    private func stallError(_ after: TimeSpan) -> CameraError {
        unqueued.count > 0
            ? .streamFailed(path: device.path, call: "VIDIOC_QBUF", errno: queueingErrno)
            : .stalled(path: device.path, after: after)
    }

    /// Takes every buffer back from the driver, and gives it a moment unless somebody wants our attention. What is in
    /// the ring stays there.
    private func restart(_ producer: inout RingProducer) {
        _ = cv4l2_streamoff(device.descriptor)
        poll(polled + 1, 1, 100)
        queue.forgetQueued { producer.discard($0) }
        while let number = unqueued.pop() {
            if queue.transport != .copied { producer.discard(number) }
        }
        producer.beginEpoch()
        tracker.restart()
    }

    /// Queues buffers and starts the stream: `VIDIOC_QBUF`, `VIDIOC_STREAMON`.
    func begin(_ producer: inout RingProducer, isRestart: Bool) throws(CameraError) {
        if queue.transport == .copied {
            for index in 0..<queue.count { queueBuffer(index) }
        }
        fillQueue(&producer)
        var result = cv4l2_streamon(device.descriptor)
        if result == -EINVAL || result == -EIO || result == -EPIPE {
            // Some cameras need a moment after they were set up.
            usleep(100_000)
            result = cv4l2_streamon(device.descriptor)
        }
        switch -result {
        case 0: return
        // Neither is a full disk or broken hardware: the bus has no room, or no alternate setting is fast enough.
        case ENOSPC: throw .noBandwidth(path: device.path, format: "\(description.format.size)")
        case EIO where !isRestart: throw .noBandwidth(path: device.path, format: "\(description.format.size)")
        case ENODEV, ENXIO: throw .disconnected(path: device.path)
        case EBUSY: throw .busy(path: device.path, holder: SystemFiles.holder(of: device.path))
        default: throw .streamFailed(path: device.path, call: "VIDIOC_STREAMON", errno: -result)
        }
    }
}

extension FrameMetadata {
    /// Cuts a frame to the memory it lies in; one that says it is larger is damaged.
    fileprivate mutating func fit(_ capacity: Int) {
        guard byteCount > capacity else { return }
        byteCount = capacity
        markDamaged(.oversize)
    }
}
