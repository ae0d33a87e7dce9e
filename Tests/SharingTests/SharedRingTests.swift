// SPDX-License-Identifier: MIT
// What readers of other processes find in a shared ring, and that they can do no more than read.

import FrameRing
import Glibc
import LivecapCShare
import LivecapFrames
import LivecapSharing
import LivecapThreads
import Synchronization
import Testing

@Suite struct SharedRingTests {
    @Test(arguments: [false, true])
    func framesAndWhatIsKnownOfThemAreFound(isCompact: Bool) throws {
        let ring = try sharedRing(isCompact: isCompact)
        let reader = try Reader(mapping: ring)
        #expect(reader.newest == nil)
        var producer = RingProducer(filling: ring)
        producer.put(0..<3)
        let newest = try #require(reader.newest)
        #expect(newest.record.counter == 2 && newest.record.time_ns == 2000 && newest.record.byte_count == 512)
        #expect(newest.record.sequence == 9 && newest.record.uncertainty_ns == 5000 && newest.record.time_source == 1)
        #expect(newest.isWhole && newest.isIntact)
        #expect(reader.next(from: 1)?.record.counter == 1)
        #expect(reader.next(from: 3) == nil)
    }

    @Test func theBytesAreTheRingsOwn() throws {
        let ring = try sharedRing()
        let reader = try Reader(mapping: ring)
        var producer = RingProducer(filling: ring)
        producer.put(9)
        let frame = try #require(reader.newest)
        // Another address of the same memory: what is written there shows at once.
        let slot = ring.memory.regions.firstIndex { $0[0] == 9 }
        ring.memory.regions[try #require(slot)].storeBytes(of: 77, as: UInt8.self)
        #expect(frame.bytes[0] == 77)
    }

    @Test(arguments: [false, true])
    func anOverwrittenFrameIsNoticed(isCompact: Bool) throws {
        let ring = try sharedRing(isCompact: isCompact)
        let reader = try Reader(mapping: ring)
        var producer = RingProducer(filling: ring)
        producer.put(0..<2)
        let frame = try #require(reader.next(from: 0))
        #expect(frame.isIntact)
        producer.put(2..<60)
        #expect(!frame.isIntact)
        #expect(try #require(reader.next(from: 0)).record.counter > 0)
    }

    @Test func aFrameBeingWrittenIsNotFound() throws {
        let ring = try sharedRing(2)
        let reader = try Reader(mapping: ring)
        var producer = RingProducer(filling: ring)
        producer.put(0..<2)
        // The last free slot, and then that of the oldest frame.
        let slots = [producer.claim(), producer.claim()]
        #expect(slots.allSatisfy { $0 != nil })
        #expect(reader.next(from: 0)?.record.counter == 1)
    }

    @Test func theHeaderDescribesTheFrames() throws {
        let ring = try sharedRing()
        try #require(ring.memory.file).describe(camera, degrees: 180, isMirrored: true)
        let reader = try Reader(mapping: ring)
        var header = reader.share.header.pointee
        #expect(header.pixel_format == PixelFormat.grey.fourCC && header.width == 64 && header.height == 8)
        #expect(header.bytes_per_line == 64 && header.frame_bytes == 512 && header.file_bytes == reader.share.size)
        #expect(header.rotation == 180 && header.mirrored == 1)
        #expect(header.rate_numerator == 30 && header.rate_denominator == 1 && header.clock == 0 && header.range == 2)
        let name = withUnsafeBytes(of: &header.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        #expect(name == "Test camera")
    }

    @Test func aLongNameIsCutBetweenCharacters() throws {
        let ring = try sharedRing()
        var source = camera
        source.name = String(repeating: "ö", count: 100)
        try #require(ring.memory.file).describe(source)
        let reader = try Reader(mapping: ring)
        var header = reader.share.header.pointee
        let name = withUnsafeBytes(of: &header.name) { String(validating: $0.prefix { $0 != 0 }, as: UTF8.self) }
        #expect(name == String(repeating: "ö", count: 63))
    }

    @Test func readersCannotWrite() throws {
        let ring = try sharedRing()
        let file = try #require(ring.memory.file).descriptor
        let size = Int(lseek(file, 0, SEEK_END))
        #expect(mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED)
        #expect(write(file, "x", 1) < 0)
        // A reader of the same user may open the file anew, and then for writing.
        let again = open("/proc/self/fd/\(file)", O_RDWR)
        try #require(again >= 0)
        defer { close(again) }
        #expect(pwrite(again, "x", 1, 0) < 0 && errno == EPERM)
        #expect(mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, again, 0) == MAP_FAILED)
        #expect(ftruncate(again, 0) < 0 && errno == EPERM)
        let mapped = try #require(mmap(nil, size, PROT_READ, MAP_SHARED, again, 0))
        #expect(mprotect(mapped, size, PROT_READ | PROT_WRITE) < 0)
        #expect(madvise(mapped, size, 9) < 0, "pages could be removed: MADV_REMOVE")
        munmap(mapped, size)
        #expect(addSeal(again) < 0, "a seal could be added")
    }

    @Test func anOrdinaryRingHasNoFile() throws {
        let capacity = RingCapacity(duration: .milliseconds(100), byteCap: 1 << 20)
        let plan = try #require(capacity.plan(format: camera.format, rate: camera.rate))
        let ring = try #require(Ring.slabs(plan, format: camera.format)).ring
        #expect(!ring.isShared)
        #expect(try sharedRing().isShared)
    }

    @Test(arguments: [false, true])
    func noFrameThatIsIntactIsTorn(isCompact: Bool) throws {
        let ring = try sharedRing(isCompact: isCompact)
        let reader = try Reader(mapping: ring)
        let isDone = Atomic<Bool>(false)
        let producing = Mutex(Optional(RingProducer(filling: ring)))
        let thread = try SystemThread(name: "producer") {
            var producer = producing.withLock { $0.take()! }
            var number = 0
            while !isDone.load(ordering: .relaxed) {
                producer.put(number, byteCount: 1 + number * 37 % 512)
                number += 1
            }
        }
        var (intact, torn, next) = (0, 0, UInt64(0))
        while intact < (getenv("LIVECAP_SANITIZER") == nil ? 20_000 : 2000) {
            guard let frame = intact % 2 == 0 ? reader.newest : reader.next(from: next) else { continue }
            let isWhole = frame.isWhole && frame.record.counter == UInt64(frame.record.time_ns / 1000)
            guard frame.isIntact else { continue }
            intact += 1
            if !isWhole { torn += 1 }
            next = frame.record.counter
        }
        isDone.store(true, ordering: .relaxed)
        thread.join()
        #expect(torn == 0)
    }
}

/// Tries to seal the file against writing: F_ADD_SEALS, F_SEAL_WRITE. 0 or -1.
private func addSeal(_ file: Int32) -> Int32 { fcntl(file, 1033, 8) }
