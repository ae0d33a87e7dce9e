// SPDX-License-Identifier: MIT
// Holding several frames around a time, in order.

import Frames

/// The right to read several frames, oldest first. Ends when the value does; cannot be copied.
public struct FrameWindow: ~Copyable, Sendable {
    /// The most frames a window can hold.
    public static let capacity = 32

    /// How many frames are held.
    public private(set) var count = 0
    /// Which of them is the frame nearest the time asked for.
    public private(set) var nearest = 0
    private let ring: FrameRing
    private var slots = InlineArray<32, UInt32>(repeating: 0)

    fileprivate init(_ ring: FrameRing) { self.ring = ring }

    deinit {
        withExtendedLifetime(ring) {
            for index in 0..<count { $0.table.unpin(Int(slots[index])) }
        }
    }

    /// What the frames' bytes mean.
    public var format: FrameFormat { ring.format }

    /// What is known of frame `index`.
    public func metadata(_ index: Int) -> FrameMetadata {
        precondition(index >= 0 && index < count, "a window's frames are 0 ..< count")
        return ring.table.contents[Int(slots[index])].metadata
    }

    /// Lends the bytes of frame `index` for the length of `body`.
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

    /// Turns frames collected newest first into order; the first one collected was the nearest.
    fileprivate mutating func turn() {
        for index in 0..<(count / 2) { slots.swapAt(index, count - 1 - index) }
        nearest = count - 1
    }
}

extension FrameRing {
    /// The usable frame nearest `time` with up to `before` usable ones before it and `after` behind it; frames marked as
    /// damaged are passed over. Fewer where history has no more. Nil when there is no usable frame at all.
    public func window(around time: Timestamp, before: Int, after: Int = 0) -> FrameWindow? {
        precondition(
            before >= 0 && after >= 0 && before < FrameWindow.capacity && after < FrameWindow.capacity - before,
            "a window holds 32 frames")
        guard let nearest = table.pinNearest(time, usable: true) else { return nil }
        var window = FrameWindow(self)
        window.append(pinned: nearest.slot)
        var counter = nearest.counter
        // Newest first: history loses its oldest frames first.
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
}
