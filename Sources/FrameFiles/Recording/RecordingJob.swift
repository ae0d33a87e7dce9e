// SPDX-License-Identifier: MIT
// The work of a recorder's threads: copy frames, write them, and close the file.

import FrameRing
import LivecapFrames
import LivecapThreads
import Synchronization

/// A recording in progress. `@unchecked Sendable`: created by one thread, then used only by the recorder's thread.
final class RecordingJob: @unchecked Sendable {
    let control: RecordingControl
    private var subscription: FrameSubscription
    private let sink: any RecordingSink
    private let queue: RecordingQueue
    private let settings: RecordingSettings
    private let waitsForDisk: Bool
    private let header: DumpHeader
    private var encoder: DumpEncoder
    private var checksum = RunningChecksum()
    private var firstTime: Timestamp?
    private var missed: UInt64 = 0
    /// Frames dropped since the last recorded one.
    private var leftOut: UInt32 = 0

    init(
        _ header: DumpHeader, ring: Ring, sink: any RecordingSink, settings: RecordingSettings,
        gate: FollowerGate?, from beginning: consuming FrameSubscription? = nil
    ) throws(FrameFileError) {
        guard header.format.byteCount <= FrameFormat.maxBytes else { throw .tooLarge(header.format) }
        self.header = header
        self.sink = sink
        self.settings = settings
        waitsForDisk = gate != nil
        encoder = DumpEncoder(header)
        let queue = try RecordingQueue(
            byteCount: max(settings.queueBytes, 2 * (maxBytes(header) + encoder.fileHeader.count)))
        self.queue = queue
        control = RecordingControl(wake: {
            queue.wakeCopier()
            ring.wakeWaiters()
        })
        subscription = beginning ?? FrameSubscription(to: ring, gate: gate)
    }

    /// The body of the recorder's thread, from the first frame to the synced file.
    func run() {
        let writer = RecordingWriter(queue, sink, control)
        var shortage: FrameFileError?
        do throws(SystemShortage) {
            let thread = try SystemThread(name: "record-write") { writer.run() }
            copyFrames()
            queue.close()
            thread.join()
        } catch {
            shortage = .file(.shortage(error))
        }
        let result = close(after: writer.failure ?? shortage)
        control.result.withLock { $0 = result }
        control.noteEnd()
    }

    // MARK: Copying

    private func copyFrames() {
        let wanted = settings.frames ?? .max
        let isOver = { [control, queue] in control.shouldStop || queue.hasFailed }
        while encoder.frameCount < wanted, !isOver() {
            if waitsForDisk {
                // Wait before leasing, so that no slot is held while waiting for the disk.
                queue.waitForRoom(maxBytes(header) + encoder.fileHeader.count, unless: isOver)
                guard !isOver() else { return }
            }
            let event = subscription.next(until: settings.deadline(after: firstTime, header.clock), unless: isOver)
            leaveOutMissed()
            switch event {
            case .frame(let lease):
                guard !isPastEnd(lease.metadata.time) else { return }
                record(lease)
            case .timedOut: return
            case .ended: return
            }
        }
    }

    private func isPastEnd(_ time: Timestamp) -> Bool {
        guard let duration = settings.duration else { return false }
        return time - (firstTime ?? time) >= duration
    }

    /// Copies a frame into the queue, or counts it as dropped.
    private func record(_ lease: borrowing FrameLease) {
        if firstTime == nil { firstTime = lease.metadata.time }
        var frame = lease.metadata
        if frame.byteCount > header.format.byteCount {
            frame.byteCount = header.format.byteCount
            frame.markDamaged(.oversize)
        }
        let beginning = encoder.frameCount == 0 ? encoder.fileHeader : []
        guard queue.fits(beginning.count + DumpFrameHeader.byteCount + frame.byteCount) else {
            leaveOut(1)
            // Frames that the stream lost before this one are missing from the file too, and no other frame reports
            // them.
            leftOut = leftOut.addingClamped(frame.lostBefore)
            return
        }
        frame.noteLoss(leftOut)
        leftOut = 0

        let place = queue.end + beginning.count
        let payload = place + DumpFrameHeader.byteCount
        let sum = lease.withBytes { copy($0, count: frame.byteCount, to: payload) }
        beginning.withUnsafeBytes { queue.put($0, at: queue.end) }
        encoder.nextFrame(frame, payloadChecksum: sum).withUnsafeBytes { queue.put($0, at: place) }
        if encoder.frameCount == 1 { control.firstFrameEnd.store(payload + frame.byteCount, ordering: .relaxed) }
        queue.commit(upTo: payload + frame.byteCount)
        control.frames.store(encoder.frameCount, ordering: .relaxed)
        control.bytes.wrappingAdd(frame.byteCount, ordering: .relaxed)
    }

