// SPDX-License-Identifier: MIT
// Holding one frame: as long as the lease lives, nobody writes to its bytes.

import Frames

/// The right to read one frame. Ends when the value does; cannot be copied. A lease outlives the stream, the camera and
/// the ring's producer: its memory is kept until it lets go.
///
/// Held slots are missing from the ring's history, so let go soon, or copy.
public struct FrameLease: ~Copyable, Sendable {
    /// What is known of the frame.
    public let metadata: FrameMetadata
    private let ring: FrameRing
    private let slot: SlotIndex

    /// Takes over a pin.
    init(_ ring: FrameRing, pinned slot: SlotIndex) {
        self.ring = ring
        self.slot = slot
        metadata = ring.table.contents[slot].metadata
    }

    deinit { withExtendedLifetime(ring) { $0.table.unpin(slot) } }

    /// What the frame's bytes mean.
    public var format: FrameFormat { ring.format }

    /// Lends the frame's bytes for the length of `body`.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(rebasing: ring.table.contents[slot].bytes[..<metadata.byteCount]).bytes)
    }
}

extension FrameRing {
    /// The newest frame; nil while there is none.
    public func leaseNewest() -> FrameLease? {
        table.pinNewest().map { FrameLease(self, pinned: $0.slot) }
    }

    /// The frame nearest `time`, which may be far: compare the times. Nil while there is none.
    public func lease(nearest time: Timestamp) -> FrameLease? {
        table.pinNearest(time).map { FrameLease(self, pinned: $0.slot) }
    }

    /// The frame with this id; nil when it has left history or has not come yet.
    public func lease(id: FrameID) -> FrameLease? {
        guard let found = table.pinExactly(id.counter) else { return nil }
        guard table.contents[found.slot].metadata.id == id else {
            table.unpin(found.slot)
            return nil
        }
        return FrameLease(self, pinned: found.slot)
    }
}
