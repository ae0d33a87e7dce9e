// SPDX-License-Identifier: MIT
// Holding several frames around a time, in order.

import Frames

/// The right to read several frames, oldest first. Ends when the value does; cannot be copied.
public struct FrameWindow: ~Copyable, Sendable {
    /// The most frames a window can hold.
    public static let capacity = 32

    /// How many frames are held.
    public private(set) var count = 0
    private let ring: FrameRing
    private var slots = InlineArray<32, UInt16>(repeating: 0)

    fileprivate init(_ ring: FrameRing) { self.ring = ring }

    deinit {
        for index in 0..<count { ring.unpin(Int(slots[index])) }
    }

    /// What the frames' bytes mean.
    public var format: FrameFormat { ring.format }

    /// What is known of frame `index`.
    public func metadata(_ index: Int) -> FrameMetadata {
        precondition(index < count, "a window's frames are 0 ..< count")
        return ring.metadata[Int(slots[index])]
    }

    /// Lends the bytes of frame `index` for the length of `body`.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ index: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let byteCount = metadata(index).byteCount
        return try body(UnsafeRawBufferPointer(rebasing: ring.bytes[Int(slots[index])][..<byteCount]).bytes)
    }

    fileprivate mutating func append(_ slot: SlotIndex) {
        slots[count] = UInt16(slot)
        count += 1
    }

    fileprivate mutating func reverse() {
        for index in 0..<(count / 2) { slots.swapAt(index, count - 1 - index) }
    }
}

extension FrameRing {
    /// The usable frame nearest `time` with up to `before` usable ones before it and `after` behind it; frames marked as
    /// damaged are passed over. Fewer where history has no more. Nil when there is no usable frame at all.
    public func window(around time: Timestamp, before: Int, after: Int = 0) -> FrameWindow? {
        precondition(before >= 0 && after >= 0 && before + after < FrameWindow.capacity, "a window holds 32 frames")
        guard let nearest = pinNearestUsable(time) else { return nil }
        var window = FrameWindow(self)
        window.append(nearest.slot)
        var counter = nearest.counter
        while window.count <= before, let found = pinNewestUsable(before: counter) {
            window.append(found.slot)
            counter = found.counter
        }
        window.reverse()
        let wanted = window.count + after
        counter = nearest.counter
        while window.count < wanted, let found = pinOldestUsable(from: counter + 1) {
            window.append(found.slot)
            counter = found.counter
        }
        return window
    }

    private func pinNearestUsable(_ time: Timestamp) -> Candidate? {
        guard let nearest = pinNearest(time) else { return nil }
        if metadata[nearest.slot].isUsable { return nearest }
        unpin(nearest.slot)
        let earlier = pinNewestUsable(before: nearest.counter)
        let later = pinOldestUsable(from: nearest.counter + 1)
        guard let earlier else { return later }
        guard let later else { return earlier }
        let takesEarlier = (time - earlier.time).magnitude <= (later.time - time).magnitude
        unpin(takesEarlier ? later.slot : earlier.slot)
        return takesEarlier ? earlier : later
    }

    private func pinNewestUsable(before end: UInt64) -> Candidate? {
        var end = end
        while let found = pinNewest(before: end) {
            if metadata[found.slot].isUsable { return found }
            unpin(found.slot)
            end = found.counter
        }
        return nil
    }

    private func pinOldestUsable(from start: UInt64) -> Candidate? {
        var start = start
        while let found = pinOldest(from: start) {
            if metadata[found.slot].isUsable { return found }
            unpin(found.slot)
            start = found.counter + 1
        }
        return nil
    }
}
