// SPDX-License-Identifier: MIT
// The memory file of a shared ring, and what its readers in other processes go by: `livecap-share.h` describes it.

import Glibc
import LivecapCShare
import LivecapCSystem
import LivecapFrames

/// A memory file that other processes map to read frames. Its size is sealed, and nothing but the mapping it was made
/// with can write to it.
package final class RingFile: Sendable {
    /// What readers are given: it is open for reading only.
    package let descriptor: Int32
    /// The beginning of the mapping.
    let directory: RingDirectory

    fileprivate init(descriptor: Int32, directory: RingDirectory) {
        self.descriptor = descriptor
        self.directory = directory
    }

    deinit { close(descriptor) }

    /// Says what readers should know of the frames' source, before any of them has the file. Pictures are upright once
    /// they are mirrored, or not, and then turned clockwise by `degrees`.
    package func describe(_ source: SourceDescription, degrees: Int = 0, isMirrored: Bool = false) {
        let header = directory.header
        header.pointee.rotation = UInt16(clamping: degrees)
        header.pointee.mirrored = isMirrored ? 1 : 0
        header.pointee.rate_numerator = source.rate?.numerator ?? 0
        header.pointee.rate_denominator = source.rate?.denominator ?? 0
        header.pointee.clock = source.clock == .monotonic ? 0 : 1
        name(source)
    }

    /// Says which camera delivers: another one may have taken the place of the one that was described.
    package func name(_ source: SourceDescription) {
        let header = directory.header
        withUnsafeMutableBytes(of: &header.pointee.name) { source.name.fill($0) }
        withUnsafeMutableBytes(of: &header.pointee.identity) { source.identity.fill($0) }
    }

    /// Wakes readers that sleep until there is another frame, after one that the caller has seen. `hasEnded`: there
    /// will be none.
    package func wakeReaders(hasEnded: Bool = false) {
        if hasEnded { livecap_share_mark_end(directory.header) }
        livecap_share_touch(directory.header)
        let word = UnsafeRawPointer(directory.header) + MemoryLayout<livecap_header>.offset(of: \.wake)!
        _ = lc_futex_wake_everywhere(word.assumingMemoryBound(to: UInt32.self))
    }
}

extension String {
    /// Writes as many whole characters as there is room for, and zeros after them, of which one always stays.
    fileprivate func fill(_ room: UnsafeMutableRawBufferPointer) {
        var text = self
        while text.utf8.count >= room.count { text.removeLast() }
        room.copyBytes(from: text.utf8)
        for place in text.utf8.count..<room.count { room[place] = 0 }
    }
}

/// The addresses of the header and the slots at the beginning of the file. A plain value for the frame path, like
/// `SlotTable`.
struct RingDirectory: @unchecked Sendable {  // safe: the addresses never change; the slot protocol governs access
    let header: UnsafeMutablePointer<livecap_header>
    let slots: UnsafeMutablePointer<livecap_slot>

    /// The size of a directory of `count` slots: whole pages.
    static func byteCount(slots count: Int) -> Int {
        SlotMemory.wholePages(MemoryLayout<livecap_header>.stride + count * MemoryLayout<livecap_slot>.stride)
    }

    /// Writes the directory of a ring, without frames.
    func begin(_ format: FrameFormat, slotCount: Int, firstCounter: UInt64) {
        withUnsafeMutableBytes(of: &header.pointee.magic) { $0.copyBytes(from: LIVECAP_SHARE_MAGIC.utf8) }
        header.pointee.version = LIVECAP_SHARE_VERSION
        header.pointee.slots_offset = UInt32(MemoryLayout<livecap_header>.stride)
        header.pointee.slot_stride = UInt32(MemoryLayout<livecap_slot>.stride)
        header.pointee.slot_count = UInt32(slotCount)
        header.pointee.pixel_format = format.pixelFormat.fourCC
        header.pointee.width = UInt32(clamping: format.size.width)
        header.pointee.height = UInt32(clamping: format.size.height)
        header.pointee.bytes_per_line = UInt32(clamping: format.bytesPerLine)
        header.pointee.frame_bytes = UInt64(clamping: format.byteCount)
        header.pointee.primaries = format.colorimetry.primaries.rawValue
        header.pointee.transfer = format.colorimetry.transfer.rawValue
        header.pointee.matrix = format.colorimetry.matrix.rawValue
        header.pointee.range = format.colorimetry.range.rawValue
        header.pointee.next_counter = firstCounter
        for slot in 0..<slotCount { slots[slot].generation = 1 }
    }

    /// Takes a slot from readers of other processes, before anything of it is overwritten.
    @inline(__always)
    func withdraw(_ slot: SlotIndex) { livecap_share_withdraw(slots + slot) }

    /// Gives readers of other processes the frame that lies at `bytes`.
    @inline(__always)
    func publish(_ slot: SlotIndex, _ frame: FrameMetadata, at bytes: UnsafeMutableRawPointer) {
        livecap_share_publish(
            header, slots + slot,
            livecap_record(
                counter: frame.id.counter, time_ns: frame.time.nanoseconds,
                uncertainty_ns: frame.uncertainty.nanoseconds,
                offset: UInt64(bytes - UnsafeMutableRawPointer(header)), byte_count: UInt64(frame.byteCount),
                epoch: frame.id.epoch, sequence: frame.sequence, lost_before: frame.lostBefore,
                flags: frame.flags.rawValue, damage: frame.damage.rawValue, time_source: frame.timeSource.rawValue))
    }
}

extension SlotMemory {
    /// The same as `slabs`, in a memory file that other processes may read, with a directory of `slots` slots before
    /// them: `memfd_create(2)`, `mmap(2)`. All of it is allocated at once, and locked unless `lazily`.
    static func sharedSlabs(count: Int, bytesEach: Int, slots: Int, lazily: Bool) -> SlotMemory? {
        let stride = wholePages(bytesEach)
        let before = RingDirectory.byteCount(slots: slots)
        let (body, bodyOverflow) = stride.multipliedReportingOverflow(by: count)
        let (total, overflow) = body.addingReportingOverflow(before)
        guard !bodyOverflow, !overflow else { return nil }
        let writable = lc_memory_file("livecap ring", Int64(total))
        guard writable >= 0 else { return nil }
        defer { close(writable) }
        let flags = MAP_SHARED | (lazily ? 0 : MAP_POPULATE)
        guard let base = mmap(nil, total, PROT_READ | PROT_WRITE, flags, writable, 0), base != MAP_FAILED else {
            return nil
        }
        // The seal leaves the mapping above writable, and no other.
        let descriptor = lc_seal_memory_file(writable) < 0 ? -1 : lc_reopen_for_reading(writable)
        guard descriptor >= 0 else {
            munmap(base, total)
            return nil
        }
        let isLocked = !lazily && mlock(base, total) == 0
        let header = base.bindMemory(to: livecap_header.self, capacity: 1)
        header.pointee.file_bytes = UInt64(total)
        let table = (base + MemoryLayout<livecap_header>.stride).bindMemory(to: livecap_slot.self, capacity: slots)
        let address = UInt(bitPattern: base)
        return SlotMemory(
            borrowing: (0..<count).map {
                UnsafeMutableRawBufferPointer(start: base + before + $0 * stride, count: stride)
            },
            isLocked: isLocked,
            file: RingFile(descriptor: descriptor, directory: RingDirectory(header: header, slots: table))
        ) { munmap(UnsafeMutableRawPointer(bitPattern: address), total) }
    }
}
