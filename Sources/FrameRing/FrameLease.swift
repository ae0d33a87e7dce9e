// SPDX-License-Identifier: MIT
// A lease on one frame: nobody writes to its bytes while the lease lives.

import LivecapFrames

/// Permission to read one frame. The lease ends with the value and cannot be copied. It may outlive the stream, the
/// camera and the ring's producer: its memory is kept until the lease is released.
///
/// Leased slots reduce the ring's history, so release them soon, or copy the bytes.
public struct FrameLease: ~Copyable, Sendable {
    /// What is known of the frame.
    public let metadata: FrameMetadata
    private let ring: Ring
    private let slot: SlotIndex

    /// Takes over a pin.
    init(_ ring: Ring, pinned slot: SlotIndex) {
        self.ring = ring
        self.slot = slot
        metadata = ring.table.contents[slot].metadata
    }

    deinit { withExtendedLifetime(ring) { $0.table.unpin(slot) } }

    /// The format of the frame's bytes.
    public var format: FrameFormat { ring.format }

    /// Lends the frame's bytes for the length of `body`.
    /// - Throws: what `body` throws.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(rebasing: ring.table.contents[slot].bytes[..<metadata.byteCount]).bytes)
    }

    /// Lends the rows of one of the frame's planes for the length of `body`: plane 0 has the brightness, or all samples
    /// of packed formats. Nil without calling `body` if the format has no such plane (compressed formats have none), or
    /// if the frame is cut short before the plane's end.
    /// - Throws: what `body` throws.
    public func withPlane<Result: ~Copyable, Failure: Error>(
        _ index: Int, _ body: (borrowing PlaneRows) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let planes = format.planes
        guard planes.indices.contains(index), planes[index].usedEnd <= metadata.byteCount else { return nil }
        return try withBytes { bytes throws(Failure) in try body(PlaneRows(planes[index], in: bytes)) }
    }
}

extension Ring {
    /// Leases the newest frame; nil if there is none.
    public func leaseNewest() -> FrameLease? {
        table.pinNewest().map { FrameLease(self, pinned: $0.slot) }
    }

    /// Leases the frame nearest `time`; nil if there is none. The frame may be far from `time`: compare the times.
    public func lease(nearest time: Timestamp) -> FrameLease? {
        table.pinNearest(time).map { FrameLease(self, pinned: $0.slot) }
    }

    /// Leases the frame with this id; nil if it has left history or has not arrived yet.
    public func lease(id: FrameID) -> FrameLease? {
        guard let found = table.pinExactly(id.counter) else { return nil }
        guard table.contents[found.slot].metadata.id == id else {
            table.unpin(found.slot)
            return nil
        }
        return FrameLease(self, pinned: found.slot)
    }
}
