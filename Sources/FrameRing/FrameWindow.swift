// SPDX-License-Identifier: MIT
// A lease on several frames around a time, in order.

import LivecapFrames

/// Permission to read several frames, oldest first. It ends with the value and cannot be copied.
public struct FrameWindow: ~Copyable, Sendable {
    /// The maximum number of frames in a window.
    public static let capacity = 32

    /// The number of frames held.
    public private(set) var count = 0
    /// The index of the frame nearest the requested time.
    public private(set) var nearest = 0
    private let ring: Ring
    private var slots = InlineArray<32, UInt32>(repeating: 0)

    fileprivate init(_ ring: Ring) { self.ring = ring }

    deinit {
        withExtendedLifetime(ring) {
            for index in 0..<count { $0.table.unpin(Int(slots[index])) }
        }
    }

    /// The format of the frames' bytes.
    public var format: FrameFormat { ring.format }

    /// The metadata of frame `index`.
    public func metadata(_ index: Int) -> FrameMetadata {
        precondition(index >= 0 && index < count, "a window's frames are 0 ..< count")
        return ring.table.contents[Int(slots[index])].metadata
    }

    /// Lends the bytes of frame `index` for the length of `body`.
    /// - Throws: what `body` throws.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ index: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let byteCount = metadata(index).byteCount
        let bytes = ring.table.contents[Int(slots[index])].bytes
        return try body(UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]).bytes)
    }

    /// Takes over a pin.
    fileprivate mutating func append(pinned slot: SlotIndex) {
        slots[count] = UInt32(slot)
        count += 1
    }

    /// Reverses frames collected newest first. The first one collected was the nearest.
    fileprivate mutating func turn() {
        for index in 0..<(count / 2) { slots.swapAt(index, count - 1 - index) }
        nearest = count - 1
    }
}

extension Ring {
    /// Leases the usable frame nearest `time`, with up to `before` usable frames before it and `after` usable frames
    /// after it. Damaged frames are skipped. The window holds fewer frames where history has no more; nil if there is
    /// no usable frame at all.
    public func window(around time: Timestamp, before: Int, after: Int = 0) -> FrameWindow? {
        precondition(
            before >= 0 && after >= 0 && before < FrameWindow.capacity && after < FrameWindow.capacity - before,
            "a window holds 32 frames")
        guard let nearest = table.pinNearest(time, usable: true) else { return nil }
        var window = FrameWindow(self)
        window.append(pinned: nearest.slot)
        var counter = nearest.counter
        // Newest first, because history loses its oldest frames first.
        while window.count <= before, let found = table.pinNewest(before: counter, usable: true) {
            window.append(pinned: found.slot)
            counter = found.counter
        }
        window.turn()
        let wanted = window.count + after
        counter = nearest.counter
        while window.count < wanted, let found = table.pinOldest(from: counter + 1, usable: true) {
            window.append(pinned: found.slot)
            counter = found.counter
        }
        return window
    }

    /// The frames of a window around one of them that are of its epoch, and of which none in between has left history.
    /// Others are far away, and are there only because they are leased.
    package func neighbours(of index: Int, in window: borrowing FrameWindow) -> Range<Int> {
        var first = index, end = index + 1
        while isFollowedAtOnce(end - 1, in: window) { end += 1 }
        while isFollowedAtOnce(first - 1, in: window) { first -= 1 }
        return first..<end
    }

    /// Whether a frame of the window and the one after it are of one epoch, with none between them that has left.
    private func isFollowedAtOnce(_ index: Int, in window: borrowing FrameWindow) -> Bool {
        guard index >= 0, index + 1 < window.count else { return false }
        let before = window.metadata(index).id, behind = window.metadata(index + 1).id
        guard before.epoch == behind.epoch else { return false }
        // What the window left out is damaged.
        return (before.counter + 1..<behind.counter).allSatisfy {
            lease(id: FrameID(epoch: before.epoch, counter: $0)) != nil
        }
    }
}
