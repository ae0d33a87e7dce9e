// SPDX-License-Identifier: MIT
// The bounded queue between copying a frame out of the ring and writing it: one stretch of memory, used round and round.

import CSystem
import FrameRing
import Frames
import Glibc
import Synchronization

/// A stream of bytes from one thread to another through memory made once. What goes in is the file, byte by byte, so
/// the writer needs no notion of frames: it writes large aligned pieces whatever they hold.
///
/// `@unchecked Sendable`: bytes between `freed` and `written` are the writer's, the others the copier's; each of the two
/// counters is stored by one side only.
final class RecordingQueue: @unchecked Sendable {
    /// How much is written at once, at multiples of it in the file.
    static let pieceBytes = 4 << 20
    /// How long bytes wait for the rest of their piece. A kill costs what is in the queue: this much while the disk keeps up.
    static let longestWait = TimeSpan.milliseconds(100)

    let capacity: Int
    private let memory: SlotMemory
    private var bytes: UnsafeMutableRawBufferPointer { memory.regions[0] }

    /// Bytes put in so far. Releasing stores pair with the writer's acquiring loads: the bytes are there first.
    private let written = Atomic<Int>(0)
    /// Bytes taken out so far. Releasing stores pair with the copier's acquiring loads: the writer has done with them.
    private let freed = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)
    private let isBroken = Atomic<Bool>(false)
    private let hasData = OwnedSignal()
    private let hasRoom = OwnedSignal()

    /// A queue of at least `byteCount` bytes, in whole pieces; its pages come as they are first used.
    init(byteCount: Int) throws(CameraError) {
        capacity = (max(byteCount, 2 * Self.pieceBytes) + Self.pieceBytes - 1) / Self.pieceBytes * Self.pieceBytes
        guard let memory = SlotMemory.slabs(count: 1, bytesEach: capacity, lazily: true) else {
            throw .noMemory(bytes: capacity)
        }
        self.memory = memory
    }

    // MARK: The copier's side

    /// Where the next byte goes, in bytes since the beginning.
    var end: Int { written.load(ordering: .relaxed) }
    /// The writer has given up; nothing put in will be written.
    var hasFailed: Bool { isBroken.load(ordering: .acquiring) }

    /// Whether `count` bytes fit now.
    func fits(_ count: Int) -> Bool { count <= capacity - (end - freed.load(ordering: .acquiring)) }

    /// Sleeps until `count` bytes fit, the writer has failed, or `deadline`.
    func waitForRoom(_ count: Int, until deadline: Timestamp) {
        _ = hasRoom.wait(until: deadline) { fits(count) || hasFailed }
    }

    /// Copies bytes that fit to `position`, without showing them to the writer yet.
    func put(_ source: UnsafeRawBufferPointer, at position: Int) {
        guard let base = source.baseAddress else { return }
        let place = position % capacity
        let first = min(source.count, capacity - place)
        memcpy(bytes.baseAddress! + place, base, first)
        if first < source.count { memcpy(bytes.baseAddress!, base + first, source.count - first) }
    }

    /// Shows the writer everything before `position`.
    func commit(upTo position: Int) {
        written.store(position, ordering: .releasing)
        hasData.notify()
    }

    /// Nothing more will come.
    func close() {
        isClosed.store(true, ordering: .releasing)
        hasData.notify()
    }

    // MARK: The writer's side

    /// The next bytes to write, to the end of a piece where they reach so far; nil when all have been written.
    func next() -> UnsafeRawBufferPointer? {
        let start = freed.load(ordering: .relaxed)
        let wanted = Self.pieceBytes - start % Self.pieceBytes
        func ready() -> Int { written.load(ordering: .acquiring) - start }
        _ = hasData.wait(until: .distantFuture) { ready() > 0 || isClosed.load(ordering: .acquiring) }
        _ = hasData.wait(until: .now + Self.longestWait) {
            ready() >= wanted || isClosed.load(ordering: .acquiring)
        }
        // A piece never crosses the end of the memory, whose length is whole pieces.
        let count = min(wanted, ready())
        guard count > 0 else { return nil }
        let place = start % capacity
        return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[place..<(place + count)])
    }

    /// The next `count` bytes have been written.
    func free(_ count: Int) {
        freed.store(freed.load(ordering: .relaxed) + count, ordering: .releasing)
        hasRoom.notify()
    }

    /// The writer gives up.
    func fail() {
        isBroken.store(true, ordering: .releasing)
        hasRoom.notify()
    }
}
