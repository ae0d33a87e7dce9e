// SPDX-License-Identifier: MIT
// The frame path of a camera: wait, dequeue, judge, publish, queue again. Nothing here allocates, locks or logs while
// frames flow.

import FrameRing
import Glibc
import LivecapCV4L2
import LivecapFrames
import LivecapJPEG

extension V4L2Camera {
    /// Waits for a frame and publishes it.
    /// - Throws: `disconnected`, `stalled` after several restarts, and what the driver refuses.
    public func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        fillQueue(&producer)
        let readiness = waitForDriver()
        if readiness == .interrupted { return .nothing }
        if readiness == .silent {
            return try act(
                on: watchdog.noteSilence(now: .now, interval: tracker.interval), &producer,
                because: "no frame came", failing: stallError)
        }
        // A device that is gone seems to have an event, too: dequeuing then tells.
        if readiness == .event {
            if device.takeEvents(controls) {
                try device.requireSignal()
                throw .notSupported(path: device.path, detail: "the picture at its input changed size")
            }
            manual = controls.manual
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

    /// Sleeps until the driver has something, another thread raises the wake event, or it is time to check the
    /// watchdog: `poll(2)`.
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

    /// Whether the wake event is raised, now or within some milliseconds.
    private func isInterrupted(within milliseconds: Int32 = 0) -> Bool { poll(polled + 1, 1, milliseconds) > 0 }

    // MARK: Frames

    /// Publishes a frame that the driver wrote into a slot, and queues the oldest unleased slot in its place. If there
    /// is none, the new frame is dropped.
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

    /// Copies or converts a frame from one of the driver's own buffers into a slot, and queues the buffer again.
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

    /// Checks JPEG frames, because the kernel checks only the lengths of raw formats.
    private func check(_ bytes: UnsafeRawBufferPointer, _ metadata: inout FrameMetadata) {
        guard isJPEG else { return }
        let (structure, damage) = JPEGStructure.check(bytes.bytes, size: description.format.size)
        if let structure, !structure.hasHuffmanTables { metadata.flags.insert(.standardHuffmanTables) }
        metadata.markDamaged(damage)
    }

    /// The frame's metadata according to the driver, as far as it can be trusted.
    private func describe(
        _ filled: FilledBuffer, dequeued: Timestamp, _ producer: inout RingProducer
    ) -> FrameMetadata {
        let raw = filled.raw
        let judged = judge.judge(
            driver: raw.monotonicTime, source: raw.timestampSource, dequeued: dequeued, interval: tracker.interval)
        var metadata = FrameMetadata(
            time: judged.time, byteCount: Int(raw.bytesused), sequence: raw.sequence, timeSource: judged.source,
            uncertainty: judged.uncertainty, flags: judged.isDistrusted ? .distrustedTime : [], manual: manual)
        switch tracker.note(sequence: raw.sequence, time: judged.time) {
        case .first, .next: break
        case .lost(let count):
            metadata.lostBefore = count
            metadata.flags.insert(.gapBefore)
        case .late: metadata.flags.insert(.gapBefore)
        case .restarted:
            // The kernel restarted the stream by itself, as it does after a suspend.
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

    /// Queues a slot at the driver. If the driver refuses it, the next step tries again.
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

    /// Keeps the driver supplied with buffers: those it refused earlier, and those for which no slot was available.
    private func fillQueue(_ producer: inout RingProducer) {
        if queue.queued >= depth { return }
        for _ in 0..<unqueued.count {
            guard let number = unqueued.pop() else { return }
            if queue.transport == .copied { queueBuffer(number) } else { queueSlot(number, &producer) }
        }
        guard queue.transport != .copied else { return }
        while queue.queued + unqueued.count < depth, let slot = producer.claimFree() { queueSlot(slot, &producer) }
    }

    // MARK: Failures

    /// Handles a failed dequeue: nothing to dequeue, the device is gone, or the stream needs a restart.
    private func handle(
        errno: Int32, _ readiness: Readiness, _ producer: inout RingProducer
    ) throws(CameraError) -> StepOutcome {
        switch errno {
        case EAGAIN where readiness != .failing: return .nothing
        case ENODEV, ENXIO: throw .disconnected(path: device.path)
        default:
            // A DQBUF that was waiting when the camera was unplugged fails with EINVAL.
            if device.isGone { throw .disconnected(path: device.path) }
            return try act(
                on: watchdog.noteFailure(now: .now), &producer,
                because: "the driver reported an error (\(String(cString: strerror(errno))))",
                failing: { _ in .streamFailed(path: device.path, call: "VIDIOC_DQBUF", errno: errno) })
        }
    }

    private func act(
        on verdict: StallWatchdog.Verdict, _ producer: inout RingProducer, because reason: @autoclosure () -> String,
        failing error: (_ after: Duration) -> CameraError
    ) throws(CameraError) -> StepOutcome {
        switch verdict {
        case .wait: return .nothing
        case .restart:
            if device.isGone { throw .disconnected(path: device.path) }
            let reason = reason()
            restart(&producer)
            // Each call to a camera that answers nothing takes five seconds.
            if isAbandoned || isInterrupted() { return .nothing }
            try begin(&producer, isRestart: true)
            return .restarted(reason: reason)
        case .giveUp(let after): throw error(after)
        }
    }

    /// Why a stream stays silent: either the driver refuses buffers, or the cause is unknown.
    private func stallError(_ after: Duration) -> CameraError {
        unqueued.count > 0
            ? .streamFailed(path: device.path, call: "VIDIOC_QBUF", errno: queueingErrno)
            : .stalled(path: device.path, after: after)
    }

    /// Takes every buffer back from the driver and pauses briefly, unless the wake event is raised. The ring keeps its
    /// frames.
    private func restart(_ producer: inout RingProducer) {
        _ = stream(false)
        _ = isInterrupted(within: 100)
        takeBackSlots { producer.discard($0) }
        producer.beginEpoch()
        tracker.restart()
    }

    /// Takes every slot of the ring back that the driver has, or was to have.
    func takeBackSlots(_ body: (SlotIndex) -> Void) {
        queue.forgetQueued(returning: body)
        while let number = unqueued.pop() {
            if queue.transport != .copied { body(number) }
        }
    }

    /// Switches the stream on or off: `VIDIOC_STREAMON`, `VIDIOC_STREAMOFF`. Returns 0 or -errno. Once the wake event
    /// is raised, or at once if this `isLast`, waits no longer than `patience`; the device is then abandoned.
    func stream(_ isOn: Bool, isLast: Bool = false) -> Int32 {
        let result = cv4l2_stream(
            device.descriptor, isOn, isLast ? -1 : wake.descriptor, Int32(Self.patience.nanoseconds / 1_000_000))
        if result == -EINPROGRESS { isAbandoned = true }
        return result
    }

    /// Stopping a camera that answers takes milliseconds.
    private static let patience = Duration.seconds(1)

    /// Queues buffers and starts the stream: `VIDIOC_QBUF`, `VIDIOC_STREAMON`.
    func begin(_ producer: inout RingProducer, isRestart: Bool) throws(CameraError) {
        if queue.transport == .copied {
            for index in 0..<queue.count { queueBuffer(index) }
        }
        fillQueue(&producer)
        var result = stream(true)
        if result == -EINVAL || result == -EIO || result == -EPIPE {
            // Some cameras need a moment after being configured.
            if isInterrupted(within: 100) { return }
            result = stream(true)
        }
        switch -result {
        // Given up, because the camera is to be stopped.
        case 0, EINPROGRESS: return
        // Here these do not mean a full disk or broken hardware: the bus has no bandwidth left, or no alternate setting
        // is fast enough.
        case ENOSPC: throw .noBandwidth(path: device.path, format: "\(description.format.size)")
        case EIO where !isRestart: throw .noBandwidth(path: device.path, format: "\(description.format.size)")
        case ENODEV, ENXIO: throw .disconnected(path: device.path)
        case EBUSY: throw .busy(path: device.path, holder: SystemFiles.holder(of: device.path))
        default: throw .streamFailed(path: device.path, call: "VIDIOC_STREAMON", errno: -result)
        }
    }
}

extension FrameMetadata {
    /// Truncates a frame to its memory. A frame that claims to be larger is damaged.
    fileprivate mutating func fit(_ capacity: Int) {
        guard byteCount > capacity else { return }
        byteCount = capacity
        markDamaged(.oversize)
    }
}
