// SPDX-License-Identifier: MIT
// The bounded queue between copying frames out of the ring and writing them: a circular buffer.

import FrameRing
import Glibc
import LivecapCSystem
import LivecapFrames
import Synchronization

/// A stream of bytes from one thread to another through memory allocated once. The bytes put in are exactly the file,
/// so the writer needs no notion of frames: it writes large aligned pieces, whatever they contain.
///
/// `@unchecked Sendable`: bytes between `freed` and `written` belong to the writer, the others to the copier. Each of
/// the two counters is stored by one side only.
final class RecordingQueue: @unchecked Sendable {
    /// The size of one write, aligned to multiples of it in the file.
    static let pieceBytes = 4 << 20
    /// How long bytes wait for the rest of their piece. If the process is killed, the contents of the queue are lost:
    /// this much time, while the disk keeps up.
    static let longestWait = Duration.milliseconds(100)

    let capacity: Int
    private let memory: SlotMemory
    private var bytes: UnsafeMutableRawBufferPointer { memory.regions[0] }

    /// Bytes put in so far. Releasing stores pair with the writer's acquiring loads: the bytes are in place first.
    private let written = Atomic<Int>(0)
    /// Bytes taken out so far. Releasing stores pair with the copier's acquiring loads: the writer has finished with
    /// them.
    private let freed = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)
    private let isBroken = Atomic<Bool>(false)
    private let hasData = OwnedSignal()
    private let hasRoom = OwnedSignal()

    /// Creates a queue of at least `byteCount` bytes, in whole pieces. Its pages are faulted in on first use.
    init(byteCount: Int) throws(FrameFileError) {
        capacity = (max(byteCount, 2 * Self.pieceBytes) + Self.pieceBytes - 1) / Self.pieceBytes * Self.pieceBytes
        guard let memory = SlotMemory.slabs(count: 1, bytesEach: capacity, lazily: true) else {
            throw .noMemory(bytes: capacity)
        }
        self.memory = memory
    }

    // MARK: The copier's side

    /// The position of the next byte, counted from the beginning of the file.
    var end: Int { written.load(ordering: .relaxed) }
    /// Whether the writer has failed, so that no further bytes will be written.
    var hasFailed: Bool { isBroken.load(ordering: .acquiring) }

    /// Whether `count` bytes fit now.
    func fits(_ count: Int) -> Bool { count <= capacity - (end - freed.load(ordering: .acquiring)) }

    /// Sleeps until `count` bytes fit, or `isOver` holds after a call of `wakeCopier`.
    func waitForRoom(_ count: Int, unless isOver: () -> Bool) {
        _ = hasRoom.wait(until: .distantFuture) { fits(count) || isOver() }
    }

    /// Makes the copier check again whether to go on.
    func wakeCopier() { hasRoom.notify() }

    /// Copies bytes that fit to `position`, without making them visible to the writer.
    func put(_ source: UnsafeRawBufferPointer, at position: Int) {
        guard let base = source.baseAddress else { return }
        let place = position % capacity
        let first = min(source.count, capacity - place)
        memcpy(bytes.baseAddress! + place, base, first)
        if first < source.count { memcpy(bytes.baseAddress!, base + first, source.count - first) }
    }

    /// Makes everything before `position` visible to the writer.
    func commit(upTo position: Int) {
        written.store(position, ordering: .releasing)
        hasData.notify()
    }

    /// Announces that no more bytes will come.
    func close() {
        isClosed.store(true, ordering: .releasing)
        hasData.notify()
    }

    // MARK: The writer's side

    /// The next bytes to write, up to the end of their piece. Waits for the piece to fill, but not for long. Nil when
    /// everything has been written and the queue is closed.
    func next() -> UnsafeRawBufferPointer? {
        let start = freed.load(ordering: .relaxed)
        let wanted = Self.pieceBytes - start % Self.pieceBytes
        func ready() -> Int { written.load(ordering: .acquiring) - start }
        _ = hasData.wait(until: .distantFuture) { ready() > 0 || isClosed.load(ordering: .acquiring) }
        _ = hasData.wait(until: .now + Self.longestWait) {
            ready() >= wanted || isClosed.load(ordering: .acquiring)
        }
        // A piece never wraps around the end of the memory, which has a whole number of pieces.
        let count = min(wanted, ready())
        guard count > 0 else { return nil }
        let place = start % capacity
        return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[place..<(place + count)])
    }

    /// Frees the next `count` bytes, which have been written.
    func free(_ count: Int) {
        freed.store(freed.load(ordering: .relaxed) + count, ordering: .releasing)
        hasRoom.notify()
    }

    /// Announces that the writer has failed.
    func fail() {
        isBroken.store(true, ordering: .releasing)
    }
}
