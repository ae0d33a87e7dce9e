// SPDX-License-Identifier: MIT
// What the client in C does with memory that is no ring, is damaged, or is of another version.

import FrameRing
import Glibc
import LivecapCShare
import LivecapCSystem
import LivecapFrames
import Testing

@Suite struct DamagedMemoryTests {
    /// What is wrong with a ring's file.
    enum Damage: CaseIterable {
        case wrongMagic, otherVersion
        case endsInHeader, endsInSlots
        case slotsBeyondTheFile, slotsOffTheirAlignment, tooManySlots
        case slotsTooSmall, slotsTooLarge, slotsAtOddDistances
        case canShrink, isNoMemoryFile
    }

    @Test func anUndamagedCopyIsAccepted() throws {
        let reader = OfferedMemory()
        try #require(reader.receive(try sealed(try ringBytes())) == 0)
        #expect(try #require(reader.frame).record.counter == 2)
    }

    @Test(arguments: Damage.allCases) func damagedMemoryIsRefused(_ damage: Damage) throws {
        var bytes = try ringBytes()
        bytes.withHeader { header in
            switch damage {
            case .wrongMagic: header.magic.0 += 1
            case .otherVersion: header.version += 1
            case .slotsBeyondTheFile: header.slots_offset = UInt32(header.file_bytes) + 8
            case .slotsOffTheirAlignment: header.slots_offset += 4
            case .tooManySlots: header.slot_count = .max
            case .slotsTooSmall: header.slot_stride -= 8
            case .slotsTooLarge: header.slot_stride = .max - 7
            case .slotsAtOddDistances: header.slot_stride += 4
            case .endsInHeader, .endsInSlots, .canShrink, .isNoMemoryFile: break
            }
        }
        let slots = MemoryLayout<livecap_header>.stride
        if damage == .endsInHeader { bytes.removeLast(bytes.count - slots + 1) }
        if damage == .endsInSlots { bytes.removeLast(bytes.count - slots - MemoryLayout<livecap_slot>.stride) }
        let file =
            switch damage {
            case .canShrink: try memoryFile(bytes)
            case .isNoMemoryFile: open("/dev/zero", O_RDONLY | O_CLOEXEC)
            default: try sealed(bytes)
            }
        let reader = OfferedMemory()
        #expect(reader.receive(file) == -EPROTO)
        #expect(reader.share.base == nil && reader.share.header == nil)
    }

    @Test(arguments: [
        (UInt64(1) << 40, UInt64(512)), (.max - 100, 512), (0, 1 << 40), (4096, .max), (.max, .max),
    ])
    func aFrameOutsideTheMemoryIsNotFound(offset: UInt64, byteCount: UInt64) throws {
        var bytes = try ringBytes()
        try bytes.withSlot(of: 2) { ($0.record.offset, $0.record.byte_count) = (offset, byteCount) }
        let reader = OfferedMemory()
        try #require(reader.receive(try sealed(bytes)) == 0)
        // The newest of those that can be read.
        #expect(try #require(reader.frame).record.counter == 1)
    }

    /// The memory ends where no page follows: a read beyond it would end the test.
    @Test func nothingBeyondTheMemoryIsRead() throws {
        let bytes = try ringBytes()
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let room = (bytes.count + page - 1) / page * page
        let memory = try #require(mmap(nil, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
        try #require(memory != MAP_FAILED && mprotect(memory + room, page, PROT_NONE) == 0)
        defer { munmap(memory, room + page) }
        var accepted = 0
        for count in stride(from: 0, through: bytes.count, by: 8) {
            let start = memory + (room - count)
            bytes.withUnsafeBytes { start.copyMemory(from: $0.baseAddress!, byteCount: count) }
            var share = livecap_share()
            guard livecap_share_adopt(&share, start, UInt64(count)) == 0 else { continue }
            accepted += 1
            var frame = livecap_frame()
            guard livecap_share_newest(&share, &frame) == 0 else { continue }
            #expect(frame.isWhole)
        }
        #expect(accepted > 0)
    }
}

/// The bytes of a shared ring with three frames.
private func ringBytes() throws -> [UInt8] {
    let ring = try sharedRing(3)
    var producer = RingProducer(filling: ring)
    producer.put(0..<3)
    let file = try #require(ring.memory.file).descriptor
    var bytes = [UInt8](repeating: 0, count: Int(lseek(file, 0, SEEK_END)))
    try #require(pread(file, &bytes, bytes.count, 0) == bytes.count)
    return bytes
}

/// A memory file of these bytes, without seals.
private func memoryFile(_ bytes: [UInt8]) throws -> Int32 {
    let file = lc_memory_file("livecap test", Int64(bytes.count))
    try #require(file >= 0 && pwrite(file, bytes, bytes.count, 0) == bytes.count)
    return file
}

/// The same, sealed as a ring's file is.
private func sealed(_ bytes: [UInt8]) throws -> Int32 {
    let file = try memoryFile(bytes)
    try #require(lc_seal_memory_file(file) == 0)
    return file
}

extension [UInt8] {
    fileprivate mutating func withHeader(_ body: (inout livecap_header) -> Void) {
        withUnsafeMutableBytes { body(&$0.baseAddress!.assumingMemoryBound(to: livecap_header.self).pointee) }
    }

    /// The slot that holds the frame of this counter.
    fileprivate mutating func withSlot(of counter: UInt64, _ body: (inout livecap_slot) -> Void) throws {
        try withUnsafeMutableBytes { bytes in
            let header = bytes.baseAddress!.assumingMemoryBound(to: livecap_header.self)
            let slots = UnsafeMutableBufferPointer(
                start: (bytes.baseAddress! + Int(header.pointee.slots_offset)).assumingMemoryBound(
                    to: livecap_slot.self),
                count: Int(header.pointee.slot_count))
            let index = try #require(slots.firstIndex { $0.generation % 2 == 0 && $0.record.counter == counter })
            body(&slots[index])
        }
    }
}

/// A client, and the server's end of its connection.
private final class OfferedMemory {
    var share = livecap_share()
    private let server: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        (share.socket, server) = (ends[0], ends[1])
    }

    deinit {
        livecap_share_close(&share)
        close(server)
    }

    /// Offers a file, which is closed then, and returns what the client makes of it.
    func receive(_ file: Int32) -> Int32 {
        defer { close(file) }
        var message = livecap_message()
        withUnsafeMutableBytes(of: &message.magic) { $0.copyBytes(from: LIVECAP_SHARE_MAGIC.utf8) }
        (message.version, message.kind) = (LIVECAP_SHARE_VERSION, LIVECAP_SHARE_RING)
        lc_send_descriptor(server, &message, MemoryLayout<livecap_message>.size, file)
        return livecap_share_next_ring(&share)
    }

    /// The newest frame.
    var frame: livecap_frame? {
        var frame = livecap_frame()
        return livecap_share_newest(&share, &frame) == 0 ? frame : nil
    }
}