    /// Copies and hashes in pieces that stay in the processor's cache between the two steps.
    private func copy(_ bytes: RawSpan, count: Int, to position: Int) -> UInt64 {
        bytes.withUnsafeBytes { source in
            checksum.reset()
            var done = 0
            while done < count {
                let piece = UnsafeRawBufferPointer(rebasing: source[done..<min(done + Self.cachedBytes, count)])
                checksum.add(piece)
                queue.put(piece, at: position + done)
                done += piece.count
            }
            return checksum.value
        }
    }

    /// Half the second-level cache of small processors.
    private static let cachedBytes = 128 << 10

    /// Counts the frames that left history before this thread read them.
    private func leaveOutMissed() {
        leaveOut(UInt32(clamping: subscription.missed - missed))
        missed = subscription.missed
    }

    private func leaveOut(_ count: UInt32) {
        guard count > 0 else { return }
        leftOut = leftOut.addingClamped(count)
        control.dropped.wrappingAdd(Int(count), ordering: .relaxed)
    }

    // MARK: Closing

    /// Truncates the file after its last complete frame, appends an index, and makes the file durable.
    private func close(after failure: FrameFileError?) -> RecordingResult {
        let dropped = control.dropped.load(ordering: .relaxed)
        var result = RecordingResult(summary: RecordingSummary(), failure: failure)
        result.summary.dropped = dropped
        let (count, end) = encoder.wholeFrames(within: sink.byteCount)
        guard count > 0 else {
            sink.discard()
            return result
        }
        do throws(FrameFileError) {
            if sink.byteCount > end { try sink.truncate(to: end) }
            let index = encoder.index(ofFirst: count, endingAt: end, dropped: UInt64(dropped))
            try index.withBytes { (bytes) throws(FrameFileError) in try sink.append(bytes) }
        } catch {
            // There is no room for an index; the frames can be found without it. The first failure is the one worth
            // reporting.
            result.failure = result.failure ?? error
            try? sink.truncate(to: end)
        }
        do throws(FrameFileError) {
            try sink.finish()
        } catch {
            result.failure = result.failure ?? error
            if case .removed = error {
                // Nothing else matters to those who look for the file.
                result.failure = error
                return result
            }
            // The file could not be given its name.
            guard sink.byteCount > 0 else {
                sink.discard()
                return result
            }
        }
        summarise(count, into: &result.summary)
        return result
    }

    private func summarise(_ count: Int, into summary: inout RecordingSummary) {
        summary.frames = count
        for index in 0..<count {
            let frame = encoder.metadata(index)
            summary.bytes += frame.byteCount
            if frame.flags.contains(.gapBefore) { summary.gaps += 1 }
            summary.lost += Int(frame.lostBefore)
            if !frame.isUsable { summary.damaged += 1 }
        }
        summary.continuity = Continuity(count: count, rate: header.rate, encoder.metadata)
        summary.first = encoder.metadata(0).time
        summary.last = encoder.metadata(count - 1).time
    }
}

extension UInt32 {
    /// The sum, saturating at `UInt32.max`.
    fileprivate func addingClamped(_ other: UInt32) -> UInt32 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

/// The maximum size of a frame in the file, in bytes.
private func maxBytes(_ header: DumpHeader) -> Int { DumpFrameHeader.byteCount + header.format.byteCount }

/// The writing thread. `@unchecked Sendable`: only this thread uses the sink until it has been joined, and `failure` is
/// read only after that.
private final class RecordingWriter: @unchecked Sendable {
    private let queue: RecordingQueue
    private let sink: any RecordingSink
    private let control: RecordingControl
    private(set) var failure: FrameFileError?

    init(_ queue: RecordingQueue, _ sink: any RecordingSink, _ control: RecordingControl) {
        self.queue = queue
        self.sink = sink
        self.control = control
    }

    func run() {
        do throws(FrameFileError) {
            while let bytes = queue.next() {
                try sink.append(bytes)
                if sink.byteCount >= control.firstFrameEnd.load(ordering: .relaxed) { try sink.takeName() }
                queue.free(bytes.count)
            }
        } catch {
            failure = error
            queue.fail()
            control.wake()
        }
    }
}
