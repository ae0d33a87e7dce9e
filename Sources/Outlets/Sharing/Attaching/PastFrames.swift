// SPDX-License-Identifier: MIT
// The frames that another livecap still keeps.

import Camera
import FrameRing
import Glibc
import LivecapCShare
import LivecapFrames

/// A copy of the last frames of another livecap, up to the moment it was made. Nothing in the other one changes by it:
/// a camera that it has switched off stays off.
package final class PastFrames: Sendable {
    /// The other one's source.
    package let source: SourceDescription
    /// All frames, the oldest first.
    package let frames: [FrameMetadata]
    /// How long before the end the first frame is, and how far back the other one's oldest frame.
    package let reach: Duration
    package let kept: Duration
    private let places: [Int]
    private let memory: SlotMemory

    /// Copies the frames of the last `past`.
    /// - Throws: `hostEnded`; `badSettings` if there is none; `noMemory`.
    package init(_ host: RunningHost, _ past: Duration) throws(CameraError) {
        guard let ring = ForeignRing(at: host.path) else { throw .hostEnded(host: "\(host)", isChanged: false) }
        // Frames that come while these are copied are no part of it.
        let next = ring.nextCounter
        let end = ring.source.clock == .own ? ring.newest?.record.time : Timestamp.now
        let records = ring.records(below: next, from: end.map { $0 - past } ?? .distantFuture)
        guard let end, let first = records.first else {
            throw .badSettings(
                "\(host) has no frame of the last \(past.inSeconds): its camera was off",
                hint: "ask for more, if its camera was on before")
        }
        let total = records.reduce(0) { $0 + $1.bytes(in: ring.source.format) }
        guard let memory = SlotMemory.slabs(count: 1, bytesEach: max(1, total), lazily: true) else {
            throw .noMemory(bytes: total)
        }
        reach = end - first.time
        kept = ring.extent.begin
        var copies = Copies(memory.regions[0], ring.source.format)
        for record in records { copies.add(record, of: ring) }
        guard !copies.frames.isEmpty else { throw .hostEnded(host: "\(host)", isChanged: true) }
        frames = copies.frames
        places = copies.places
        self.memory = memory
        var source = ring.source
        if source.clock == .monotonic { source.anchor = .now }
        self.source = source
    }

    /// The bytes of a frame.
    package func bytes(_ index: Int) -> UnsafeRawBufferPointer {
        let begin = places[index]
        return UnsafeRawBufferPointer(rebasing: memory.regions[0][begin..<begin + frames[index].byteCount])
    }

    /// Copies of frames, one after the other, in memory that has room for all of them.
    private struct Copies {
        private let room: UnsafeMutableRawBufferPointer
        private let format: FrameFormat
        private(set) var frames: [FrameMetadata] = []
        private(set) var places: [Int] = []
        private var used = 0
        private var lost: UInt32 = 0
        private var expected: UInt64?

        init(_ room: UnsafeMutableRawBufferPointer, _ format: FrameFormat) {
            self.room = room
            self.format = format
        }

        /// Copies the frame of a record, or counts it as lost if the other livecap needed its memory meanwhile.
        mutating func add(_ record: livecap_record, of ring: ForeignRing) {
            let count = record.bytes(in: format)
            if let expected, record.counter > expected { noteLost(record.counter - expected) }
            expected = record.counter + 1
            guard let frame = ring.frame(from: record.counter), frame.record.counter == record.counter,
                used + count <= room.count
            else { return noteLost(1) }
            memcpy(room.baseAddress! + used, frame.bytes, count)
            guard frame.isIntact else { return noteLost(1) }
            var copied = record.metadata(record.time, count)
            copied.id = FrameID(epoch: record.epoch, counter: UInt64(frames.count))
            if count < max(1, format.neededBytes) { copied.markDamaged(.short) }
            copied.noteLoss(record.lost_before)
            copied.noteLoss(lost)
            lost = 0
            frames.append(copied)
            places.append(used)
            used += count
        }

        private mutating func noteLost(_ count: UInt64) {
            lost = UInt32(clamping: UInt64(lost) + count)
        }
    }
}

extension ForeignRing {
    /// The records of the frames below a counter, from a time on.
    func records(below end: UInt64, from begin: Timestamp) -> [livecap_record] {
        var (records, next): ([livecap_record], UInt64) = ([], 0)
        while let record = frame(from: next)?.record, record.counter < end {
            if record.time >= begin { records.append(record) }
            next = record.counter + 1
        }
        return records
    }
}

extension livecap_record {
    var time: Timestamp { Timestamp(nanoseconds: time_ns) }

    /// How many bytes of it a frame of a format has.
    fileprivate func bytes(in format: FrameFormat) -> Int { min(Int(clamping: byte_count), format.byteCount) }
}
