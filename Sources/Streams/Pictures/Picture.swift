// SPDX-License-Identifier: MIT
// A picture made of a frame.

import LivecapFrames

/// A picture made of a frame. It never changes, and may be used by any thread.
///
/// Its memory comes from an output's pool and returns there with the last reference. An output whose pictures are all
/// held makes no more: release them soon, or copy the bytes.
public final class Picture: Sendable {
    /// The format of its bytes.
    public let format: FrameFormat
    /// The frame it was made of. `byteCount` is that frame's.
    public let frame: FrameMetadata
    /// The number of its bytes.
    public let byteCount: Int
    private let memory: PictureMemory
    private let pool: PicturePool

    package init(
        _ format: FrameFormat, frame: FrameMetadata, byteCount: Int, memory: PictureMemory, pool: PicturePool
    ) {
        self.format = format
        self.frame = frame
        self.byteCount = byteCount
        self.memory = memory
        self.pool = pool
    }

    deinit { pool.giveBack(memory) }

    /// Lends the picture's bytes for the length of `body`.
    /// - Throws: what `body` throws.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(rebasing: memory.bytes[..<byteCount]).bytes)
    }

    /// Lends the rows of one of the picture's planes for the length of `body`: plane 0 has the brightness, or all
    /// samples of packed formats. Nil without calling `body` if the format has no such plane; JPEG has none.
    /// - Throws: what `body` throws.
    public func withPlane<Result: ~Copyable, Failure: Error>(
        _ index: Int, _ body: (borrowing PlaneRows) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let planes = format.planes
        guard planes.indices.contains(index) else { return nil }
        return try withBytes { bytes throws(Failure) in try body(PlaneRows(planes[index], in: bytes)) }
    }
}

/// Memory for one picture. `@unchecked Sendable`: whoever took it from the pool alone writes to it, before it becomes a
/// picture.
package struct PictureMemory: @unchecked Sendable {
    package let bytes: UnsafeMutableRawBufferPointer

    package init(bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }
}
